/**
 * Ways in which a pod can be large: every place of a seed can be grown in every way that fits it.
 */
import { PROXY_CONFIG, STATUS } from "../../src/pod/annotations.ts";
import { isObject, type JsonObject, type JsonValue, valueAt, withKey } from "../../src/pod/json.ts";
import { seeds } from "./pods.ts";
import { texts, yamls } from "./shapes.ts";

/** A pod that can be made as large as one likes in one place. */
export interface Growth {
  readonly name: string;
  /** The AdmissionReview as text; `bytes` is about what is added to the seed. */
  body(bytes: number): string;
}

type Path = readonly string[];

/** A way to grow what stands in one place. What JSON.stringify cannot write is put in afterwards. */
interface Way {
  readonly name: string;
  grow(there: JsonValue, bytes: number): JsonValue | { readonly raw: string };
}

/** All growths of all seeds. */
export const growths: readonly Growth[] = seeds.flatMap(([seed, pod]) =>
  placesIn(pod, []).flatMap((path) =>
    waysFor(at(pod, path), path).map(({ name, grow }) => ({
      name: `${seed}: ${path.join(".") || "the pod"}: ${name}`,
      body: (bytes: number) => bodyOf(pod, [[path, grow(at(pod, path), bytes)]]),
    })),
  ),
);

/** Some of the growths of one seed at once: lists that are compared with each other have the same names, or others. */
export function together(growing: readonly number[], seed: number): Growth {
  const [name, pod] = seeds[seed % seeds.length] as (typeof seeds)[number];
  const places = placesIn(pod, []);
  const chosen: [Path, Way][] = [];
  for (const number of growing) {
    const path = places[number % places.length] as Path;
    const ways = waysFor(at(pod, path), path);
    // What is within another place is gone when that one has grown.
    if (chosen.some(([other]) => isWithin(path, other) || isWithin(other, path))) continue;
    chosen.push([path, ways[number % ways.length] as Way]);
  }
  return {
    name: `${name}: ${chosen.map(([path, way]) => `${path.join(".")}: ${way.name}`).join(", ")}`,
    body: (bytes) =>
      bodyOf(
        pod,
        chosen.map(([path, way]) => [path, way.grow(at(pod, path), bytes / chosen.length)]),
      ),
  };
}

function isWithin(path: Path, other: Path): boolean {
  return other.every((key, index) => path[index] === key);
}

/** Every place in a value; the status annotation is JSON itself, so there are places in it as well. */
function placesIn(value: JsonValue, path: Path): readonly Path[] {
  const inside = insideOf(value, path);
  if (typeof inside !== "object" || inside === null) return [path];
  return [path, ...Object.entries(inside).flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

function insideOf(value: JsonValue, path: Path): JsonValue {
  return path.at(-1) === STATUS && typeof value === "string" ? (JSON.parse(value) as JsonValue) : value;
}

function at(value: JsonValue, path: Path): JsonValue {
  let here = value;
  for (const [index, key] of path.entries()) {
    const inside = insideOf(here, path.slice(0, index));
    here = Array.isArray(inside) ? (inside[Number(key)] as JsonValue) : (valueAt(inside, key) ?? null);
  }
  return here;
}

/** A copy of a value with another part in one place. */
function withPart(value: JsonValue, path: Path, part: JsonValue, depth = 0): JsonValue {
  const key = path[depth];
  if (key === undefined) return part;
  const inside = insideOf(value, path.slice(0, depth));
  const child = Array.isArray(inside) ? (inside[Number(key)] as JsonValue) : (valueAt(inside, key) ?? null);
  const next = withPart(child, path, part, depth + 1);
  const copy = Array.isArray(inside)
    ? inside.with(Number(key), next)
    : withKey(isObject(inside) ? inside : {}, key, next);
  return inside === value ? copy : JSON.stringify(copy);
}

function bodyOf(pod: JsonObject, parts: readonly [Path, JsonValue | { readonly raw: string }][]): string {
  let changed: JsonValue = pod;
  const raws: string[] = [];
  for (const [path, part] of parts) {
    const isRaw = isObject(part) && typeof part.raw === "string" && Object.keys(part).length === 1;
    if (isRaw) raws.push(part.raw as string);
    changed = withPart(changed, path, isRaw ? `@${raws.length - 1}@` : (part as JsonValue));
  }
  const review = JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u-1",
      operation: "CREATE",
      kind: { group: "", version: "v1", kind: "Pod" },
      namespace: "shop",
      object: changed,
    },
  });
  // The status is JSON in JSON, so the marker's quotes are escaped there, and so is what takes its place.
  return raws.reduce(
    (text, raw, index) =>
      text.replace(`"@${index}@"`, () => raw).replace(`\\"@${index}@\\"`, () => JSON.stringify(raw).slice(1, -1)),
    review,
  );
}

const NAME = "w";

/** Elements until the list has so many bytes, made from one that is there. */
function elements(bytes: number, make: (index: number) => JsonValue): JsonValue[] {
  const size = JSON.stringify(make(1000)).length + 1;
  return Array.from({ length: Math.ceil(bytes / size) }, (_, index) => make(index));
}

function keys(bytes: number, prefix: string, value: JsonValue): JsonObject {
  const size = prefix.length + JSON.stringify(value).length + 8;
  return Object.fromEntries(
    Array.from({ length: Math.ceil(bytes / size) }, (_, index) => [`${prefix}${index.toString(36)}`, value]),
  );
}

function waysFor(there: JsonValue, path: Path): readonly Way[] {
  const deep: Way[] = [
    { name: "lists in lists", grow: (_, bytes) => ({ raw: "[".repeat(bytes / 2) + "]".repeat(bytes / 2) }) },
    {
      name: "objects in objects",
      grow: (_, bytes) => ({ raw: `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}` }),
    },
  ];
  if (typeof there === "string") {
    const shapes = path.at(-1) === PROXY_CONFIG ? yamls : texts;
    return [
      ...shapes.map(([name, text]): Way => ({ name, grow: (_, bytes) => text(bytes) })),
      ...shapes
        .slice(0, 40)
        .map(
          ([name, text]): Way => ({ name: `it, then ${name}`, grow: (own, bytes) => `${String(own)}${text(bytes)}x` }),
        ),
      ...deep,
    ];
  }
  if (typeof there === "number") return [{ name: "digits", grow: (_, bytes) => ({ raw: "9".repeat(bytes) }) }, ...deep];
  if (Array.isArray(there)) {
    const first: JsonValue = there[0] ?? "";
    const own = isObject(first) ? first : {};
    return [
      {
        name: "its first element, with names",
        grow: (list, bytes) => [
          ...(list as JsonValue[]),
          ...elements(bytes, (index) =>
            isObject(first) ? { ...own, name: `${NAME}${index.toString(36)}` } : `${NAME}${index.toString(36)}`,
          ),
        ],
      },
      {
        name: "elements in front",
        grow: (list, bytes) => [
          ...elements(bytes, (index) =>
            isObject(first) ? { name: `${NAME}${index.toString(36)}` } : `${NAME}${index.toString(36)}`,
          ),
          ...(list as JsonValue[]),
        ],
      },
      {
        name: "its first element, always the same",
        grow: (list, bytes) => [...(list as JsonValue[]), ...elements(bytes, () => first)],
      },
      { name: "small elements", grow: (list, bytes) => [...(list as JsonValue[]), ...elements(bytes, () => ({}))] },
      { name: "numbers", grow: (_, bytes) => elements(bytes, () => 0) },
      ...deep,
    ];
  }
  if (isObject(there)) {
    const value: JsonValue = Object.values(there)[0] ?? "";
    return [
      { name: "keys", grow: (object, bytes) => ({ ...(object as JsonObject), ...keys(bytes, NAME, value) }) },
      { name: "keys in front", grow: (object, bytes) => ({ ...keys(bytes, NAME, ""), ...(object as JsonObject) }) },
      {
        name: "keys like overrides",
        grow: (object, bytes) => ({ ...(object as JsonObject), ...keys(bytes, "gracegate.dev/abcdef", "") }),
      },
      {
        name: "keys that are numbers",
        grow: (object, bytes) => ({ ...(object as JsonObject), ...keys(bytes, "", "") }),
      },
      ...deep,
    ];
  }
  return deep;
}
