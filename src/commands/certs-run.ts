/**
 * What `gracegate certs` does: makes a development CA and a serving certificate, and writes them.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import { makeCertificates } from "../tls/development-certificates.ts";
import type { CertsValues } from "./certs.ts";
import { type ExitCode, exitCode } from "./kit/command.ts";
import { type Refusal, refused } from "./kit/read.ts";
import { say } from "./kit/say.ts";

/** A DNS name, perhaps with a wildcard in front; the last label is no number, which would be a mistyped address. */
const HOST_NAME = /^(?:\*\.)?(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?\.)*[a-zA-Z](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;

/** Runs the command. */
export async function run({ dir, names, days, force }: CertsValues): Promise<ExitCode | Refusal> {
  if (names.length === 0) return refused("--names: name at least one DNS name or IP address.");
  const wrong = names.find((name) => isIP(name) === 0 && !HOST_NAME.test(name));
  if (wrong !== undefined) return refused(`--names: ${JSON.stringify(wrong)} is neither a DNS name nor an IP address.`);
  if (existsSync(join(dir, "tls.crt")) && !force) {
    say(`${dir} has certificates already; --force replaces them.`);
    return exitCode.ok;
  }
  const made = await makeCertificates(names, days);
  makeFolder(dir);
  write(join(dir, "ca.crt"), made.caCert, 0o644);
  write(join(dir, "ca.key"), made.caKey, 0o600);
  write(join(dir, "tls.crt"), made.cert, 0o644);
  write(join(dir, "tls.key"), made.key, 0o600);
  say(`Made ca.crt, ca.key, tls.crt and tls.key in ${dir} for ${names.join(", ")}, valid for ${days} days.`);
  return exitCode.ok;
}

/** With its parents. Node's own recursion never ends where the kernel says that a folder cannot be there (/proc). */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  const parent = dirname(resolve(dir));
  if (parent !== resolve(dir)) makeFolder(parent);
  mkdirSync(dir);
}

function write(file: string, text: string, mode: number): void {
  writeFileSync(file, text, { mode });
}
