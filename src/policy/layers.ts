/**
 * The levels from which a setting may come, farthest first, and how a value is picked from them.
 *
 * A nearer level wins, field by field. Within one level policies come in the order of their names, and the later one
 * wins.
 */
import type { JsonObject } from "../pod/json.ts";
import type { PolicySpec } from "./schema.ts";

/** How near a level is to the pod. */
export const level = {
  builtIn: 0,
  meshConfig: 1,
  root: 2,
  rootSelector: 3,
  namespace: 4,
  selector: 5,
  override: 6,
} as const;

/** One of the levels. */
export type Level = (typeof level)[keyof typeof level];

/** One source of settings. */
export interface Layer {
  readonly level: Level;
  /** For people: `GracePolicy shop/default`, `annotation gracegate.dev/drain-timeout`, `mesh config`, `built-in`. */
  readonly origin: string;
  readonly spec: PolicySpec;
}

/** A value and where it comes from. */
export interface Sourced<T> {
  readonly value: T;
  readonly level: Level;
  readonly origin: string;
}

/** The nearest layer's value of a field; undefined where no layer has one. */
export function pick<T>(layers: readonly Layer[], field: (spec: PolicySpec) => T | undefined): Sourced<T> | undefined {
  const layer = layers.findLast(({ spec }) => field(spec) !== undefined);
  const value = layer && field(layer.spec);
  return layer === undefined || value === undefined ? undefined : { value, level: layer.level, origin: layer.origin };
}

/** The value of a field that the built-in level has. */
export function pickSet<T>(layers: readonly Layer[], field: (spec: PolicySpec) => T | undefined): Sourced<T> {
  const picked = pick(layers, field);
  if (picked === undefined) throw new Error("a setting has no built-in value");
  return picked;
}

/**
 * Two ways to say one thing: the nearest level that uses either decides, and within it the explicit one wins.
 *
 * @returns the explicit value or the other one; undefined where no level uses either
 */
export function pickEither<A, B>(
  layers: readonly Layer[],
  explicit: (spec: PolicySpec) => A | undefined,
  other: (spec: PolicySpec) => B | undefined,
): { readonly explicit: Sourced<A> } | { readonly other: Sourced<B> } | undefined {
  const nearest = pick(layers, (spec) => explicit(spec) ?? other(spec));
  if (nearest === undefined) return undefined;
  const sameLevel = layers.filter((layer) => layer.level === nearest.level);
  const first = pick(sameLevel, explicit);
  if (first !== undefined) return { explicit: first };
  const second = pick(sameLevel, other);
  return second && { other: second };
}

/** The labels of a pod and its namespace, by which its layers are found. */
export interface PolicyQuery {
  readonly namespace: string;
  readonly labels: JsonObject;
}
