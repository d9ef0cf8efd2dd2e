/**
 * `gracegate certs`: a development CA and a serving certificate.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import { type CommandDefinition, exitCode, say, WrongUse } from "./command.ts";

/** Names under which the API server and a person on this machine reach the webhook. */
const DEFAULT_NAMES = ["localhost", "127.0.0.1", "::1", "gracegate.gracegate.svc"];

/** A DNS name, perhaps with a wildcard in front; the last label is no number, which would be a mistyped address. */
const HOST_NAME = /^(?:\*\.)?(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?\.)*[a-zA-Z](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;

/** The command. */
export const certs: CommandDefinition = {
  name: "certs",
  summary: "makes a development CA and serving certificate",
  examples: [
    "gracegate certs",
    "gracegate certs --dir certs --names localhost,127.0.0.1,gracegate.gracegate.svc --days 30",
  ],
  configure(cli) {
    cli
      .option("--dir <dir>", "folder for ca.crt, ca.key, tls.crt and tls.key", "certs")
      .option("--names <list>", "DNS names and IP addresses, comma-separated", DEFAULT_NAMES.join(","))
      .option("--days <n>", "how long they are valid, days", "365")
      .option("--force", "replace certificates that are there");
  },
  async run(options) {
    const dir = String(options.dir);
    const names = String(options.names)
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const days = Number(options.days);
    if (names.length === 0) throw new WrongUse("--names: name at least one DNS name or IP address.");
    const wrong = names.find((name) => isIP(name) === 0 && !HOST_NAME.test(name));
    if (wrong !== undefined)
      throw new WrongUse(`--names: ${JSON.stringify(wrong)} is neither a DNS name nor an IP address.`);
    if (!Number.isInteger(days) || days < 1 || days > 3650) {
      throw new WrongUse(`--days: ${String(options.days)} is not a number of days from 1 to 3650.`);
    }
    if (existsSync(join(dir, "tls.crt")) && options.force !== true) {
      say(`${dir} has certificates already; --force replaces them.`);
      return exitCode.ok;
    }
    const { makeCertificates } = await import("../tls/development-certificates.ts");
    const made = await makeCertificates(names, days);
    makeFolder(dir);
    write(join(dir, "ca.crt"), made.caCert, 0o644);
    write(join(dir, "ca.key"), made.caKey, 0o600);
    write(join(dir, "tls.crt"), made.cert, 0o644);
    write(join(dir, "tls.key"), made.key, 0o600);
    say(`Made ca.crt, ca.key, tls.crt and tls.key in ${dir} for ${names.join(", ")}, valid for ${days} days.`);
    return exitCode.ok;
  },
};

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
