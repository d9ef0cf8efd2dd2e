import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { type DevelopmentCertificates, makeCertificates } from "./development-certificates.ts";

describe("makeCertificates", () => {
  let made: DevelopmentCertificates;
  let ca: X509Certificate;
  let leaf: X509Certificate;
  before(async () => {
    made = await makeCertificates(["gracegate.gracegate.svc", "localhost", "127.0.0.1", "::1"], 30);
    ca = new X509Certificate(made.caCert);
    leaf = new X509Certificate(made.cert);
  });

  it("the CA signs itself, and the serving certificate", () => {
    assert.ok(ca.verify(ca.publicKey));
    assert.ok(leaf.verify(ca.publicKey));
    assert.ok(leaf.checkIssued(ca));
    assert.deepEqual([ca.ca, leaf.ca], [true, false]);
  });
  it("each key belongs to its certificate", () => {
    assert.ok(ca.checkPrivateKey(createPrivateKey(made.caKey)));
    assert.ok(leaf.checkPrivateKey(createPrivateKey(made.key)));
  });
  it("names and addresses are what they are", () => {
    assert.equal(
      leaf.subjectAltName,
      "DNS:gracegate.gracegate.svc, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
    );
    assert.equal(leaf.checkHost("gracegate.gracegate.svc"), "gracegate.gracegate.svc");
    assert.equal(leaf.checkHost("elsewhere"), undefined);
  });
  it("it is for servers, valid already by clocks that are behind, for the days asked", () => {
    assert.deepEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
    const days = (Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / 86_400_000;
    assert.equal(days.toFixed(3), (30 + 1 / 24).toFixed(3));
  });
  it("two have different serial numbers", async () => {
    const other = new X509Certificate((await makeCertificates(["x"], 1)).cert);
    assert.notEqual(other.serialNumber, leaf.serialNumber);
  });
});
