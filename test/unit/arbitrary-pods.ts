/**
 * Pods and policies of every shape, for properties: plausible ones with odd parts.
 */
import fc from "fast-check";
import { LB_PROFILES } from "../../src/balancers/profiles.ts";
import type { JsonObject, JsonValue } from "../../src/pod/json.ts";
import { overrides } from "../../src/policy/overrides.ts";
import type { WrittenSpec } from "./pods.ts";

/** A key that no version of Kubernetes knows. */
export const UNKNOWN = "fieldOfTheFuture";

/** JSON of any shape, with keys that are traps in JavaScript. */
const odd: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => value as JsonValue),
  fc
    .constantFrom('{"__proto__":{"polluted":true}}', '{"constructor":1}', "[null]", "12345678901234567890")
    .map((text) => JSON.parse(text) as JsonValue),
);

const withUnknown = (object: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(object, fc.option(odd))
    .map(([value, unknown]) => (unknown === null ? value : { ...value, [UNKNOWN]: unknown }));

const seconds = fc.integer({ min: 0, max: 700 });

const preStop: fc.Arbitrary<JsonObject | undefined> = fc.oneof(
  fc.constant(undefined),
  seconds.map((value) => ({ sleep: { seconds: Math.min(value, 25) } })),
  fc
    .constantFrom(
      "sleep 20",
      "nginx -s quit; sleep 5",
      "while pgrep x; do sleep 1; done",
      "sleep $T",
      "/flush",
      "sleep 1m",
    )
    .map((script) => ({ exec: { command: ["sh", "-c", script] } })),
  fc.constant({ exec: { command: ["sleep", "7"] } }),
  fc.constant({ httpGet: { path: "/stop", port: 8080 } }),
  fc.constant({ tcpSocket: { port: 8080 } }),
  fc.constant({}),
);

const variables: fc.Arbitrary<readonly JsonObject[]> = fc.subarray<JsonObject>([
  { name: "EXIT_ON_ZERO_ACTIVE_CONNECTIONS", value: "false" },
  { name: "MINIMUM_DRAIN_DURATION", value: "12s" },
  { name: "TRUST_DOMAIN", value: "cluster.local" },
  { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
]);

const container = (name: string): fc.Arbitrary<JsonObject> =>
  withUnknown(
    fc
      .record({ stop: preStop, env: fc.option(variables), ports: fc.option(fc.constantFrom(8080, 18180, 18182)) })
      .map(({ stop, env, ports }) => ({
        name,
        image: "registry.example/shop/cart:4.2",
        ...(stop === undefined ? {} : { lifecycle: { preStop: stop } }),
        ...(env === null ? {} : { env }),
        ...(ports === null ? {} : { ports: [{ containerPort: ports }] }),
      })),
  );

const proxyArgs = fc.constantFrom<readonly string[] | undefined>(
  ["proxy", "router"],
  ["proxy", "router"],
  ["proxy", "sidecar"],
  ["proxy", "sidecar"],
  ["proxy", "waypoint"],
  ["something", "else"],
  undefined,
);

const proxy: fc.Arbitrary<JsonObject> = fc
  .tuple(container("istio-proxy"), proxyArgs, fc.constantFrom("auto", "proxyv2:1.31", "proxyv2:1.31-distroless"))
  .map(([base, args, image]) => ({ ...base, image, ...(args === undefined ? {} : { args }) }));

const configs = fc.oneof(
  fc.constantFrom(
    "",
    "null",
    "terminationDrainDuration: 33s\n",
    "terminationDrainDuration: 10s\nterminationDrainDuration: 200s\n",
    "termination_drain_duration: 150s\ndrainDuration: 10s\n",
    "terminationDrainDuration: 40\n",
    "proxyMetadata:\n  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true\n  X: 0x1F # hex\n",
    "proxyMetadata: {MINIMUM_DRAIN_DURATION: 30}\n",
    "proxyMetadata: &m\n  A: 'b'\nother: *m\n",
    "proxyStatsMatcher:\n  inclusionSuffixes: [upstream_rq_active, x]\n",
    '{"concurrency":2,"proxyMetadata":{"RETRIES":3}}',
    '{\n  "drainDuration": "60s"\n}\n',
    "- a\n- b\n",
    "a: [",
    "\tx: y",
    "x",
    "# only a comment\r\nholdApplicationUntilProxyStarts: false\r\n",
  ),
  fc.string({ maxLength: 40 }),
);

const overrideNames = [...overrides.map(({ name }) => name), "drain-timout", "status-page"];

const overrideAnnotations: fc.Arbitrary<JsonObject> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...overrideNames.filter((name) => name !== "inject")),
      fc.oneof(
        fc.constantFrom(
          "true",
          "false",
          "36s",
          "1m30s",
          "40",
          "0",
          "-5s",
          "Hold",
          "Sleep",
          "Sigterm",
          "None",
          "haproxy",
        ),
        fc.constantFrom("gateway", "sidecar", "Observe", "Enforce", "20000", "registry.example/hc:2", "250ms"),
        fc.string({ maxLength: 12 }),
      ),
    ),
    { maxLength: 3 },
  )
  .map((entries) => Object.fromEntries(entries.map(([name, value]) => [`gracegate.dev/${name}`, value])));

/** A pod. */
export const anyPod: fc.Arbitrary<JsonObject> = fc
  .record({
    proxy: fc.option(proxy),
    isNative: fc.boolean(),
    hc: fc.option(fc.constantFrom("gracegate:test", "registry.example/ops/hc:9")),
    apps: fc.integer({ min: 0, max: 2 }),
    app: container("app"),
    log: container("log"),
    config: fc.option(configs),
    overrides: overrideAnnotations,
    annotations: fc.constantFrom<JsonObject>({}, { "inject.istio.io/templates": "gateway" }, { "a~b/c~1d": "x" }),
    labels: fc.constantFrom<JsonObject | null>({ app: "web" }, {}, null, { "sidecar.istio.io/inject": "true" }),
    grace: fc.option(fc.oneof(seconds, fc.constantFrom(0, -1, 30, 30, 30))),
    restartPolicy: fc.constantFrom("Always", "Never", undefined),
    hostNetwork: fc.constantFrom(true, undefined, undefined, undefined),
    resources: fc.option(fc.constantFrom({ requests: { cpu: "1", memory: "64Mi" } }, { limits: { cpu: "100m" } })),
    order: fc.boolean(),
    unknown: fc.option(odd),
  })
  .map((parts) => {
    const apps = [parts.app, parts.log].slice(0, parts.apps);
    const native = parts.isNative && parts.proxy !== null ? [{ ...parts.proxy, restartPolicy: "Always" }] : [];
    const classic = parts.proxy !== null && !parts.isNative ? [parts.proxy] : [];
    const hc = parts.hc === null ? [] : [{ name: "hc", image: parts.hc }];
    const containers = parts.order ? [...classic, ...apps, ...hc] : [...apps, ...hc, ...classic];
    const config = parts.config === null ? {} : { "proxy.istio.io/config": parts.config };
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: "web-",
        ...(parts.labels === null ? {} : { labels: parts.labels }),
        annotations: { ...parts.annotations, ...config, ...parts.overrides },
        ...(parts.unknown === null ? {} : { [UNKNOWN]: parts.unknown }),
      },
      spec: {
        containers,
        ...(native.length > 0 ? { initContainers: native } : {}),
        ...(parts.restartPolicy === undefined ? {} : { restartPolicy: parts.restartPolicy }),
        ...(parts.grace === null ? {} : { terminationGracePeriodSeconds: parts.grace }),
        ...(parts.hostNetwork === undefined ? {} : { hostNetwork: true }),
        ...(parts.resources === null ? {} : { resources: parts.resources }),
        ...(parts.unknown === null ? {} : { [UNKNOWN]: parts.unknown }),
      },
    } satisfies JsonObject;
  });

const shared = {
  requestP99: seconds,
  drainTimeout: seconds,
  terminationDrainDuration: seconds,
  minimumDrainDuration: seconds,
  exitOnZeroActiveConnections: fc.boolean(),
  holdApplicationUntilProxyStarts: fc.boolean(),
  margin: fc.integer({ min: 0, max: 60 }),
  maxGracePeriod: fc.integer({ min: 1, max: 1200 }),
};

/** A policy's spec, after normalising. */
export const anySpec: fc.Arbitrary<WrittenSpec> = fc
  .record(
    {
      mode: fc.constantFrom("Enforce", "Enforce", "Enforce", "Observe", "Disabled"),
      invalid: fc.constantFrom("Warn", "Warn", "Warn", "Deny"),
      gateway: fc.record(
        {
          ...shared,
          proxyStop: fc.constantFrom("Hold", "Hold", "Sleep", "Sigterm", "None"),
          loadBalancer: fc.record(
            {
              profile: fc.constantFrom(...LB_PROFILES),
              checkInterval: fc.integer({ min: 1, max: 60 }),
              checkFall: fc.integer({ min: 1, max: 10 }),
              buffer: fc.integer({ min: 0, max: 60 }),
            },
            { requiredKeys: [] },
          ),
          hc: fc.record(
            {
              enabled: fc.boolean(),
              image: fc.constant("mirror.example/gracegate:2"),
              port: fc.constantFrom(19000, 8080),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
      sidecar: fc.record(
        {
          ...shared,
          proxyStop: fc.constantFrom("Sigterm", "Sleep", "None"),
          applicationPreStopSleep: fc.integer({ min: 0, max: 20 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  .map((spec) => spec as WrittenSpec);
