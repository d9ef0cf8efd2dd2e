/**
 * How long a preStop hook takes, as far as a manifest tells.
 *
 * Readable are the native `sleep` action, an exec of `sleep`, and a shell script whose commands are joined by `;`, `&&`
 * or newlines: the sum of its literal sleeps. A sleep in a loop, in a condition, in the background or of a variable
 * cannot be read, and is not guessed.
 */
import type { Seconds } from "../units/duration.ts";
import { isObject, type JsonObject, type JsonValue, textsAt, valueAt } from "./json.ts";

/** A preStop hook: its handler, and its length if that can be read. */
export interface PreStop {
  readonly handler: "exec" | "httpGet" | "tcpSocket" | "sleep" | "unknown";
  /** Undefined where the length cannot be read. */
  readonly seconds: Seconds | undefined;
  /** The hook as it stands in the pod. */
  readonly hook: JsonObject;
}

/** Reads the preStop hook of a container; undefined if it has none. */
export function preStopOf(container: JsonObject): PreStop | undefined {
  const hook = valueAt(valueAt(container, "lifecycle"), "preStop");
  if (!isObject(hook) || Object.keys(hook).length === 0) return undefined;
  if (isObject(hook.sleep)) return { handler: "sleep", seconds: wholeSeconds(hook.sleep.seconds), hook };
  if (isObject(hook.exec)) return { handler: "exec", seconds: secondsOfCommand(textsAt(hook.exec, "command")), hook };
  if (isObject(hook.httpGet)) return { handler: "httpGet", seconds: undefined, hook };
  if (isObject(hook.tcpSocket)) return { handler: "tcpSocket", seconds: undefined, hook };
  return { handler: "unknown", seconds: undefined, hook };
}

function wholeSeconds(value: JsonValue | undefined): Seconds | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

const SHELL = /^(?:.*\/)?(?:sh|bash|dash|ash|zsh|busybox)$/;
const SLEEP = /^(?:.*\/)?sleep$/;

/**
 * Seconds that a command sleeps.
 *
 * @param command the exec hook's command, as the kubelet runs it: program and arguments
 * @returns undefined where the time cannot be read
 */
export function secondsOfCommand(command: readonly string[]): Seconds | undefined {
  const [program, ...rest] = command;
  if (program === undefined) return undefined;
  if (SLEEP.test(program)) return sumOfSleeps([rest]);
  if (!SHELL.test(program)) return undefined;
  const args = program.endsWith("busybox") && SHELL.test(rest[0] ?? "") ? rest.slice(1) : rest;
  const flag = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const script = flag === -1 ? undefined : args[flag + 1];
  return script === undefined ? undefined : secondsOfScript(script);
}

/** First words of a command that make the flow of a script more than one command after the other. */
const CONTROL = /^(?:while|until|for|if|case|select|function|do|then|else|elif|\{|\(|!|\[|\[\[|test)$/;

/** Longest script that is read, characters, and the most commands in it: a hook that a person wrote has a tenth of both. */
const LONGEST_SCRIPT = 4096;
const MOST_COMMANDS = 100;

function secondsOfScript(script: string): Seconds | undefined {
  if (script.length > LONGEST_SCRIPT || !script.includes("sleep")) return undefined;
  const plain = script.replace(/\\\n/g, " ").replace(/(^|[\s;])#[^\n]*/g, "$1");
  const mentions = plain.match(/\bsleep\b/g)?.length ?? 0;
  if (mentions === 0) return undefined;
  // A disjunction, a background job, a subshell or a function decide at run time whether and how long it sleeps.
  if (/\|\||[^&>]&(?!&)|[`()]|\$\(/.test(plain)) return undefined;
  const parts = plain.split(/;|&&|\n/, MOST_COMMANDS + 1);
  if (parts.length > MOST_COMMANDS) return undefined;
  const commands = parts.map((part) => part.trim().split(/\s+/)).filter((words) => words[0] !== "");
  if (commands.some((words) => CONTROL.test(words[0] ?? ""))) return undefined;
  const sleeps = commands
    .map((words) => (words[0] === "exec" ? words.slice(1) : words))
    .filter((words) => SLEEP.test(unquoted(words[0] ?? "")));
  if (sleeps.length !== mentions) return undefined;
  return sumOfSleeps(sleeps.map((words) => words.slice(1)));
}

const UNIT: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

function sumOfSleeps(sleeps: readonly (readonly string[])[]): Seconds | undefined {
  let sum = 0;
  for (const args of sleeps) {
    // Redirections say nothing about the time.
    const times = args.map(unquoted).filter((arg) => !/^[0-9]?>/.test(arg) && arg !== "/dev/null");
    if (times.length === 0) return undefined;
    for (const time of times) {
      const match = /^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)([smhd]?)$/.exec(time);
      if (match === null) return undefined;
      sum += Number(match[1]) * (UNIT[match[2] ?? ""] ?? 1);
    }
  }
  return Math.ceil(sum);
}

function unquoted(word: string): string {
  return /^(["'])(.*)\1$/.exec(word)?.[2] ?? word;
}
