/**
 * Kubernetes resource quantities (`500m`, `128Mi`, `1e3`), compared when a container is added to a pod with limits.
 *
 * Source of the grammar: apimachinery's resource.Quantity. Values are exact only up to 2^53, which no container's cpu
 * or memory reaches.
 */

const FACTOR: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** What a quantity may look like, for schemas. */
export const QUANTITY_PATTERN = "^[0-9]+(\\.[0-9]+)?([eE][0-9]{1,2}|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$";

const QUANTITY = /^\+?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?[0-9]+)|([a-zA-Z]*))$/;

/**
 * Reads a quantity.
 *
 * @returns cores for cpu, bytes for memory; undefined when the value is no quantity
 */
export function parseQuantity(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const match = QUANTITY.exec(value);
  if (match === null) return undefined;
  const number = Number(match[1]);
  if (match[2] !== undefined) return number * 10 ** Number(match[2]);
  const suffix = match[3] ?? "";
  const factor = Object.hasOwn(FACTOR, suffix) ? FACTOR[suffix] : undefined;
  return factor === undefined ? undefined : number * factor;
}

/**
 * Compares two quantities exactly, as the API server does: in billionths, rounded up.
 *
 * @returns less than 0, 0 or more than 0; undefined when one is no quantity
 */
export function compareQuantities(a: string, b: string): number | undefined {
  const [one, other] = [billionthsOf(a), billionthsOf(b)];
  if (one === undefined || other === undefined) return undefined;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The exponent of each suffix: a power of ten, or of two. */
const EXPONENT: Readonly<Record<string, readonly [base: 2n | 10n, exponent: bigint]>> = Object.fromEntries([
  ...["n", "u", "m", "", "k", "M", "G", "T", "P", "E"].map((suffix, at) => [suffix, [10n, BigInt(3 * at - 9)]]),
  ...["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].map((suffix, at) => [suffix, [2n, BigInt(10 * at + 10)]]),
]);

function billionthsOf(text: string): bigint | undefined {
  const match = QUANTITY.exec(text);
  const [, number = "", exponent, suffix = ""] = match ?? [];
  const [base, power] = exponent === undefined ? (EXPONENT[suffix] ?? []) : [10n, BigInt(exponent)];
  if (match === null || base === undefined || power === undefined) return undefined;
  const [whole = "", fraction = ""] = number.split(".");
  const digits = BigInt(`0${whole}${fraction}`) * (base === 2n ? 2n ** power : 1n);
  const shift = 9n - BigInt(fraction.length) + (base === 10n ? power : 0n);
  if (shift >= 0n) return digits * 10n ** shift;
  const divisor = 10n ** -shift;
  return (digits + divisor - 1n) / divisor;
}

/** Writes cores as Kubernetes shows them: `500m`, `2`. Rounded down, since it is used to stay within a limit. */
export function formatCpu(cores: number): string {
  const milli = Math.floor(cores * 1000 + 1e-6);
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}

/** Writes bytes as `64Mi` where that is exact, else as plain bytes. Rounded down. */
export function formatMemory(bytes: number): string {
  const whole = Math.floor(bytes);
  return whole > 0 && whole % 2 ** 20 === 0 ? `${whole / 2 ** 20}Mi` : String(whole);
}
