/**
 * The configuration of hc, read once from the environment.
 *
 * A value that cannot be read is replaced by its default and reported, and never ends hc: it is on the data path, and a
 * gateway with a wrong poll interval is better than none.
 */
import { LB_PROFILES, type LbProfileName, profiles } from "../balancers/profiles.ts";
import { detectionOf, drainAnswerOf } from "../budget/load-balancer.ts";
import { LOG_LEVELS, type LogLevel } from "../codes/log-level.ts";
import { parseMilliseconds } from "../units/duration.ts";
import { seconds } from "../units/milliseconds.ts";
import { type AnswerOverrides, type AnswersByPhase, answersOf, parseAnswers } from "./answers.ts";
import type { DrainGate } from "./in-flight.ts";
import { LOG_FORMATS, type LogFormat } from "./log.ts";
import type { Timing } from "./timing.ts";
import { type VariableName, variables } from "./variables.ts";

/** What hc was told. */
export interface Configuration {
  readonly timing: Timing;
  readonly profile: LbProfileName;
  /** Whether the load balancer has an answer that stops new work and keeps the old. */
  readonly hasDrainAnswer: boolean;
  readonly answers: AnswersByPhase;
  readonly healthPaths: readonly string[];
  readonly healthPort: number;
  readonly controlPort: number;
  readonly metricsPort: number;
  /** What the kubelet's hook carries; empty: nothing. */
  readonly hookToken: string;
  readonly adminPort: number;
  readonly agentPort: number;
  readonly readyPort: number;
  readonly retires: boolean;
  readonly gate: DrainGate;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly terminationMessage: string;
}

/** Paths of the health port that have another meaning. */
const TAKEN = ["/health", "/live", "/drained"];

/** The path of HAProxy's default check, which is always answered. */
const ALWAYS = "/";

/** Shortest poll interval, milliseconds: below it the polls would be the load. */
const SHORTEST_POLL_MS = 50;

/** Reads the environment; `problems` are sentences for the log. */
export function configurationOf(env: NodeJS.ProcessEnv): {
  readonly configuration: Configuration;
  readonly problems: readonly string[];
} {
  const read = new Reader(env);
  const profileName = read.choice("LB_PROFILE", LB_PROFILES);
  const profile = profiles[profileName];
  const overrides = read.answers("LB_ANSWERS");
  const drainAnswer = drainAnswerOf(profile, overrides.draining);
  const detection = detectionOf(profile, drainAnswer, seconds(profile.checkInterval), profile.checkFall);
  const configuration: Configuration = {
    timing: {
      drainTimeoutMs: read.milliseconds("DRAIN_TIMEOUT"),
      lbBufferMs: read.milliseconds("LB_BUFFER"),
      gracePeriodMs: read.milliseconds("GRACE_PERIOD"),
      detectionMs: read.given("LB_DETECTION") ? read.milliseconds("LB_DETECTION", detection) : detection,
      minimumDrainMs: read.milliseconds("MINIMUM_DRAIN_DURATION"),
      pollIntervalMs: Math.max(SHORTEST_POLL_MS, read.milliseconds("POLL_INTERVAL")),
    },
    profile: profileName,
    hasDrainAnswer: drainAnswer !== undefined,
    answers: answersOf(profile, overrides),
    healthPaths: read.paths("HEALTH_PATHS"),
    healthPort: read.port("HEALTH_PORT"),
    controlPort: read.port("CONTROL_PORT"),
    metricsPort: read.port("METRICS_PORT"),
    hookToken: read.text("HOOK_TOKEN"),
    adminPort: read.port("ENVOY_ADMIN_PORT"),
    agentPort: read.port("AGENT_STATUS_PORT"),
    readyPort: read.port("PROXY_READY_PORT"),
    retires: read.choice("RETIRE_CONNECTIONS", ["true", "false"]) === "true",
    gate: read.choice("DRAIN_GATE", ["downstream", "both"]),
    logLevel: read.choice("LOG_LEVEL", LOG_LEVELS),
    logFormat: read.choice("LOG_FORMAT", LOG_FORMATS),
    terminationMessage: read.text("TERMINATION_MESSAGE"),
  };
  return { configuration, problems: read.problems };
}

/** Reads one variable after the other and collects what is wrong. */
class Reader {
  readonly problems: string[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  given(name: VariableName): boolean {
    return this.text(name) !== "";
  }

  text(name: VariableName): string {
    return this.#env[name]?.trim() || variables[name].default;
  }

  milliseconds(name: VariableName, otherwise?: number): number {
    const text = this.text(name);
    // Half a second is written 0.5 in the runbook's scripts.
    const parsed = parseMilliseconds(/^[0-9]+\.[0-9]+$/.test(text) ? `${text}s` : text);
    if (parsed.ok) return parsed.milliseconds;
    this.#wrong(name, `is not a duration (${parsed.reason}); write 36s, 500ms or a number of seconds`);
    if (otherwise !== undefined) return otherwise;
    const fallback = parseMilliseconds(variables[name].default);
    return fallback.ok ? fallback.milliseconds : 0;
  }

  port(name: VariableName): number {
    const text = this.text(name);
    const port = Number(text);
    if (/^[0-9]{1,5}$/.test(text) && port > 0 && port < 65_536) return port;
    this.#wrong(name, "is not a port; write a number from 1 to 65535");
    return Number(variables[name].default);
  }

  choice<Choice extends string>(name: VariableName, choices: readonly Choice[]): Choice {
    const text = this.text(name);
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    this.#wrong(name, `is not one of ${choices.join(", ")}`);
    return choices.find((choice) => choice === variables[name].default) as Choice;
  }

  paths(name: VariableName): readonly string[] {
    const wanted = this.text(name)
      .split(",")
      .map((path) => path.trim())
      .filter((path) => path !== "");
    const fit = wanted.filter((path) => /^\/[^\s?#]*$/.test(path) && !TAKEN.includes(path));
    if (fit.length < wanted.length) this.#wrong(name, `has paths that cannot be used; ${TAKEN.join(", ")} are taken`);
    return [...new Set([...(fit.length === 0 ? [variables.HEALTH_PATHS.default] : fit), ALWAYS])];
  }

  answers(name: VariableName): AnswerOverrides {
    const parsed = parseAnswers(this.text(name));
    if (parsed !== undefined) return parsed;
    this.#wrong(name, 'is not a JSON object like {"draining": {"status": 404, "body": "DRAINING"}}');
    return {};
  }

  #wrong(name: VariableName, what: string): void {
    const used = variables[name].default;
    this.problems.push(
      `${name}: ${JSON.stringify(this.text(name))} ${what}. Using ${used === "" ? "the profile's" : used}.`,
    );
  }
}
