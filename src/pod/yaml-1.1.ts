/**
 * Which plain scalars YAML 1.1 does not read as texts.
 *
 * Istio reads proxy.istio.io/config with go-yaml v2 (YAML 1.1) and refuses a bool or a number where it wants a text.
 * The lists follow go-yaml's resolver and the YAML 1.1 types; what either of them takes for a bool, a number or a date
 * is quoted. Quoting a text that did not need it is harmless, the other way round costs a pod.
 */

const BOOL = /^(?:y|Y|n|N|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?$/;
const NOT_A_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt \t])/;

/** Whether a plain scalar has to be quoted to be a text in YAML 1.1. */
export function needsQuotes(plain: string): boolean {
  return (
    BOOL.test(plain) ||
    INTEGER.test(plain) ||
    FLOAT.test(plain) ||
    NOT_A_NUMBER.test(plain) ||
    SEXAGESIMAL.test(plain) ||
    DATE.test(plain)
  );
}
