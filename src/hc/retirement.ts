/**
 * Retiring connections: Envoy is told to answer with Connection: close and GOAWAY, and told otherwise on the way back.
 *
 * What was told may be unknown, after a restart of hc or of Envoy; then it is told again. Idle connections are not
 * touched by it, and HTTP/2 accepts new streams for five seconds more.
 */
import { keepConnections, retireConnections } from "./envoy-admin.ts";

/** What Envoy can be told. */
export type Order = "retire" | "keep";

/** What Envoy was told, and what it should be told. */
export class Retirement {
  readonly #adminPort: number;
  readonly #isOn: boolean;
  #wanted: Order | undefined;
  #told: Order | undefined;

  /** @param isOn RETIRE_CONNECTIONS: if false, nothing is ever told */
  constructor(adminPort: number, isOn: boolean) {
    this.#adminPort = adminPort;
    this.#isOn = isOn;
  }

  get told(): Order | undefined {
    return this.#told;
  }

  /** Whether there is nothing to tell. */
  get isSettled(): boolean {
    return !this.#isOn || this.#wanted === undefined || this.#wanted === this.#told;
  }

  want(order: Order): void {
    this.#wanted = order;
  }

  /** A fresh Envoy knows nothing of what the one before it was told. */
  forget(): void {
    this.#told = undefined;
  }

  /** Tells Envoy, if there is something to tell; gives what it was told, or undefined if that did not change. */
  async tell(signal: AbortSignal): Promise<Order | undefined> {
    const order = this.#wanted;
    if (this.isSettled || order === undefined) return undefined;
    const post = order === "retire" ? retireConnections : keepConnections;
    if (!(await post(this.#adminPort, signal))) return undefined;
    this.#told = order;
    return order;
  }
}
