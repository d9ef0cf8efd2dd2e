import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { issue, type KeyPair, makeAuthority } from "./authority.ts";
import { isValidAt } from "./clocks.ts";
import { makeSet } from "./make-set.ts";
import type { Registration } from "./registration.ts";
import {
  type Action,
  decide,
  FORGET_MS,
  type Now,
  type Observation,
  OVERLAP_MS,
  PATIENCE_MS,
  type State,
  type Step,
} from "./renewal.ts";
import {
  authoritiesIn,
  type Certificate,
  type Contents,
  contentsOf,
  type SelfManagedCertificates,
  secretDataOf,
} from "./self-managed-certificates.ts";

const DAY = 86_400_000;
const LIFETIMES = { authorityMs: 3000 * DAY, servingMs: 90 * DAY };
const NAMES = ["gracegate.system.svc"];
const start = Date.UTC(2030, 0, 1);

let ca: Certificate;
let next: Certificate;
let serving: Certificate;
let late: Certificate;
let other: KeyPair;
let all: SelfManagedCertificates;

before(async () => {
  const validity = { from: start, until: start + LIFETIMES.authorityMs };
  const [first, second] = [await makeAuthority("test CA", validity), await makeAuthority("test CA", validity)];
  const servingOf = async (from: number) => {
    const leaf = await issue(first, NAMES, { from, until: from + LIFETIMES.servingMs });
    return contentsOf(secretDataOf({ ca: first, serving: leaf, nextCa: second }), NAMES);
  };
  const read = await servingOf(start);
  ({ ca, serving, nextCa: next } = read as { ca: Certificate; serving: Certificate; nextCa: Certificate });
  late = (await servingOf(start + 2000 * DAY)).serving as Certificate;
  other = await makeAuthority("test CA", validity);
  all = { ca, serving };
});

interface Circumstances extends Partial<State> {
  readonly own?: number;
  readonly published?: string;
  /** For how long the Secret has had no authority. */
  readonly missingMs?: number;
  /** For how long the bundle has stood. */
  readonly bundleStoodMs?: number;
  /** Of the configurations; it stood in the first. */
  readonly generation?: string;
}

const MONOTONIC = 10 * FORGET_MS;
const at = (days: number, more: Circumstances = {}): readonly [Now, Circumstances] => [
  { server: start + days * DAY, own: more.own ?? start + days * DAY, monotonic: MONOTONIC },
  more,
];
const found = (more: Partial<Contents> = {}): Contents => ({
  ca,
  serving,
  nextCa: undefined,
  oldCa: undefined,
  ...more,
});
const missing: Contents = { ca: undefined, serving: undefined, nextCa: undefined, oldCa: undefined };
const old = (...pems: string[]) => authoritiesIn(pems.join(""));

function decided(contents: Contents, [now, more]: readonly [Now, Circumstances]): Action {
  const { published = "", missingMs = 0, bundleStoodMs, generation = "1", jitter = 0, known } = more;
  const bundle = [contents.ca, contents.nextCa, ...(contents.oldCa ?? [])]
    .map((one) => (typeof one === "object" ? one.cert : ""))
    .join("");
  const bundles = [bundleStoodMs === undefined ? "another" : bundle];
  const registered: Registration[] = [{ name: "gracegate", isAdvisory: false, bundles, generation }];
  const standing = { bundle, generations: "gracegate 1", since: MONOTONIC - (bundleStoodMs ?? 0) };
  const seen: Observation = { contents, registered, trusted: old(published) };
  const state: State = { jitter, standing, missingSince: MONOTONIC - missingMs, ...(known && { known }) };
  return decide(state, now, seen).action;
}

const stepOf = (action: Action) => (action.do === "write" ? action.step : action.do);

describe("the next step", () => {
  const cases: readonly (readonly [string, () => Action, Step | "serve" | "wait"])[] = [
    ["everything is new", () => decided(found(), at(0)), "serve"],
    ["there is nothing", () => decided(missing, at(0)), "begin"],
    [
      "the Secret went away and this replica knows what was in it",
      () => decided(missing, at(1, { known: all })),
      "restore",
    ],
    ["what this replica knows has ended", () => decided(missing, at(3001, { known: all })), "begin"],
    ["what this replica knows does not begin yet", () => decided(missing, at(-1, { known: all })), "begin"],
    [
      "there is nothing, but an authority is registered that another replica may have",
      () => decided(missing, at(0, { published: ca.cert, missingMs: PATIENCE_MS - 1 })),
      "wait",
    ],
    ["nobody wrote it back", () => decided(missing, at(0, { published: ca.cert, missingMs: PATIENCE_MS })), "begin"],
    ["the serving certificate cannot be used", () => decided(found({ serving: undefined }), at(0)), "issue"],
    ["just under two thirds of its life are over", () => decided(found(), at(59.9)), "serve"],
    ["two thirds of its life are over", () => decided(found(), at(60.1)), "issue"],
    ["only the API server's clock says so", () => decided(found(), at(70, { own: start })), "serve"],
    ["only this machine's clock says so", () => decided(found(), at(0, { own: start + 70 * DAY })), "serve"],
    ["another replica has an earlier mind", () => decided(found(), at(56, { jitter: 1 })), "issue"],
    ["two thirds of the authority's life are over", () => decided(found({ serving: late }), at(2001)), "announce"],
    ["the coming authority is not in every bundle yet", () => decided(found({ nextCa: next }), at(1)), "serve"],
    [
      "it has not stood for a minute",
      () => decided(found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS - 1 })),
      "serve",
    ],
    ["it stood for a minute", () => decided(found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS })), "switch"],
    [
      "somebody changed the configurations since, and changed them back",
      () => decided(found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS, generation: "2" })),
      "serve",
    ],
    [
      "a certificate has ended by the API server's clock alone",
      () => decided(found(), at(100, { own: start })),
      "wait",
    ],
    ["it begins within a day", () => decided(found(), at(-0.5)), "wait"],
    [
      "the old authority just went",
      () => decided(found({ oldCa: old(next.cert) }), at(1, { bundleStoodMs: OVERLAP_MS })),
      "serve",
    ],
    [
      "the old authority went long ago",
      () => decided(found({ oldCa: old(next.cert) }), at(1, { bundleStoodMs: FORGET_MS })),
      "forget",
    ],
  ];
  for (const [name, made, step] of cases) {
    it(`is ${step} when ${name}`, () => assert.equal(stepOf(made()), step));
  }
});

describe("taking a step", () => {
  const taken = (step: Step, of: Contents, circumstances = at(1)) => {
    const action = decided(of, circumstances);
    assert.ok(action.do === "write" && action.step === step, stepOf(action));
    return makeSet(action.recipe, circumstances[0], NAMES, LIFETIMES);
  };
  const lifeOf = (cert: string) => {
    const { validFrom, validTo } = new X509Certificate(cert);
    return { begin: Date.parse(validFrom), end: Date.parse(validTo) };
  };
  const isIssuedBy = (cert: string, authority: KeyPair) =>
    new X509Certificate(cert).verify(new X509Certificate(authority.cert).publicKey);

  it("begin makes an authority and a certificate of it", async () => {
    const made = await taken("begin", missing);
    assert.ok(isIssuedBy(made.serving.cert, made.ca));
    assert.equal(lifeOf(made.serving.cert).end, start + 91 * DAY);
    assert.equal(made.oldCa, undefined);
  });

  for (const [name, circumstances] of [
    ["the API server's", at(100, { own: start })],
    ["this machine's", at(0, { own: start + 100 * DAY })],
  ] as const) {
    it(`begin makes what is valid by both clocks when ${name} is 100 days ahead`, async () => {
      const made = await taken("begin", missing, circumstances);
      for (const { cert } of [made.ca, made.serving]) {
        const [{ server, own }] = circumstances;
        assert.ok(isValidAt(lifeOf(cert), server) && isValidAt(lifeOf(cert), own));
      }
    });
  }

  it("begin keeps what is registered, so that whoever serves by it stays trusted", async () => {
    const made = await taken("begin", missing, at(1, { published: next.cert, missingMs: PATIENCE_MS }));
    assert.equal(made.oldCa, next.cert);
    assert.notEqual(made.ca.cert, next.cert);
  });

  it("begin keeps what is registered and begins only later by a clock that is behind", async () => {
    const made = await taken("begin", missing, at(-1, { published: next.cert, missingMs: PATIENCE_MS }));
    assert.equal(made.oldCa, next.cert);
  });

  it("restore keeps what is served, and announces another authority", async () => {
    const made = await taken("restore", missing, at(1, { known: all }));
    assert.deepEqual(made.serving, serving);
    assert.deepEqual(made.ca, ca);
    assert.ok(made.nextCa && made.nextCa.cert !== ca.cert);
  });

  it("restore announces the authority that was on its way: a replica may serve by it already", async () => {
    const made = await taken("restore", missing, at(1, { known: { ...all, nextCa: next } }));
    assert.deepEqual([made.ca, made.nextCa], [ca, next]);
  });

  it("issue keeps the authorities", async () => {
    const made = await taken("issue", found({ nextCa: next }), at(61));
    assert.deepEqual([made.ca, made.nextCa], [ca, next]);
    assert.notEqual(made.serving.cert, serving.cert);
    assert.ok(isIssuedBy(made.serving.cert, ca));
  });

  it("announce changes nothing that is served", async () => {
    const made = await taken("announce", found({ serving: late }), at(2001));
    assert.deepEqual([made.ca, made.serving], [ca, late]);
    assert.ok(made.nextCa);
  });

  it("switch issues by the coming authority, and keeps the old one for a while", async () => {
    const made = await taken("switch", found({ nextCa: next }), at(1, { bundleStoodMs: OVERLAP_MS }));
    assert.deepEqual([made.ca, made.nextCa, made.oldCa], [next, undefined, ca.cert]);
    assert.ok(isIssuedBy(made.serving.cert, next));
  });

  it("switch keeps one that went a moment ago, too", async () => {
    const of = found({ nextCa: next, oldCa: old(other.cert) });
    const made = await taken("switch", of, at(1, { bundleStoodMs: OVERLAP_MS }));
    assert.equal(made.oldCa, ca.cert + other.cert);
  });

  it("forget drops the old authority only", async () => {
    const made = await taken("forget", found({ oldCa: old(next.cert) }), at(1, { bundleStoodMs: FORGET_MS }));
    assert.deepEqual([made.ca, made.serving, made.oldCa], [ca, serving, undefined]);
  });

  it("no certificate outlives its authority", async () => {
    const made = await taken("issue", found(), at(2950));
    assert.equal(lifeOf(made.serving.cert).end, ca.end);
  });
});
