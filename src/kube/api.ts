/**
 * Calls to the API server: plain JSON in and out, so that no field is lost on the way.
 *
 * Who the process is, and where the API server stands, comes from @kubernetes/client-node: KUBECONFIG, ~/.kube/config, or
 * the ServiceAccount of the pod, whose token it reads again before it expires. That package costs 65 MB of memory, so
 * nothing but src/kube imports it, and commands load src/kube only when they need a cluster.
 */
import { type RequestOptions, request } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";

/** An answer of the API server. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** Its length as JSON. */
  readonly bytes: number;
}

/** A connection to one API server. */
export interface ClusterApi {
  readonly config: KubeConfig;
  /** The API server's clock, milliseconds since 1970: this machine's, moved by what the last answer said. */
  now(): number;
  /**
   * Sends one request.
   *
   * @param body a PATCH is a server-side apply
   * @returns any answer, also one of 400 and above; rejects where there is none within ten seconds, or a success without
   * an object
   */
  call(method: string, path: string, body?: JsonObject): Promise<ApiAnswer>;
  /**
   * All objects of a collection, read page by page.
   *
   * @param keep what is kept of each, so that the rest of a page can go before the next one comes
   * @throws ApiRefusal where the API server does not give them
   */
  list<T>(path: string, keep: (object: JsonObject) => T, fieldSelector?: string): Promise<ObjectList<T>>;
}

/** A list as the informer takes it. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

/** The API server answered with a status that is no success. */
export class ApiRefusal extends Error {
  readonly statusCode: number;

  constructor(path: string, { status, body }: Pick<ApiAnswer, "status" | "body">) {
    super(`${path}: ${status} ${textAt(body, "message") ?? ""}`.trim());
    this.statusCode = status;
  }
}

/** An answer was not read to its end. */
class TooLarge extends Error {
  constructor() {
    super(`the answer is larger than ${MAX_ANSWER} bytes`);
  }
}

/** Time for one answer, milliseconds: more than the API server's own look-ups need, less than a person waits. */
const TIMEOUT_MS = 10_000;

/** Objects in one page of a list, at most. */
const PAGE = 500;

/** Objects in its first page: of objects of 1.5 MiB, etcd's largest, no more fit into an answer. */
const FIRST_PAGE = 8;

/** Bytes that a page should have: few enough for memory, and enough that 10,000 small objects come in some twenty pages. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** Largest answer that is read, bytes. */
const MAX_ANSWER = 16 * 1024 * 1024;

/** Finds the cluster that this process belongs to, or that KUBECONFIG names. */
export function clusterApi(): ClusterApi {
  const config = new KubeConfig();
  config.loadFromDefault();
  let ahead = 0;
  const call = async (method: string, path: string, body?: JsonObject) => {
    const { date, ...answer } = await send(config, method, path, body);
    if (!Number.isNaN(date)) ahead = date - Date.now();
    return answer;
  };
  return {
    config,
    now: () => Date.now() + ahead,
    call,
    list: (path, keep, fieldSelector) => listAll(call, path, keep, fieldSelector),
  };
}

async function listAll<T>(
  call: ClusterApi["call"],
  path: string,
  keep: (object: JsonObject) => T,
  fieldSelector?: string,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  let next = "";
  let limit = FIRST_PAGE;
  for (;;) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (fieldSelector !== undefined) query.set("fieldSelector", fieldSelector);
    if (next !== "") query.set("continue", next);
    const answer = await call("GET", `${path}?${query}`).catch((error: unknown) => {
      if (!(error instanceof TooLarge) || limit === 1) throw error;
      return undefined;
    });
    if (answer === undefined) {
      limit = Math.ceil(limit / 8);
      continue;
    }
    if (answer.status === 410 && next !== "") {
      // The list took longer than the API server keeps old states: from the start again.
      items.length = 0;
      next = "";
      continue;
    }
    if (answer.status !== 200) throw new ApiRefusal(path, answer);
    const page = itemsOf(path, answer.body);
    for (const object of page) items.push(keep(object));
    limit = Math.max(1, Math.min(PAGE, limit * 8, Math.floor((PAGE_BYTES * page.length) / answer.bytes)));
    const metadata = objectAt(answer.body, "metadata");
    next = textAt(metadata, "continue") ?? "";
    if (next === "") return { items, resourceVersion: textAt(metadata, "resourceVersion") ?? "" };
  }
}

/** An empty list may be null in Go's JSON. What has no items is no list, and must not count as an empty one. */
function itemsOf(path: string, body: JsonObject): readonly JsonObject[] {
  const { items } = body;
  if (items !== null && !Array.isArray(items)) throw new Error(`${path}: the answer is no list`);
  return objectsAt(body, "items");
}

/** An answer, and its date: milliseconds since 1970, NaN where it has none. */
interface DatedAnswer extends ApiAnswer {
  readonly date: number;
}

async function send(config: KubeConfig, method: string, path: string, body?: JsonObject): Promise<DatedAnswer> {
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error("the kubeconfig names no cluster");
  const url = new URL(server.replace(/\/$/, "") + path);
  const options: RequestOptions = {};
  // The package types these options as those of a WebSocket, of which it uses the part that all requests have.
  await config.applyToHTTPSOptions(options as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise<DatedAnswer>((resolve, reject) => {
    const sent = request(
      url,
      {
        ...options,
        method,
        signal,
        headers: {
          ...options.headers,
          Accept: "application/json",
          "User-Agent": "gracegate",
          ...(text === undefined
            ? {}
            : {
                "Content-Type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
                "Content-Length": String(Buffer.byteLength(text)),
              }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER) response.destroy(new TooLarge());
          else chunks.push(chunk);
        });
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode: status = 0, headers } = response;
          const object = objectOf(Buffer.concat(chunks).toString());
          // Whatever stands in between may answer 200 with a page of its own.
          if (status < 300 && !isObject(object)) reject(new Error(`${path}: ${status} with ${object}`));
          else
            resolve({
              status,
              date: Date.parse(headers.date ?? ""),
              bytes: size,
              body: isObject(object) ? object : { message: object },
            });
        });
      },
    );
    sent.on("error", (error) => reject(signal.aborted ? new Error(`no answer in ${TIMEOUT_MS / 1000} s`) : error));
    sent.end(text);
  });
}

/** The object in an answer, or the start of what is none. */
function objectOf(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // A proxy on the way may answer with something that is no JSON.
  }
  return text.slice(0, 200);
}
