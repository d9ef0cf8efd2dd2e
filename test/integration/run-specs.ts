/**
 * Plans for tests: a load on ports of 127.0.0.1, over one keep-alive connection.
 */
import type { LoadScenario, RunSpec, Scenario } from "../../src/probe/run-spec.ts";
import { parseTarget, type Target } from "../../src/probe/target.ts";

/** A load and the spec around it. */
export function loadSpec(
  ports: readonly number[],
  changes: Partial<LoadScenario> = {},
): { spec: RunSpec; scenario: LoadScenario } {
  const scenario: LoadScenario = {
    name: "load",
    rate: 200,
    durationMs: 500,
    oneShot: 0.5,
    longShare: 0,
    longPath: "/",
    mostInFlight: 1000,
    ...changes,
  };
  return {
    spec: specFor(
      ports.map((port) => `http://127.0.0.1:${port}`),
      scenario,
    ),
    scenario,
  };
}

/** A spec with a short timeout and no trigger. */
export function specFor(targets: readonly string[], scenario: Scenario): RunSpec {
  return {
    scenario,
    targets: targets.map(targetOf),
    http2: false,
    client: { lanes: 1, headers: {}, backendHeader: "x-probe-target", ca: undefined, insecure: false },
    timeoutMs: 700,
    trigger: undefined,
    haproxyStats: undefined,
  };
}

/** A target that is known to parse. */
export function targetOf(word: string): Target {
  const parsed = parseTarget(word);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.target;
}
