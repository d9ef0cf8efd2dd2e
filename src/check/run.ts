/**
 * Runs the rules over the objects, and takes away what comments ignore.
 */
import type { CodeName, Severity } from "../codes/registry.ts";
import type { Manifest } from "../manifests/document.ts";
import type { Path } from "../manifests/workload.ts";
import { PROXY_CONFIG } from "../pod/annotations.ts";
import type { JsonObject } from "../pod/json.ts";
import { type Ignore, ignoresIn } from "./ignores.ts";
import { type Inventory, type Item, lineOfItem, titleOfItem, type Workload } from "./inventory.ts";
import type { Rule } from "./rule.ts";

/** A finding as it is shown. */
export interface PlacedFinding {
  readonly file: string;
  readonly line: number;
  /** `Deployment shop/web`. */
  readonly object: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  /** Page and anchor. */
  readonly doc: string;
  /** Undefined where the repair is not safe, or there is none. */
  readonly repair: { readonly item: Item; readonly change: (object: JsonObject) => JsonObject } | undefined;
}

/** Codes of the pipeline that a rule tells better. */
const TOLD: readonly CodeName[] = ["GG202", "GG203", "GG204", "GG211"];

/** Runs all rules. */
export function runRules(inventory: Inventory, rules: readonly Rule[]): readonly PlacedFinding[] {
  const known = new Set(rules.map(({ id }) => id));
  const ignores = new Map<Manifest, readonly Ignore[]>();
  for (const { manifest } of inventory.items) {
    if (!ignores.has(manifest)) ignores.set(manifest, ignoresIn(manifest.chunk.text));
  }
  const isIgnored = ({ manifest }: Item, rule: string) =>
    ignores.get(manifest)?.some((ignore) => ignore.reason !== "" && ignore.rules.includes(rule)) === true;
  const found: Raw[] = [];
  for (const rule of rules) {
    for (const { item, at, message, repair } of rule.check(inventory)) {
      if (isIgnored(item, rule.id)) continue;
      found.push({
        item,
        at,
        rule: rule.id,
        severity: rule.severity,
        message,
        fix: rule.fix,
        doc: `docs/check.md#${rule.id}`,
        repair: repair && { item, change: repair },
      });
    }
  }
  for (const workload of inventory.workloads) {
    for (const notice of workload.outcome?.notices ?? []) {
      if (notice.severity === "info" || TOLD.includes(notice.code) || isIgnored(workload, notice.code)) continue;
      const doc = `docs/codes.md#${notice.code.toLowerCase()}`;
      const { code: rule, severity, text: message } = notice;
      found.push({
        item: workload,
        at: placeOf(workload, notice.code),
        rule,
        severity,
        message,
        fix: `see ${doc}`,
        doc,
        repair: undefined,
      });
    }
  }
  return unique([...placed(found), ...badIgnores(inventory, ignores, known)]).toSorted(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line,
  );
}

/** Codes of the first two hundreds are about annotations: overrides, then Istio's. */
function placeOf({ podAt }: Workload, code: CodeName): Path {
  const annotations = [...podAt, "metadata", "annotations"];
  if (code.startsWith("GG2")) return [...annotations, PROXY_CONFIG];
  return code.startsWith("GG1") ? annotations : [];
}

/** A finding before its line is looked up. */
type Raw = Omit<PlacedFinding, "file" | "line" | "object"> & { readonly item: Item; readonly at: Path };

/** Looks the lines up, document by document: each is parsed once for all of its findings. */
function placed(found: readonly Raw[]): readonly PlacedFinding[] {
  return [...Map.groupBy(found, ({ item }) => item.manifest).values()].flatMap((own) =>
    own.map(({ item, at, ...result }) => ({ ...shown(item, lineOfItem(item, at)), ...result })),
  );
}

/** Several workloads may lead a rule to the same place. */
function unique(results: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const key = ({ file, line, rule, message }: PlacedFinding) => [file, line, rule, message].join("\n");
  return [...new Map(results.map((result) => [key(result), result])).values()];
}

function shown(item: Item, line: number) {
  return { file: item.file, line, object: titleOfItem(item) };
}

function badIgnores(
  inventory: Inventory,
  ignores: ReadonlyMap<Manifest, readonly Ignore[]>,
  known: ReadonlySet<string>,
): readonly PlacedFinding[] {
  const seen = new Set<Manifest>();
  return inventory.items.flatMap((item) => {
    if (seen.has(item.manifest)) return [];
    seen.add(item.manifest);
    return (ignores.get(item.manifest) ?? []).flatMap((ignore) => {
      const unknown = ignore.rules.filter((rule) => !known.has(rule) && !/^GG[0-9]+$/.test(rule));
      const message =
        unknown.length > 0
          ? `the comment ignores ${unknown.join(", ")}, which is no rule.`
          : ignore.reason === ""
            ? `the comment that ignores ${ignore.rules.join(", ")} gives no reason, so it does not count.`
            : undefined;
      if (message === undefined) return [];
      return [
        {
          ...shown(item, item.manifest.chunk.line + ignore.line),
          rule: "ignore-comment",
          severity: "warning" as const,
          message,
          fix: "write # gracegate-ignore: RULE and why it does not hold here",
          doc: "docs/check.md#ignoring-a-rule",
          repair: undefined,
        },
      ];
    });
  });
}
