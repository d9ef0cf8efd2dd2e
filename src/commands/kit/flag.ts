/**
 * How a command declares its flags: one entry a flag, with the words of `--help` and the reader of its value.
 */
import { Option } from "commander";
import { type Read, type Reader, value } from "./read.ts";

/** One flag. `T` is what the command gets: undefined is among it where the flag may be left out. */
export interface Flag<T> {
  readonly option: Option;
  /** Reads what commander has. */
  read(given: unknown): Read<T>;
}

/** The flags of a command, by the names under which it gets their values. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of flags. */
export type Values<F extends Flags> = { readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never };

/** Where else a flag's value comes from, and what commander itself looks after. */
export interface FlagMore {
  /** The variable of the environment that says the same. */
  readonly env?: string;
  /** Values that `--help` lists, and none else. */
  readonly choices?: readonly string[];
  /** It has to be given. */
  readonly isMandatory?: boolean;
}

/**
 * A flag with a value.
 *
 * @param flags as commander takes them: `-n, --namespace <name>`
 * @param words for `--help`
 * @param fallback what stands for it where it is not given
 */
export function flag<T>(flags: string, words: string, read: Reader<T>, fallback: string, more?: FlagMore): Flag<T>;
export function flag<T>(
  flags: string,
  words: string,
  read: Reader<T>,
  fallback?: undefined,
  more?: FlagMore,
): Flag<T | undefined>;
export function flag<T>(
  flags: string,
  words: string,
  read: Reader<T>,
  fallback?: string,
  { env, choices, isMandatory }: FlagMore = {},
): Flag<T | undefined> {
  const option = new Option(flags, words);
  if (fallback !== undefined) option.default(fallback);
  if (env !== undefined) option.env(env);
  if (choices !== undefined) option.choices(choices);
  if (isMandatory) option.makeOptionMandatory();
  const read_ = (given: unknown) =>
    given === undefined ? value(undefined) : read(String(given), option.long ?? flags);
  return { option, read: read_ };
}

/** A flag that has to be given. */
export function neededFlag<T>(flags: string, words: string, read: Reader<T>): Flag<T> {
  return flag(flags, words, read, undefined, { isMandatory: true }) as Flag<T>;
}

/** A flag that is there or not; one that begins with `--no-` is true unless it is there. */
export function toggle(flags: string, words: string): Flag<boolean> {
  const option = new Option(flags, words);
  return { option, read: (given) => value(option.negate ? given !== false : given === true) };
}

/** A flag that may be given again and again. */
export function repeated(flags: string, words: string): Flag<readonly string[]> {
  const option = new Option(flags, words)
    .argParser((one: string, earlier: readonly string[]) => [...earlier, one])
    .default([]);
  return { option, read: (given) => value(given as readonly string[]) };
}

/** Lets each flag be a variable of the environment too: `--tls-cert` is PREFIX_TLS_CERT. */
export function withEnvironment<F extends Flags>(prefix: string, flags: F): F {
  for (const { option } of Object.values(flags)) {
    option.env(`${prefix}_${option.name().replaceAll("-", "_").toUpperCase()}`);
  }
  return flags;
}

/** All values, or the first sentence for whoever typed them. */
export function valuesOf<F extends Flags>(flags: F, given: Readonly<Record<string, unknown>>): Read<Values<F>> {
  const values: Record<string, unknown> = {};
  for (const [name, { option, read }] of Object.entries(flags)) {
    const one = read(given[option.attributeName()]);
    if (!one.ok) return one;
    values[name] = one.value;
  }
  return value(values as Values<F>);
}
