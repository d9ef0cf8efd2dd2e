/**
 * The express app of the webhook: POST /mutate and /review, GET /readyz and /livez. What is in here runs once a pod: it is hot.
 */
import type { IncomingMessage } from "node:http";
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from "express";
import type { Logger } from "pino";
import type { PipelineOptions } from "../mutate/pipeline.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../pod/json.ts";
import type { BAD_REQUESTS, WebhookMetrics } from "../telemetry/metrics.ts";
import { type Admission, admit } from "./admit.ts";
import { Bodies, farewell, MAX_BODIES, MAX_BODY } from "./bodies.ts";
import { isFirstCall } from "./first-call.ts";
import { type AdmissionRequest, parseReview } from "./review.ts";
import { isPolicy, reviewPolicy } from "./review-policy.ts";
import { type Review, reviewWorkload } from "./review-workload.ts";
import { isTooHeavy, MAX_WEIGHT } from "./weight.ts";

/** What the app needs from the rest of the process. */
export interface AppDependencies {
  /** The pipeline's options at this moment; policies are in memory. */
  options(): PipelineOptions;
  /** Why the webhook is not ready; undefined when it is. */
  notReady(): string | undefined;
  /** Whether the process is on its way out: connections are asked to close. */
  isDraining(): boolean;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
}

/** Builds the app. */
export function webhookApp(dependencies: AppDependencies): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const bodies = new Bodies();
  app.post("/mutate", (request, response) => receive(request, response, bodies, dependencies, mutated));
  app.post("/review", (request, response) => receive(request, response, bodies, dependencies, reviewed));
  app.all(["/mutate", "/review"], (_request, response) =>
    problem(response, 405, "only POST is answered here", { Allow: "POST" }),
  );
  app.get("/readyz", (_request, response) => {
    const reason = dependencies.notReady();
    response
      .status(reason === undefined ? 200 : 503)
      .type("text/plain")
      .send(`${reason ?? "ok"}\n`);
  });
  app.get("/livez", (_request, response) => {
    response.type("text/plain").send("ok\n");
  });
  app.use((_request, response) => problem(response, 404, "there is nothing here; reviews go to POST /mutate"));
  app.use(callProblem(dependencies));
  return app;
}

/** Decides about one request, and counts and logs it. Returns the AdmissionReview to answer with. */
type Decide = (request: AdmissionRequest, dependencies: AppDependencies) => Decided;

/** An answer, and what is to be done when it is on its way. */
interface Decided {
  readonly response: JsonObject;
  afterwards(seconds: number): void;
}

const mutated: Decide = (request, { options, metrics, logger }) => {
  const admission = admit(request, options());
  return {
    response: admission.response,
    afterwards(seconds) {
      metrics.duration.observe(seconds);
      count(metrics, request, admission);
      record(logger, request, admission, seconds);
    },
  };
};

const reviewed: Decide = (request, { options, metrics, logger }) => {
  const review = isPolicy(request)
    ? reviewPolicy(request, options().snapshot.delegation)
    : reviewWorkload(request, options());
  const { response, error } = review;
  return {
    response,
    afterwards() {
      metrics.reviews.inc({ outcome: outcomeOf(review) });
      if (error !== undefined) logger.error({ event: "review-failed", uid: request.uid, err: error });
    },
  };
};

function outcomeOf({ error, isRefused, notices }: Review): string {
  if (error !== undefined) return "error";
  return isRefused ? "refused" : notices.length > 0 ? "warned" : "silent";
}

function receive(
  request: Request,
  response: Response,
  bodies: Bodies,
  dependencies: AppDependencies,
  decide: Decide,
): void {
  const { isDraining, metrics } = dependencies;
  if (isDraining()) response.setHeader("Connection", "close");
  const wrong = unreadable(request);
  if (wrong !== undefined) {
    metrics.badRequests.inc({ reason: wrong.reason });
    problem(response, wrong.status, wrong.sentence);
    return;
  }
  bodies.read(request, response, (body) => {
    if (body === "aborted") {
      metrics.badRequests.inc({ reason: "aborted" });
    } else if (body === "too-large") {
      metrics.badRequests.inc({ reason: "too-large" });
      problem(response, 413, `the body is larger than ${MAX_BODY} bytes`);
    } else if (body === "shed") {
      metrics.shed.inc({ what: "body" });
      const sentence = `the bodies of all calls take more than ${MAX_BODIES} bytes; send it again`;
      problem(response, 503, sentence, { "Retry-After": "1" });
    } else {
      try {
        answer(body, response, dependencies, decide);
      } catch (error) {
        failed(dependencies, response, error);
      }
    }
  });
}

/** A body that is not even read. */
interface Unreadable {
  readonly reason: (typeof BAD_REQUESTS)[number];
  readonly status: number;
  readonly sentence: string;
}

function unreadable(request: Request): Unreadable | undefined {
  if (isEmpty(request)) {
    return { reason: "not-a-review", status: 400, sentence: "the body is empty; send an AdmissionReview" };
  }
  const wrongType = (sentence: string): Unreadable => ({ reason: "content-type", status: 415, sentence });
  if (!request.is("application/json")) return wrongType("Content-Type must be application/json");
  // Bodies of the API server are never compressed; inflating one would only serve an attacker.
  const encoding = request.headers["content-encoding"] ?? "identity";
  return encoding === "identity" ? undefined : wrongType("Content-Encoding is not supported");
}

function answer(body: Buffer, response: Response, dependencies: AppDependencies, decide: Decide): void {
  const { metrics } = dependencies;
  const started = performance.now();
  metrics.inFlight.inc();
  try {
    if (isTooHeavy(body)) {
      metrics.badRequests.inc({ reason: "too-large" });
      problem(response, 413, `the values in the body take more than ${MAX_WEIGHT} bytes of memory`);
      return;
    }
    const parsed = parseReview(body);
    if (!parsed.ok) {
      metrics.badRequests.inc({ reason: "not-a-review" });
      problem(response, 400, parsed.problem);
      return;
    }
    const decided = decide(parsed.request, dependencies);
    const text = JSON.stringify(decided.response);
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(text));
    response.end(text);
    decided.afterwards((performance.now() - started) / 1000);
  } finally {
    metrics.inFlight.dec();
  }
}

function count(metrics: WebhookMetrics, request: AdmissionRequest, admission: Admission): void {
  const labels = { outcome: admission.outcome, role: admission.role };
  metrics.calls.inc(labels);
  if (isFirstCall(request) && !request.dryRun) metrics.pods.inc(labels);
  for (const { code, severity } of admission.notices) metrics.notices.inc({ code, severity });
}

/** One line a call: who it was for and what was done, never the pod. */
function record(logger: Logger, request: AdmissionRequest, admission: Admission, seconds: number): void {
  const { outcome, error } = admission;
  const level = outcome === "error" ? "error" : outcome === "unchanged" || outcome === "skipped" ? "debug" : "info";
  if (!logger.isLevelEnabled(level)) return;
  const metadata = objectAt(request.object, "metadata");
  const owner = objectsAt(metadata, "ownerReferences").find((reference) => reference.controller === true);
  logger[level]({
    event: "admission",
    uid: request.uid,
    namespace: request.namespace,
    name: textAt(metadata, "name") ?? textAt(metadata, "generateName"),
    ...(owner === undefined ? {} : { owner: `${textAt(owner, "kind")}/${textAt(owner, "name")}` }),
    dryRun: request.dryRun,
    outcome,
    role: admission.role,
    rule: admission.rule,
    changed: admission.changedBy,
    codes: [...new Set(admission.notices.map(({ code }) => code))],
    durationMs: Math.round(seconds * 1e6) / 1000,
    ...(error === undefined ? {} : { err: error }),
  });
}

function isEmpty(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] === undefined && Number(request.headers["content-length"] ?? 0) === 0;
}

/** Answers with a sentence. Where a body was not read to its end, it is not read on, and the connection ends. */
function problem(response: Response, status: number, sentence: string, headers: Record<string, string> = {}): void {
  if (!response.req.complete && !isEmpty(response.req)) farewell(response);
  response.status(status).set(headers).type("text/plain").send(`${sentence}\n`);
}

/** Answers what express itself refuses, such as a path that is no URL. */
function callProblem(dependencies: AppDependencies): ErrorRequestHandler {
  return (error: { status?: number }, _request, response, _next) => failed(dependencies, response, error);
}

function failed({ metrics, logger }: AppDependencies, response: Response, error: unknown): void {
  metrics.badRequests.inc({ reason: "other" });
  logger.error({ event: "request-failed", err: error });
  const { status } = error as { status?: number };
  problem(response, status !== undefined && status < 500 ? status : 500, "the call failed");
}
