import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { issue, type KeyPair, makeAuthority } from "./authority.ts";
import { type Examined, endOf, isValidAt, type KeptCertificates } from "./kept-certificates.ts";
import { type Circumstances, decide, FORGET_MS, OVERLAP_MS, PATIENCE_MS, type Step, take } from "./renewal.ts";

const DAY = 86_400_000;
const LIFETIMES = { authorityMs: 3000 * DAY, servingMs: 90 * DAY };
const NAMES = ["gracegate.system.svc"];
const start = Date.UTC(2030, 0, 1);

let ca: KeyPair;
let next: KeyPair;
let serving: KeyPair;
let all: KeptCertificates;

before(async () => {
  ca = await makeAuthority("test CA", { from: start, until: start + LIFETIMES.authorityMs });
  next = await makeAuthority("test CA", { from: start, until: start + LIFETIMES.authorityMs });
  serving = await issue(ca, NAMES, { from: start, until: start + LIFETIMES.servingMs });
  all = { ca, serving };
});

const at = (days: number, more: Partial<Circumstances> = {}): Circumstances => ({
  now: start + days * DAY,
  own: start + days * DAY,
  remembered: undefined,
  published: "",
  missingMs: 0,
  bundleStoodMs: 0,
  jitter: 0,
  ...more,
});
const found = (more: Partial<Examined> = {}): Examined => ({
  ca,
  serving,
  nextCa: undefined,
  oldCa: undefined,
  problems: [],
  ...more,
});
const missing: Examined = { ca: undefined, serving: undefined, nextCa: undefined, oldCa: undefined, problems: [] };
const late = () => issue(ca, NAMES, { from: start + 2000 * DAY, until: start + 2090 * DAY });

describe("the next step", () => {
  const cases: readonly (readonly [string, () => Promise<Step> | Step, Step])[] = [
    ["everything is new", () => decide(found(), at(0)), "nothing"],
    ["there is nothing", () => decide(missing, at(0)), "begin"],
    [
      "the Secret went away and this replica knows what was in it",
      () => decide(missing, at(1, { remembered: all })),
      "restore",
    ],
    ["what this replica knows has ended", () => decide(missing, at(3001, { remembered: all })), "begin"],
    ["what this replica knows does not begin yet", () => decide(missing, at(-1, { remembered: all })), "begin"],
    [
      "there is nothing, but an authority is registered that another replica may have",
      () => decide(missing, at(0, { published: ca.cert, missingMs: PATIENCE_MS - 1 })),
      "wait",
    ],
    ["nobody wrote it back", () => decide(missing, at(0, { published: ca.cert, missingMs: PATIENCE_MS })), "begin"],
    ["the serving certificate cannot be used", () => decide(found({ serving: undefined }), at(0)), "issue"],
    ["just under two thirds of its life are over", () => decide(found(), at(59.9)), "nothing"],
    ["two thirds of its life are over", () => decide(found(), at(60.1)), "issue"],
    ["only the API server's clock says so", () => decide(found(), at(70, { own: start })), "nothing"],
    ["only this machine's clock says so", () => decide(found(), at(0, { own: start + 70 * DAY })), "nothing"],
    ["another replica has an earlier mind", () => decide(found(), at(56, { jitter: 1 })), "issue"],
    [
      "two thirds of the authority's life are over",
      async () => decide(found({ serving: await late() }), at(2001)),
      "announce",
    ],
    ["the coming authority is not in every bundle yet", () => decide(found({ nextCa: next }), at(1)), "nothing"],
    [
      "it has not stood for a minute",
      () => decide(found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS - 1 })),
      "nothing",
    ],
    ["it stood for a minute", () => decide(found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS })), "switch"],
    [
      "the old authority just went",
      () => decide(found({ oldCa: next.cert }), at(1, { bundleStoodMs: OVERLAP_MS })),
      "nothing",
    ],
    [
      "the old authority went long ago",
      () => decide(found({ oldCa: next.cert }), at(1, { bundleStoodMs: FORGET_MS })),
      "forget",
    ],
  ];
  for (const [name, decided, step] of cases) {
    it(`is ${step} when ${name}`, async () => assert.equal(await decided(), step));
  }
});

describe("taking a step", () => {
  const taken = (step: Exclude<Step, "nothing" | "wait">, of: Examined, circumstances = at(1)) =>
    take(step, of, circumstances, NAMES, LIFETIMES);
  const isIssuedBy = (cert: string, authority: KeyPair) =>
    new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey);

  it("begin makes an authority and a certificate of it", async () => {
    const made = await taken("begin", missing);
    assert.ok(isIssuedBy(made.serving.cert, made.ca));
    assert.equal(endOf(made.serving.cert), start + 91 * DAY);
    assert.equal(made.oldCa, undefined);
  });

  for (const [name, circumstances] of [
    ["the API server's", at(100, { own: start })],
    ["this machine's", at(0, { own: start + 100 * DAY })],
  ] as const) {
    it(`begin makes what is valid by both clocks when ${name} is 100 days ahead`, async () => {
      const made = await taken("begin", missing, circumstances);
      for (const { cert } of [made.ca, made.serving]) {
        assert.ok(isValidAt(cert, circumstances.now) && isValidAt(cert, circumstances.own));
      }
    });
  }

  it("begin keeps what is registered, so that whoever serves by it stays trusted", async () => {
    const made = await taken("begin", missing, at(1, { published: next.cert }));
    assert.equal(made.oldCa, next.cert);
    assert.notEqual(made.ca.cert, next.cert);
  });

  it("restore keeps what is served, and announces another authority", async () => {
    const made = await taken("restore", missing, at(1, { remembered: all }));
    assert.deepEqual(made.serving, serving);
    assert.deepEqual(made.ca, ca);
    assert.ok(made.nextCa && made.nextCa.cert !== ca.cert);
  });

  it("issue keeps the authorities", async () => {
    const made = await taken("issue", found({ nextCa: next }));
    assert.deepEqual([made.ca, made.nextCa], [ca, next]);
    assert.notEqual(made.serving.cert, serving.cert);
    assert.ok(isIssuedBy(made.serving.cert, ca));
  });

  it("announce changes nothing that is served", async () => {
    const made = await taken("announce", found());
    assert.deepEqual([made.ca, made.serving], [ca, serving]);
    assert.ok(made.nextCa);
  });

  it("switch issues by the coming authority, and keeps the old one for a while", async () => {
    const made = await taken("switch", found({ nextCa: next }));
    assert.deepEqual([made.ca, made.nextCa, made.oldCa], [next, undefined, ca.cert]);
    assert.ok(isIssuedBy(made.serving.cert, next));
  });

  it("forget drops the old authority only", async () => {
    const made = await taken("forget", found({ oldCa: next.cert }));
    assert.deepEqual([made.ca, made.serving, made.oldCa], [ca, serving, undefined]);
  });

  it("no certificate outlives its authority", async () => {
    const made = await taken("issue", found(), at(2950));
    assert.equal(endOf(made.serving.cert), endOf(ca.cert));
  });
});
