import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readCertificate } from "./certificate-files.ts";
import { makeCertificates } from "./development-certificates.ts";

const folder = mkdtempSync(join(tmpdir(), "gracegate-"));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

describe("readCertificate", () => {
  before(async () => {
    const [one, other] = [await makeCertificates(["a"], 10), await makeCertificates(["b"], 10)];
    writeFileSync(file("tls.crt"), one.cert);
    writeFileSync(file("tls.key"), one.key);
    writeFileSync(file("other.key"), other.key);
    writeFileSync(file("chain.crt"), one.cert + one.caCert);
    writeFileSync(file("broken.crt"), one.cert.slice(0, 200));
    writeFileSync(file("empty"), "");
  });
  const reason = (cert: string, key: string) => {
    const loaded = readCertificate(file(cert), file(key));
    return loaded.ok ? undefined : loaded.reason;
  };

  it("takes a certificate with its key, and says when it ends", () => {
    const loaded = readCertificate(file("tls.crt"), file("tls.key"));
    assert.ok(loaded.ok);
    assert.match(loaded.certificate.cert, /BEGIN CERTIFICATE/);
    assert.match(loaded.certificate.key, /BEGIN PRIVATE KEY/);
    const days = (loaded.certificate.notAfter.getTime() - Date.now()) / 86_400_000;
    assert.equal(Math.round(days), 10);
  });
  it("takes a chain, the leaf first", () => assert.equal(reason("chain.crt", "tls.key"), undefined));
  it("refuses another key, as while a tool replaces one file after the other", () => {
    assert.equal(reason("tls.crt", "other.key"), `${file("other.key")} is not the key of ${file("tls.crt")}`);
  });
  for (const [cert, key] of [
    ["broken.crt", "tls.key"],
    ["empty", "tls.key"],
    ["tls.crt", "empty"],
    ["nowhere", "tls.key"],
  ] as const) {
    it(`refuses ${cert} with ${key}, naming both`, () => {
      assert.ok(reason(cert, key)?.startsWith(`${file(cert)} and ${file(key)} cannot be used: `));
    });
  }
});
