/**
 * The webhook configurations, as far as the certificate goes: who trusts what, and whether a call hangs on it.
 */

/** Told that something cannot be reached, and is tried again after `retryMs`. */
export type Unreachable = (reason: string, retryMs: number) => void;

/** A webhook configuration, as far as its caBundles go. */
export interface Registration {
  readonly name: string;
  /** Whether it brings people warnings only: then it never decides whether this replica can serve. */
  readonly isAdvisory: boolean;
  /** The bundle of each webhook in it, PEM; undefined where the configuration is not there. */
  readonly bundles: readonly string[] | undefined;
  /** Changes with every change of its webhooks: another replica may have mended it between two looks of this one. */
  readonly generation: string;
}

/** The webhook configurations. Every call rejects where they cannot be reached. */
export interface Registrations {
  read(): Promise<readonly Registration[]>;
  /** Writes the bundle into every webhook of a configuration that is there; never makes one. */
  publish(registration: Registration, bundle: string): Promise<void>;
  follow(onChange: () => void, onUnreachable: Unreachable, signal: AbortSignal): Promise<void>;
}

/** The configurations that have another bundle. */
export function wrongOf(registrations: readonly Registration[], bundle: string): readonly Registration[] {
  return registrations.filter(({ bundles }) => bundles?.some((one) => one !== bundle));
}

/** The bundles of the configurations that only warn, or of those that pods hang on; each once. */
export function bundlesOf(registrations: readonly Registration[], isAdvisory: boolean): readonly string[] {
  const bundles = registrations.flatMap((one) => (one.isAdvisory === isAdvisory ? (one.bundles ?? []) : []));
  return [...new Set(bundles)];
}

/** A bundle that stands wherever pods hang on it. */
export interface Standing {
  readonly bundle: string;
  /** The configurations' generations of that time. */
  readonly generations: string;
  /** Since when, by the clock that only goes forward, milliseconds. */
  readonly since: number;
}

/**
 * Since when a bundle stands; undefined where it does not. A locked configuration that only warns must not hold renewing up.
 *
 * @param before what was seen by the last look
 */
export function standingOf(
  before: Standing | undefined,
  bundle: string,
  registrations: readonly Registration[],
  monotonic: number,
): Standing | undefined {
  if (!wrongOf(registrations, bundle).every((one) => one.isAdvisory)) return undefined;
  const generations = registrations.map(({ name, generation }) => `${name} ${generation}`).join("\n");
  const isSame = before?.bundle === bundle && before.generations === generations;
  return isSame ? before : { bundle, generations, since: monotonic };
}
