/**
 * The gracegate.dev annotations: each is a name, the path of the setting that it overrides, and the roles that have it. Type,
 * range and sentence are the schema's at that path.
 */
import { schemaAt } from "./normalise.ts";
import { type ReadText, readText, typeInWords } from "./override-value.ts";
import { type GatewaySpec, type PolicySpec, policySpec, type SidecarSpec } from "./schema.ts";
import { choice, duration, flag, type Schema } from "./schema-builder.ts";
import { specWith } from "./setting-path.ts";

/** A role that overrides apply to. */
export type OverrideRole = "gateway" | "sidecar";

/** What an override says, or why its text cannot be used. */
type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly spec: PolicySpec }
  | Extract<ReadText, { ok: false }>;

/** One override. */
export interface Override {
  /** The name after `gracegate.dev/`. */
  readonly name: string;
  readonly roles: readonly OverrideRole[];
  /** The setting that it overrides, below the role's part of a policy; empty where there is none. */
  readonly setting: string;
  /** For people: `duration`, `true or false`, `Hold, Sleep, …`. */
  readonly type: string;
  readonly doc: string;
  parse(text: string, role: OverrideRole): Parsed;
}

/** Settings of a section, and of the objects in it, by their paths. */
type PathIn<Section> = {
  [Name in keyof Section & string]:
    | Name
    | (NonNullable<Section[Name]> extends readonly unknown[] | string | number | boolean
        ? never
        : `${Name}.${keyof NonNullable<Section[Name]> & string}`);
}[keyof Section & string];

type PathOf<Role extends OverrideRole> = "mode" | (Role extends "gateway" ? PathIn<GatewaySpec> : PathIn<SidecarSpec>);

type SharedPath = PathOf<"gateway"> & PathOf<"sidecar">;

const GATEWAY = ["gateway"] as const;
const SIDECAR = ["sidecar"] as const;
const BOTH = ["gateway", "sidecar"] as const;

/** All overrides, in the order of the documentation. */
export const overrides: readonly Override[] = [
  own("role", choice("What the pod is: gateway, sidecar, or none to leave it alone.", ["gateway", "sidecar", "none"])),
  own("inject", flag("false leaves the pod alone; as a label, true opts a pod in where its namespace is not.")),
  ofBoth("mode", "mode"),
  ofBoth("request-p99", "requestP99"),
  ofBoth("drain-timeout", "drainTimeout"),
  ofGateway("lb-profile", "loadBalancer.profile"),
  ofGateway("lb-check-interval", "loadBalancer.checkInterval"),
  ofGateway("lb-check-fall", "loadBalancer.checkFall"),
  ofGateway("lb-buffer", "loadBalancer.buffer"),
  ofBoth("termination-drain-duration", "terminationDrainDuration"),
  ofBoth("minimum-drain-duration", "minimumDrainDuration"),
  ofBoth("exit-on-zero", "exitOnZeroActiveConnections"),
  ofBoth("hold-application", "holdApplicationUntilProxyStarts"),
  ofBoth("proxy-stop", "proxyStop"),
  ofGateway("retire-connections", "retireConnections"),
  ofBoth("margin", "margin"),
  own("grace-period", duration("A wish for terminationGracePeriodSeconds; raised when the budget needs more.")),
  ofSidecar("application-pre-stop-sleep", "applicationPreStopSleep"),
  ofGateway("hc", "hc.enabled"),
  ofGateway("hc-image", "hc.image"),
  ofGateway("hc-port", "hc.port"),
];

function ofBoth(name: string, setting: SharedPath): Override {
  return override(name, BOTH, setting);
}

function ofGateway(name: string, setting: PathOf<"gateway">): Override {
  return override(name, GATEWAY, setting);
}

function ofSidecar(name: string, setting: PathOf<"sidecar">): Override {
  return override(name, SIDECAR, setting);
}

/** One that says something of the pod and overrides no setting. */
function own(name: string, schema: Schema<unknown>): Override {
  return entry(
    name,
    BOTH,
    "",
    () => schema,
    () => ({}),
  );
}

function override(name: string, roles: readonly OverrideRole[], setting: string): Override {
  const schemaOf = (role: OverrideRole) => {
    const schema = schemaAt(policySpec, specPath(setting, role));
    if (schema === undefined) throw new Error(`${name} overrides ${setting}, which is no setting of a ${role}`);
    return schema;
  };
  return entry(name, roles, setting, schemaOf, (value, role) => specWith(specPath(setting, role), value));
}

function entry(
  name: string,
  roles: readonly OverrideRole[],
  setting: string,
  schemaOf: (role: OverrideRole) => Schema<unknown>,
  toSpec: (value: unknown, role: OverrideRole) => PolicySpec,
): Override {
  const schemas = roles.map(schemaOf);
  return {
    name,
    roles,
    setting,
    type: [...new Set(schemas.map(typeInWords))].join("; for a sidecar "),
    doc: schemas[0]?.json.description ?? "",
    parse(text, role) {
      const read = readText(schemaOf(role), text.trim());
      return read.ok ? { ...read, spec: toSpec(read.value, role) } : read;
    },
  };
}

/** The path of a setting in a whole spec: below the role's part, unless it is both roles' own. */
export function specPath(setting: string, role: OverrideRole): string {
  return Object.hasOwn(policySpec.fields ?? {}, setting) ? setting : `${role}.${setting}`;
}
