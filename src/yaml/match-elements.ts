/**
 * Which elements of a changed list are which of the old one: by their name where all have one, by their value or place
 * where not.
 */
import { isObject, type JsonValue } from "../json/json.ts";

/** How a list changed; indexes count in the old list, the second of `kept` in the new one. */
export interface Match {
  readonly kept: readonly (readonly [from: number, to: number])[];
  readonly gone: readonly number[];
  /** New elements, each group behind the old element that it follows. */
  readonly added: readonly { readonly behind: number; readonly values: readonly JsonValue[] }[];
}

/** Matches two lists; undefined where the order changed or something new comes first. */
export function matchElements(before: readonly JsonValue[], after: readonly JsonValue[]): Match | undefined {
  const names = namesOf(before);
  const newNames = namesOf(after);
  return names && newNames ? byName(names, newNames, after) : byPlace(before, after);
}

function byName(names: readonly string[], newNames: readonly string[], after: readonly JsonValue[]): Match | undefined {
  const kept: [number, number][] = [];
  const added: { behind: number; values: JsonValue[] }[] = [];
  const places = new Map(names.map((name, index) => [name, index]));
  let behind = -1;
  for (const [to, name] of newNames.entries()) {
    const from = places.get(name);
    if (from === undefined) {
      if (behind === -1) return undefined;
      const group = added.at(-1);
      if (group?.behind !== behind) added.push({ behind, values: [after[to] ?? null] });
      else group.values.push(after[to] ?? null);
      continue;
    }
    if (from < behind) return undefined;
    behind = from;
    kept.push([from, to]);
    places.delete(name);
  }
  return { kept, gone: [...places.values()], added };
}

function byPlace(before: readonly JsonValue[], after: readonly JsonValue[]): Match | undefined {
  if (after.length < before.length || before.length === 0) return undefined;
  const values = after.slice(before.length);
  return {
    kept: before.map((_, index) => [index, index] as const),
    gone: [],
    added: values.length === 0 ? [] : [{ behind: before.length - 1, values }],
  };
}

/** What tells the elements apart: their names, or themselves where they are scalars; undefined where nothing does. */
function namesOf(list: readonly JsonValue[]): readonly string[] | undefined {
  const names = list.map((element) =>
    isObject(element) ? (typeof element.name === "string" ? `name ${element.name}` : "") : JSON.stringify(element),
  );
  return names.includes("") || new Set(names).size < names.length ? undefined : names;
}
