/**
 * Which plain scalars YAML 1.1 does not read as texts.
 *
 * Istio reads proxy.istio.io/config with go-yaml v2 (YAML 1.1) and refuses a bool or a number where it wants a text.
 * The lists follow go-yaml's resolver and the YAML 1.1 types; what either of them takes for a bool, a number or a date
 * is quoted. Quoting a text that did not need it is harmless, the other way round costs a pod.
 */

const BOOL = /^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0[bB][01]+|0[oO]?[0-7]+|0[xX][0-9a-fA-F]+|[0-9]+)$/;
const FLOAT = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const NOT_A_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const SEXAGESIMAL = /^[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt \t])/;

const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;

/** A plain scalar that YAML 1.1 reads as a bool, in the words of every program: `yes` is `true`. Others stay. */
export function plainBool(plain: string): string {
  return BOOL.test(plain) ? String(TRUE.test(plain)) : plain;
}

/** Whether a plain scalar has to be quoted to be a text in YAML 1.1. */
export function needsQuotes(plain: string): boolean {
  return BOOL.test(plain) || isNumber(plain) || DATE.test(plain);
}

function isNumber(plain: string): boolean {
  // What may be a number begins like one; go-yaml drops all underscores in it before it looks.
  if (!/^[-+.0-9]/.test(plain)) return false;
  const bare = plain.replaceAll("_", "");
  return INTEGER.test(bare) || FLOAT.test(bare) || NOT_A_NUMBER.test(bare) || SEXAGESIMAL.test(bare);
}
