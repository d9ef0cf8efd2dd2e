import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it, mock } from "node:test";
import { makeCertificates } from "./development-certificates.ts";
import { certificateFiles } from "./file-source.ts";

const DAY = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "gracegate-"));
after(() => rmSync(folder, { recursive: true }));

it("certificate files are ready until the certificate ends, and then say so", async () => {
  const { cert, key } = await makeCertificates(["a"], 10);
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const started = certificateFiles(certFile, keyFile, { changed: () => {}, refused: () => {} });
  assert.ok(started.ok);
  assert.equal(started.source.notReady(), undefined);
  mock.timers.enable({ apis: ["Date"], now: Date.now() + 11 * DAY });
  assert.match(started.source.notReady() ?? "", /^the certificate ended at 20/);
  mock.timers.reset();
});
