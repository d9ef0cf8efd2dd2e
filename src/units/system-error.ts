/**
 * What the operating system refused, in words: `no such file or directory` instead of `ENOENT: …, open 'x'`.
 */
import { getSystemErrorMessage } from "node:util";

/** The reason, without the path and the name of the call. */
export function systemReason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  if (typeof errno === "number" && errno < 0) return getSystemErrorMessage(errno);
  return (error instanceof Error ? message : String(error)).split("\n")[0] ?? "";
}

/** A sentence about an error that nobody expected: a file or an address that cannot be used is named. */
export function sentenceOf(error: unknown): string {
  const { path, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const what = path ?? (address === undefined ? undefined : `${address}${port === undefined ? "" : `:${port}`}`);
  if (syscall === undefined || what === undefined) return systemReason(error);
  return `${what} cannot be ${syscall === "connect" ? "reached" : "used"}: ${systemReason(error)}.`;
}
