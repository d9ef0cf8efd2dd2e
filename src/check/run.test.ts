import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseManifest } from "../manifests/document.ts";
import { chunksOf } from "../manifests/stream.ts";
import { snapshotOf } from "../policy/snapshot.ts";
import { plain } from "../report/paint.ts";
import { application, documents, gateway, HC_SERVICE, RENDERED } from "./example-manifests.ts";
import { ignoresIn } from "./ignores.ts";
import { inventoryOf } from "./inventory.ts";
import { checkData, checkText, countText } from "./present.ts";
import { webhookOrder } from "./rules/webhook-order.ts";
import { rules } from "./rules.ts";
import { type PlacedFinding, runRules } from "./run.ts";

function run(text: string): readonly PlacedFinding[] {
  const sources = [...chunksOf(text)].flatMap((chunk) => {
    const manifest = parseManifest(chunk);
    return manifest.ok ? [{ file: "a.yaml", manifest }] : [];
  });
  const inventory = inventoryOf(sources, {
    snapshot: snapshotOf([], "gracegate"),
    hcImage: "gracegate:1",
    gatewayTemplates: ["gateway"],
    namespace: "default",
    role: undefined,
  });
  return runRules(inventory, rules);
}

const SLOW = gateway({ workload: ["replicas: 2"] });

describe("ignoring a rule", () => {
  it("silences it for the document that has the comment, and for no other", () => {
    const ignored = `# gracegate-ignore: min-ready-seconds the balancer comes back at once\n${SLOW}`;
    assert.deepEqual(run(ignored), []);
    assert.deepEqual(
      run(documents(ignored, SLOW.replace("name: edge,", "name: edge2,"))).map(({ object }) => object),
      ["Deployment edge/edge2"],
    );
  });

  it("needs a reason, or it does not count and is itself a finding", () => {
    assert.deepEqual(
      run(`# gracegate-ignore: min-ready-seconds\n${SLOW}`).map(({ rule, line }) => `${rule}:${line}`),
      ["ignore-comment:1", "min-ready-seconds:5"],
    );
  });

  it("finds names that are no rule", () => {
    const [result] = run(`# gracegate-ignore: min-redy-seconds because\n${application()}`);
    assert.match(result?.message ?? "", /ignores min-redy-seconds, which is no rule/);
  });

  it("takes several rules, dashes before the reason, and Windows line ends", () => {
    assert.deepEqual(ignoresIn("a: 1\r\n  # gracegate-ignore: a-b, c — not here\r\n"), [
      { rules: ["a-b", "c"], reason: "not here", line: 1 },
    ]);
    assert.deepEqual(ignoresIn("# nothing"), []);
  });

  it("silences the pipeline's codes too", () => {
    const bad = application({ annotations: ["gracegate.dev/drain-timeout: soon"] });
    assert.deepEqual(
      run(bad).map(({ rule, doc }) => [rule, doc]),
      [["GG101", "docs/codes.md#gg101"]],
    );
    assert.deepEqual(run(`# gracegate-ignore: GG101 a demonstration\n${bad}`), []);
  });
});

describe("findings", () => {
  it("of the pipeline stand at the annotation, and cluster-scoped objects have no namespace", () => {
    const bad = application({
      annotations: ["proxy.istio.io/config: |", "  terminationDrainDuration: 1s", "  drainDuration: 50s"],
    });
    const [result] = run(bad).filter(({ rule }) => rule === "GG205");
    assert.equal(result?.line, bad.split("\n").findIndex((line) => line.includes("proxy.istio.io/config")) + 1);
    const webhook = webhookOrder.examples.bad[0] ?? "";
    assert.match(run(webhook)[0]?.object ?? "", /^MutatingWebhookConfiguration [^/]+$/);
  });

  it("tell of hc's image as inject writes it where nobody names one", () => {
    const hc = "        - name: hc\n          image: gracegate:1\n";
    const found = run(gateway(RENDERED) + hc).filter(({ rule }) => rule.startsWith("image-"));
    assert.deepEqual(
      found.map(({ rule, severity, message }) => [rule, severity, message]),
      [["image-pull", "warning", "hc: the image gracegate:1 names no registry."]],
    );
  });

  it("stand once, in the order of lines, at the value that they are about", () => {
    const text = documents(
      SLOW,
      SLOW.replace("name: edge,", "name: edge2,"),
      HC_SERVICE.replace("  type:", "  publishNotReadyAddresses: true\n  type:"),
    );
    const found = run(text).map(({ rule, line }) => [rule, text.split("\n")[line - 1]?.trim()]);
    assert.deepEqual(found, [
      ["min-ready-seconds", "spec:"],
      ["min-ready-seconds", "spec:"],
      ["publish-not-ready", "publishNotReadyAddresses: true"],
    ]);
  });

  it("are shown in 80 columns, and as data", () => {
    const results = run(SLOW);
    const text = checkText(results, plain);
    assert.match(text, /^a\.yaml:4 {2}Deployment edge\/edge\n {2}warning min-ready-seconds \(--fix mends it\)\n/);
    assert.ok(text.split("\n").every((line) => line.length <= 80));
    const data = checkData(results);
    assert.deepEqual(data.counts, { error: 0, warning: 1, info: 0 });
    assert.equal(data.findings[0]?.fixable, true);
    assert.equal(countText(results), "1 warning");
    assert.equal(countText([]), "nothing found");
  });
});
