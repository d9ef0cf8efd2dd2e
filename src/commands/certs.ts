/**
 * `gracegate certs`: a development CA and a serving certificate.
 */
import { command } from "./kit/command.ts";
import { flag, toggle, type Values } from "./kit/flag.ts";
import { names, type Reader, refused, text, value } from "./kit/read.ts";

/** Names under which the API server and a person on this machine reach the webhook. */
const DEFAULT_NAMES = ["localhost", "127.0.0.1", "::1", "gracegate.gracegate.svc"];

const days: Reader<number> = (typed, name) => {
  const number = Number(typed);
  const isRight = Number.isInteger(number) && number >= 1 && number <= 3650;
  return isRight ? value(number) : refused(`${name}: ${typed} is not a number of days from 1 to 3650.`);
};

/** The flags. */
export const certsFlags = {
  dir: flag("--dir <dir>", "folder for ca.crt, ca.key, tls.crt and tls.key", text, "certs"),
  names: flag("--names <list>", "DNS names and IP addresses, comma-separated", names, DEFAULT_NAMES.join(",")),
  days: flag("--days <n>", "how long they are valid, days", days, "365"),
  force: toggle("--force", "replace certificates that are there"),
};

/** What they say. */
export type CertsValues = Values<typeof certsFlags>;

/** The command. */
export const certs = command({
  name: "certs",
  summary: "makes a development CA and serving certificate",
  examples: [
    "gracegate certs",
    "gracegate certs --dir certs --names localhost,127.0.0.1,gracegate.gracegate.svc --days 30",
  ],
  flags: certsFlags,
  load: () => import("./certs-run.ts"),
});
