import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { issue, type KeyPair, makeAuthority } from "./authority.ts";
import { bundleOf, examine, type KeptCertificates, type SecretData, secretDataOf } from "./kept-certificates.ts";

const HOUR = 3_600_000;
const NAMES = ["gracegate.system.svc", "gracegate"];
const now = Date.now();

let kept: KeptCertificates;
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
    const found = examine(data, NAMES, now);
    assert.deepEqual(found.problems, []);
    assert.deepEqual({ ca: found.ca, serving: found.serving, nextCa: found.nextCa, oldCa: found.oldCa }, kept);
  });

  it("comes to the same after it was written and read", () => {
    const found = examine(data, NAMES, now);
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
      const found = examine(damaged(), NAMES, now);
      assert.equal(found.ca !== undefined, keeps === "ca");
      assert.equal(found.serving, undefined);
      assert.match(found.problems[0] ?? "", problem);
    });
  }

  it("is not used before it begins, as on a machine whose clock is behind", () => {
    assert.match(examine(data, NAMES, now - 2 * HOUR).problems[0] ?? "", /^ca.crt begins only at/);
    assert.deepEqual(examine(data, NAMES, now - HOUR / 2).problems, []);
  });

  it("drops an old authority that ended, and a coming one that is garbage", () => {
    const found = examine({ ...data, "old-ca.crt": expired.cert, "next-ca.crt": "garbage" }, NAMES, now);
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
