/**
 * What hc has to say about its surroundings: each finding once in the log, and in `/status` for as long as it holds.
 */
import { type CodeName, type Notice, notice } from "../codes/registry.ts";
import type { Log } from "./log.ts";

/** The findings that hold. */
export class Findings {
  readonly #current = new Map<string, Notice>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  get current(): readonly Notice[] {
    return [...this.#current.values()];
  }

  /** Whether a finding holds. */
  has(name: CodeName): boolean {
    return this.#current.has(name);
  }

  /** Adds a finding; it is logged unless it holds already, in the same words. */
  add<Name extends CodeName>(name: Name, details: Parameters<typeof notice<Name>>[1]): void {
    const found = notice(name, details);
    // Of GG704 there may be several, one a variable; of the others the newest counts.
    const key = name === "GG704" ? found.text : name;
    const isNew = this.#current.get(key)?.text !== found.text;
    this.#current.set(key, found);
    const level = found.severity === "error" ? "error" : "warn";
    if (isNew) this.#log(level, "finding", { code: name, message: found.text });
  }

  /** A finding holds no longer. */
  remove(name: CodeName): void {
    this.#current.delete(name);
  }
}
