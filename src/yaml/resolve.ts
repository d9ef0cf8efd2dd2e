/**
 * What a scalar is in YAML 1.1 as go-yaml resolves it, with which Kubernetes and Istio read: `yes` is true, `0644` is 420,
 * dates and numbers to base 60 are texts.
 */
import type { JsonValue } from "../json/json.ts";
import type { ScalarNode } from "./node.ts";
import { YamlError } from "./problem.ts";

const TAG = "tag:yaml.org,2002:";

const BOOL = /^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;
const NOT_A_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const INTEGER = /^([-+]?)(?:0[bB]([01]+)|0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const SEXAGESIMAL = /^[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt \t])/;

/** Longest number; longer ones are not worth to be read. */
const MAX_NUMBER = 400;

/** A plain scalar that YAML 1.1 reads as a bool, in the words of every program: `yes` is `true`. Others stay. */
export function plainBool(plain: string): string {
  return BOOL.test(plain) ? String(TRUE.test(plain)) : plain;
}

/** Whether a text has to be quoted to be a text for every reader of YAML 1.1, also for those that go further than go-yaml. */
export function needsQuotes(text: string): boolean {
  if (BOOL.test(text) || DATE.test(text)) return true;
  // What may be a number begins like one; go-yaml drops all underscores in it before it looks.
  if (!/^[-+.0-9]/.test(text)) return false;
  const bare = text.replaceAll("_", "");
  return INTEGER.test(bare) || FLOAT.test(bare) || NOT_A_NUMBER.test(bare) || SEXAGESIMAL.test(bare);
}

/**
 * The value of a scalar.
 *
 * @throws YamlError where JSON has no such value, or the tag says something else
 */
export function scalarValue({ text, style, tag, start, from }: ScalarNode): JsonValue {
  if (tag === undefined) return style === "plain" ? plainValue(text, start) : text;
  const type = tag.startsWith(TAG) ? tag.slice(TAG.length) : undefined;
  if (type === "str") return text;
  if (type === "binary") return binaryText(text, from);
  if (type === undefined || !["bool", "int", "float", "null", "timestamp"].includes(type)) return text;
  const value = plainValue(text, start);
  const isRight =
    type === "null"
      ? value === null
      : type === "bool"
        ? typeof value === "boolean"
        : type === "timestamp"
          ? DATE.test(text)
          : isNumber(value);
  if (!isRight || (type === "int" && !INTEGER.test(text.replaceAll("_", "")))) {
    throw new YamlError(from, `a value that is no ${type}, as its tag says`);
  }
  return value;
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || JSON.isRawJSON(value);
}

function binaryText(text: string, at: number): string {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text.replace(/[\r\n]/g, "")) {
    throw new YamlError(at, "a binary value that is not base64");
  }
  return bytes.toString();
}

/** A scalar that is a key: go-yaml makes a text of any number or bool; undefined where it is null. */
export function scalarKey(node: ScalarNode): string | undefined {
  if (node.style === "plain" && node.tag === undefined && NOT_A_NUMBER.test(node.text)) {
    return node.text.toLowerCase().replace(/^\+/, "");
  }
  const value = scalarValue(node);
  if (typeof value === "string") return value;
  return value === null || JSON.isRawJSON(value) ? undefined : String(value);
}

function plainValue(text: string, at: number): JsonValue {
  if (NULL.test(text)) return null;
  if (BOOL.test(text)) return TRUE.test(text);
  if (!/^[-+.0-9]/.test(text) || text.length > MAX_NUMBER) return text;
  if (NOT_A_NUMBER.test(text)) throw new YamlError(at, `${text} is no value of JSON`);
  return numberIn(text) ?? text;
}

function numberIn(text: string): JsonValue | undefined {
  // In a number that begins with a point, each underscore has to stand between digits.
  if (text.startsWith(".") && /(?:^|[^0-9])_|_(?:[^0-9]|$)/.test(text)) return undefined;
  const bare = text.replaceAll("_", "");
  const [, sign = "", binary, hex, octal, decimal] = INTEGER.exec(bare) ?? [];
  const digits = binary ?? hex ?? octal ?? decimal;
  if (digits !== undefined) {
    const base = binary ? "0b" : hex ? "0x" : octal ? "0o" : "";
    const size = BigInt(base + digits);
    const integer = sign === "-" ? -size : size;
    if (fits(integer, sign)) return exact(integer);
    if (binary ?? hex) return undefined;
  }
  if (!FLOAT.test(bare)) return undefined;
  const float = Number(bare);
  return Number.isFinite(float) ? float : undefined;
}

/** Whether Go's ParseInt or, without a sign, ParseUint reads it, both of 64 bits. */
function fits(integer: bigint, sign: string): boolean {
  return integer >= -(2n ** 63n) && integer < (sign === "" ? 2n ** 64n : 2n ** 63n);
}

/** An integer; one that a double cannot hold keeps its digits. */
function exact(integer: bigint): JsonValue {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : (JSON.rawJSON(String(integer)) as unknown as JsonValue);
}
