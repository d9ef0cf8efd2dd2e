/**
 * Mutation 1: the annotation proxy.istio.io/config.
 *
 * Istio reads it when it injects: fields become the proxy's configuration, keys under proxyMetadata its environment. The
 * user's keys stay unless an override says otherwise, and so do comments, order and style. It does not apply where the
 * annotation is not a YAML mapping, since Istio refuses that pod itself and says why. `hold` is not written on pods that
 * are not restarted: a Job whose proxy gave up waiting would hang for ever.
 */
import { type Notice, notice } from "../codes/registry.ts";
import { PROXY_CONFIG, STATS_INCLUSION_SUFFIXES } from "../pod/annotations.ts";
import { type JsonValue, textAt } from "../pod/json.ts";
import type { ConfigEdit, ConfigPath } from "../pod/proxy-config.ts";
import { editProxyConfig, type ProxyConfig } from "../pod/proxy-config.ts";
import { metadataName } from "../pod/proxy-values.ts";
import { isOurs } from "../pod/status.ts";
import { level } from "../policy/layers.ts";
import { formatDuration, inSeconds } from "../units/milliseconds.ts";
import { type Context, type Mutation, unchanged } from "./context.ts";
import { withAnnotation } from "./edit.ts";
import { wantedVariables } from "./proxy-variables.ts";
import { settingOf, type Why, type Whys } from "./why.ts";

/** Stats that hc and the proxy's agent count with; default Istio hides them. */
export const NEEDED_SUFFIXES: readonly string[] = [
  "downstream_rq_active",
  "downstream_rq_total",
  "upstream_rq_active",
  "downstream_cx_active",
];

/** Mutation 1. */
export const proxyConfig: Mutation = {
  name: "proxy-config",
  apply(pod, context) {
    const { config } = context;
    if (config === undefined) return unchanged(pod);
    const editor = new Editor(config, context);
    const keys = wantedKeys(context);
    for (const key of keys) editor.key(key);
    if (context.role.kind === "gateway") {
      for (const [list, entries] of statsLists(context.role.settings.statsMatcher)) editor.list(list, entries);
    }
    const names = config.unquoted;
    const whys = (): Whys => [
      ...keys.flatMap(({ path, why }) => (why === undefined ? [] : [[`config/${path.at(-1)}`, why] as const])),
      ["config/proxyStatsMatcher", { tag: "stats" }],
    ];
    const notices = [...(names.length > 0 ? [notice("GG202", { names })] : []), ...keptKeys(context)];
    if (editor.edits.length === 0 && names.length === 0) return { pod, wrote: editor.wrote, whys, notices };
    const text = editProxyConfig(config, editor.edits);
    if (text === undefined) return { pod, wrote: {}, notices: [notice("GG208", {})] };
    return { pod: withAnnotation(pod, PROXY_CONFIG, text), wrote: editor.wrote, whys, notices };
  },
};

interface WantedKey {
  readonly path: ConfigPath;
  /** Undefined: the key is not wanted, and one of ours goes. */
  readonly value: string | boolean | undefined;
  /** An override says it. */
  readonly overrides: boolean;
  readonly why: Why | undefined;
}

function wantedKeys(context: Context): readonly WantedKey[] {
  const { budget, facts, role, users } = context;
  const { hold, terminationDrainDuration } = role.settings;
  const { drainDuration } = budget;
  return [
    {
      path: ["terminationDrainDuration"],
      value: formatDuration(budget.terminationDrainDuration.value),
      overrides: terminationDrainDuration?.level === level.override,
      why: budget.terminationDrainDuration.because,
    },
    {
      path: ["holdApplicationUntilProxyStarts"],
      value: facts.restartsAlways ? hold.value || (hold.level > level.builtIn ? false : undefined) : undefined,
      overrides: hold.level === level.override,
      why: { tag: "application after proxy", setting: settingOf("holdApplicationUntilProxyStarts", hold) },
    },
    ...wantedVariables(context).map(([name, wanted]): WantedKey => {
      const overrides = wanted?.overrides ?? false;
      // The annotation cannot change a variable of the user that stands on the container.
      const value = users.variables.includes(name) && !overrides ? undefined : wanted?.text;
      return { path: ["proxyMetadata", name], value, overrides, why: wanted?.why };
    }),
    {
      path: ["drainDuration"],
      value: drainDuration && formatDuration(drainDuration.value),
      overrides: false,
      why: drainDuration?.because,
    },
  ];
}

function statsLists(matcher: {
  readonly [list: string]: readonly string[] | undefined;
}): readonly [string, readonly string[]][] {
  return [
    ["inclusionPrefixes", matcher.inclusionPrefixes ?? []],
    ["inclusionSuffixes", [...new Set([...(matcher.inclusionSuffixes ?? []), ...NEEDED_SUFFIXES])]],
    ["inclusionRegexps", matcher.inclusionRegexps ?? []],
  ];
}

/** Warnings about keys of the user that stay and are too small. */
function keptKeys({ users, budget, facts, role }: Context): readonly Notice[] {
  const notices: Notice[] = [];
  const own = users.terminationDrainDuration;
  if (
    own !== undefined &&
    own < budget.terminationDrainDuration.value &&
    role.settings.terminationDrainDuration?.level !== level.override
  ) {
    notices.push(notice("GG205", { value: inSeconds(own), needs: inSeconds(budget.terminationDrainDuration.value) }));
  }
  const accepts = budget.drainDuration?.value;
  if (users.drainDuration !== undefined && accepts !== undefined && users.drainDuration < accepts) {
    notices.push(notice("GG207", { value: inSeconds(users.drainDuration), needs: inSeconds(accepts) }));
  }
  if (role.kind === "gateway" && textAt(facts.annotations, STATS_INCLUSION_SUFFIXES) !== undefined) {
    notices.push(notice("GG206", {}));
  }
  return notices;
}

/** Collects the edits of the annotation, and notes what came from here. */
class Editor {
  readonly edits: ConfigEdit[] = [];
  readonly wrote: Record<string, JsonValue> = {};
  readonly #config: ProxyConfig;
  readonly #status: Context["facts"]["status"];
  readonly #isNative: boolean;

  constructor(config: ProxyConfig, { facts }: Context) {
    this.#config = config;
    this.#status = facts.status;
    this.#isNative = facts.isRendered && facts.proxy?.native === true;
  }

  key({ path, value, overrides }: WantedKey): void {
    const name = path[0] === "proxyMetadata" ? metadataName(path[1] ?? "") : `config/${path.join(".")}`;
    const current = this.#config.get(path);
    const ours = isOurs(this.#status, name, current);
    const text = value === undefined ? undefined : String(value);
    if (current !== undefined && !ours && !overrides) return;
    // Istio rendered a native sidecar from what the first call wrote; the proxy itself uses none of it.
    if (this.#isNative && ours && current !== undefined) {
      this.wrote[name] = current as JsonValue;
      return;
    }
    if (text === undefined || value === undefined) {
      if (ours) this.edits.push({ path, value: undefined });
      return;
    }
    if (current === text && !ours) return;
    if (current !== text) this.edits.push({ path, value });
    this.wrote[name] = text;
  }

  /** Unites the entries of a list with those that are needed. */
  list(name: string, needed: readonly string[]): void {
    const path: ConfigPath = ["proxyStatsMatcher", name];
    const noted = `config/proxyStatsMatcher.${name}`;
    const value = this.#config.get(path);
    const current = Array.isArray(value) ? (value as readonly string[]) : [];
    const earlier = this.#status.wrote[noted];
    const ours = new Set<unknown>(Array.isArray(earlier) ? earlier : []);
    const users = current.filter((entry) => !ours.has(entry));
    const theirs = new Set(users);
    const added = needed.filter((entry) => !theirs.has(entry));
    const wanted = [...users, ...added];
    if (wanted.length !== current.length || wanted.some((entry, index) => entry !== current[index])) {
      this.edits.push({ path, value: wanted.length === 0 ? undefined : wanted });
    }
    if (added.length > 0) this.wrote[noted] = added;
  }
}
