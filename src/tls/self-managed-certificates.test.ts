import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { issue, type KeyPair, makeAuthority } from "./authority.ts";
import type { Clocks } from "./clocks.ts";
import { bundleOf, usable } from "./renewal.ts";
import {
  authoritiesIn,
  contentsOf,
  type SecretData,
  type SelfManagedCertificates,
  secretDataOf,
} from "./self-managed-certificates.ts";

const HOUR = 3_600_000;
const NAMES = ["gracegate.system.svc", "gracegate"];
const now = Date.now();
/** Both clocks agree. */
const at = (time: number) => ({ server: time, own: time });
const examine = (of: SecretData, names: readonly string[], clocks: Clocks) => usable(contentsOf(of, names), clocks);

let kept: SelfManagedCertificates<KeyPair>;
let data: SecretData;
let other: KeyPair;
let otherServing: KeyPair;
let expired: KeyPair;
let servingOfOneName: KeyPair;

before(async () => {
  const validity = { from: now, until: now + HOUR };
  const ca = await makeAuthority("test CA", validity);
  other = await makeAuthority("test CA", validity);
  otherServing = await issue(other, NAMES, validity);
  expired = await makeAuthority("test CA", { from: now - 3 * HOUR, until: now - HOUR });
  servingOfOneName = await issue(ca, ["gracegate"], validity);
  kept = { ca, serving: await issue(ca, NAMES, validity), nextCa: other, oldCa: undefined };
  data = secretDataOf(kept);
});

describe("the content of the Secret", () => {
  it("is used where everything fits together", () => {
    const found = examine(data, NAMES, at(now));
    assert.deepEqual(found.problems, []);
    const pair = (one: KeyPair | undefined) => one && { cert: one.cert, key: one.key };
    const { oldCa } = found;
    assert.deepEqual({ ca: pair(found.ca), serving: pair(found.serving), nextCa: pair(found.nextCa), oldCa }, kept);
  });

  it("comes to the same after it was written and read", () => {
    const found = examine(data, NAMES, at(now));
    assert.ok(found.ca && found.serving);
    assert.deepEqual(secretDataOf({ ...found, ca: found.ca, serving: found.serving }), data);
  });

  const damages: readonly (readonly [string, () => SecretData, keeps: "nothing" | "ca", RegExp])[] = [
    ["an empty Secret", () => ({}), "nothing", /^has no ca.crt$/],
    [
      "garbage instead of the authority",
      () => ({ ...data, "ca.crt": "garbage" }),
      "nothing",
      /^ca.crt is no certificate$/,
    ],
    ["an authority without a key", () => ({ ...data, "ca.key": "" }), "nothing", /^ca.crt has no key$/],
    [
      "the key of another authority",
      () => ({ ...data, "ca.key": other.key }),
      "nothing",
      /^ca.crt has the key of another/,
    ],
    ["a key that is none", () => ({ ...data, "ca.key": "x" }), "nothing", /^ca.crt has a key that is none$/],
    [
      "an authority that ended",
      () => ({ ...data, "ca.crt": expired.cert, "ca.key": expired.key }),
      "nothing",
      /^ca.crt ended at/,
    ],
    [
      "a serving certificate as authority",
      () => ({ ...data, "ca.crt": kept.serving.cert, "ca.key": kept.serving.key }),
      "nothing",
      /^ca.crt is no certificate authority$/,
    ],
    ["no serving certificate", () => ({ ...data, "tls.crt": "" }), "ca", /^tls.crt is missing$/],
    [
      "a serving certificate of another authority",
      () => ({ ...data, "tls.crt": otherServing.cert }),
      "ca",
      /not signed by/,
    ],
    [
      "the key of another serving certificate",
      () => ({ ...data, "tls.key": otherServing.key }),
      "ca",
      /key of another/,
    ],
    [
      "a serving certificate for another name",
      () => ({ ...data, "tls.crt": servingOfOneName.cert, "tls.key": servingOfOneName.key }),
      "ca",
      /^tls.crt is not for gracegate.system.svc$/,
    ],
  ];
  for (const [name, damaged, keeps, problem] of damages) {
    it(`with ${name} keeps ${keeps}`, () => {
      const found = examine(damaged(), NAMES, at(now));
      assert.equal(found.ca !== undefined, keeps === "ca");
      assert.equal(found.serving, undefined);
      assert.match(found.problems[0] ?? "", problem);
    });
  }

  const decided: readonly (readonly [string, server: number, own: number, "used" | "useless" | "undecided"])[] = [
    ["is used by the API server's clock, though this machine's is days behind", 0, -72 * HOUR, "used"],
    ["is used by the API server's clock, though this machine's is days ahead", 0, 72 * HOUR, "used"],
    ["is no reason to write where only the API server's clock is behind", -2 * HOUR, 0, "undecided"],
    ["is no reason to write where only the API server's clock is ahead", 2 * HOUR, 0, "undecided"],
    ["is no reason to write where it is young by both clocks", -2 * HOUR, -2 * HOUR, "undecided"],
    ["is useless where it begins in days by both clocks", -72 * HOUR, -72 * HOUR, "useless"],
    ["is useless where it ended by both clocks", 2 * HOUR, 2 * HOUR, "useless"],
    ["is used from an hour before it was made", -HOUR / 2, -HOUR / 2, "used"],
  ];
  for (const [name, server, own, outcome] of decided) {
    it(name, () => {
      const { ca, undecided } = examine(data, NAMES, { server: now + server, own: now + own });
      assert.equal(undecided !== undefined, outcome === "undecided");
      assert.equal(ca !== undefined, outcome === "used");
    });
  }

  it("names the certificate and both clocks where it cannot be decided", () => {
    const clocks = { server: now - 2 * HOUR, own: now };
    assert.match(
      examine(data, NAMES, clocks).undecided ?? "",
      /^ca.crt begins only at .*, and the clocks differ: it is 20.*Z by the API server's clock, 20.*Z by this machine's$/,
    );
  });

  it("says when something ended as OpenSSL does", async () => {
    const { validTo } = new X509Certificate(expired.cert);
    const found = examine({ ...data, "ca.crt": expired.cert, "ca.key": expired.key }, NAMES, at(now));
    assert.deepEqual(found.problems, [`ca.crt ended at ${validTo}`]);
  });

  it("keeps several old authorities, but for those that ended", () => {
    const old = `${other.cert}garbage\n${expired.cert}${kept.ca.cert}`;
    assert.equal(examine({ ...data, "old-ca.crt": old }, NAMES, at(now)).oldCa, other.cert + kept.ca.cert);
  });

  it("drops an old authority that ended, and a coming one that is garbage", () => {
    const found = examine({ ...data, "old-ca.crt": expired.cert, "next-ca.crt": "garbage" }, NAMES, at(now));
    assert.equal(found.oldCa, undefined);
    assert.equal(found.nextCa, undefined);
    assert.ok(found.serving);
    assert.equal(found.problems.length, 2);
  });
});

describe("the bundle", () => {
  it("holds every authority of the set once", () => {
    assert.equal(bundleOf({ ...kept, oldCa: expired.cert }), kept.ca.cert + other.cert + expired.cert);
  });
});

describe("what is an authority in a bundle", () => {
  it("is every authority in it, and nothing else", () => {
    const bundle = `# a comment\n${kept.serving.cert}${other.cert}${expired.cert}-----BEGIN CERTIFICATE-----
eA==
-----END CERTIFICATE-----
${kept.ca.cert}`;
    const certs = (text: string) => authoritiesIn(text).map(({ cert }) => cert);
    assert.deepEqual(certs(bundle), [other.cert, expired.cert, kept.ca.cert]);
    assert.deepEqual(certs(""), []);
  });
});
