/**
 * What holds for every pod and every policy, not only for the ones that somebody thought of.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { admit } from "../../src/admission/admit.ts";
import { applyPatch, makePatch } from "../../src/mutate/patch.ts";
import { isObject, type JsonObject, objectAt, objectsAt, textAt, valueAt } from "../../src/pod/json.ts";
import { podProblems } from "../../src/pod/pod-rules.ts";
import { overrides } from "../../src/policy/overrides.ts";
import { overridesOf } from "../../src/policy/pod-overrides.ts";
import { anyPod, anySpec, UNKNOWN } from "./arbitrary-pods.ts";
import { optionsFor, requestOf, run, type WrittenSpec } from "./pods.ts";

const RUNS = { numRuns: Number(process.env.GRACEGATE_RUNS ?? 1000) };

function holds(property: (pod: JsonObject, spec: WrittenSpec) => void): void {
  fc.assert(fc.property(anyPod, anySpec, property), RUNS);
}

describe("for every pod and policy", () => {
  it("the patch, applied to the original, gives the result", () => {
    holds((pod, spec) => {
      const before = structuredClone(pod);
      const { pod: result } = run(pod, spec);
      assert.deepEqual(applyPatch(pod, makePatch(pod, result)), result);
      assert.deepEqual(pod, before, "the original was changed");
    });
  });

  it("a second run over the result changes nothing", () => {
    holds((pod, spec) => {
      const { pod: first } = run(pod, spec);
      // What the API server stores is JSON.
      const stored = JSON.parse(JSON.stringify(first)) as JsonObject;
      assert.deepEqual(makePatch(stored, run(stored, spec).pod), []);
    });
  });

  it("a field that nobody knows stays as it is", () => {
    holds((pod, spec) => {
      const { pod: result } = run(pod, spec);
      for (const part of ["metadata", "spec"]) {
        assert.deepEqual(valueAt(objectAt(result, part), UNKNOWN), valueAt(objectAt(pod, part), UNKNOWN));
      }
      for (const list of ["containers", "initContainers"]) {
        for (const container of objectsAt(objectAt(pod, "spec"), list)) {
          if (container.name === "hc") continue;
          const after = objectsAt(objectAt(result, "spec"), list).find(({ name }) => name === container.name);
          assert.ok(isObject(after), `${String(container.name)} is gone`);
          assert.deepEqual(after[UNKNOWN], container[UNKNOWN]);
          assert.equal(after.image, container.image);
        }
      }
    });
  });

  it("the API server takes the result if it took the pod", () => {
    holds((pod, spec) => {
      const known = podProblems(pod);
      const problems = podProblems(run(pod, spec).pod).filter((problem) => !known.includes(problem));
      assert.deepEqual(problems, []);
    });
  });

  it("the grace period is never lowered", () => {
    holds((pod, spec) => {
      const grace = (of: JsonObject) => Number(valueAt(objectAt(of, "spec"), "terminationGracePeriodSeconds") ?? 30);
      assert.ok(grace(run(pod, spec).pod) >= grace(pod));
    });
  });

  it("a stub is given annotations only", () => {
    holds((pod, spec) => {
      const { pod: result, facts } = run(pod, spec);
      if (!facts.isRendered) assert.deepEqual(result.spec, pod.spec);
    });
  });

  it("the budget's rules hold, or a notice says which does not", () => {
    holds((pod, spec) => {
      const outcome = run(pod, spec);
      if (outcome.plan === undefined) return;
      const { budget, role, proxyStop } = outcome.plan.context;
      const [gracePeriod, hook, drainTimeout] = [
        budget.gracePeriod.value,
        budget.hook.value,
        budget.drainTimeout.value,
      ];
      const [minimum, drain] = [budget.minimumDrainDuration.value, budget.terminationDrainDuration.value];
      const rules = [
        gracePeriod > drain,
        gracePeriod > drainTimeout + budget.lbBuffer.value,
        gracePeriod >= hook + minimum + 1000,
        hook + drain >= budget.appStop + drainTimeout,
        proxyStop.kind !== "Hold" || gracePeriod - hook >= minimum + 3000,
        role.kind !== "gateway" || drainTimeout >= role.detection,
        gracePeriod >= outcome.facts.gracePeriod,
        proxyStop.kind !== "Sleep" || hook <= gracePeriod,
      ];
      const told = outcome.notices.some(({ code }) => code === "GG301" || code === "GG302");
      assert.ok(rules.every((rule) => rule) || told, JSON.stringify({ rules, budget }));
    });
  });

  it("no warning has a control character, and none is longer than the API server passes on", () => {
    holds((pod, spec) => {
      for (const { text } of run(pod, spec).notices) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
        assert.doesNotMatch(text, /[\u0000-\u001f\u007f]/);
        assert.ok(text.isWellFormed());
        assert.ok(text.length < 1000, text);
      }
    });
  });

  it("an answer always comes, whatever the object is", () => {
    const anything = fc.oneof(anyPod, fc.jsonValue({ maxDepth: 4 }).filter(isObject), withOddParts());
    fc.assert(
      fc.property(anything, anySpec, (object, spec) => {
        const { response, outcome, error } = admit(requestOf(object as JsonObject), optionsFor(spec));
        assert.equal(textAt(objectAt(response, "response"), "uid"), "u-1");
        assert.notEqual(outcome, "error", String(error));
      }),
      RUNS,
    );
  });
});

/** Pods in which one part has a type that it must not have. */
function withOddParts(): fc.Arbitrary<JsonObject> {
  const paths = [
    "metadata",
    "spec",
    "metadata.annotations",
    "metadata.labels",
    "spec.containers",
    "spec.initContainers",
  ];
  return fc.tuple(anyPod, fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 })).map(([pod, path, value]) => {
    const [first = "", second] = path.split(".");
    if (second === undefined) return { ...pod, [first]: value } as JsonObject;
    return { ...pod, [first]: { ...objectAt(pod, first), [second]: value } } as JsonObject;
  });
}

describe("for every override", () => {
  it("any text yields a value or a warning, never both and never neither", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...overrides),
        fc.constantFrom("gateway" as const, "sidecar" as const),
        fc.oneof(fc.string(), fc.constantFrom("1h", "true", "Hold", "7")),
        (override, role, value) => {
          const { delegation } = optionsFor().snapshot;
          const parsed = overridesOf({ [`gracegate.dev/${override.name}`]: value }, role, delegation);
          const warnings = parsed.bad.length + parsed.notices.length;
          const values = parsed.layers.length + (parsed.gracePeriodWish === undefined ? 0 : 1);
          assert.equal(warnings + values, 1);
        },
      ),
      RUNS,
    );
  });
});
