/**
 * Manifests from files, folders and stdin.
 */
import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemReason } from "../units/system-error.ts";

/** A file's text, or why there is none. */
export type ManifestFile =
  | { readonly ok: true; readonly name: string; readonly text: string }
  | { readonly ok: false; readonly name: string; readonly reason: string };

/** What stands for stdin, as for kubectl. */
export const STDIN = "-";

/** Largest file, bytes: well under the longest text that V8 can hold. */
const MAX_FILE = 256 * 1024 * 1024;

const MANIFEST_FILE = /\.(?:ya?ml|json)$/;

/** The files that some paths stand for: of a folder its manifests, sorted; with `recursive` also those below. */
export function manifestNames(paths: readonly string[], recursive: boolean): readonly string[] {
  return paths.flatMap((path) => {
    if (path === STDIN || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
    return readdirSync(path, { recursive, encoding: "utf8" })
      .filter((name) => MANIFEST_FILE.test(name) && !/(?:^|\/)\./.test(name))
      .sort()
      .map((name) => join(path, name));
  });
}

/** Reads one file, or stdin. */
export function readManifest(name: string): ManifestFile {
  const bad = (reason: string): ManifestFile => ({ ok: false, name: shownName(name), reason });
  let bytes: Buffer;
  try {
    const size = name === STDIN ? 0 : statSync(name).size;
    if (size > MAX_FILE) return bad(`is ${Math.round(size / 2 ** 20)} MiB, more than ${MAX_FILE / 2 ** 20}; split it`);
    bytes = name === STDIN ? readStdin() : readFileSync(name);
  } catch (error) {
    return bad(`cannot be read: ${systemReason(error)}`);
  }
  if (isUtf16(bytes)) return bad("is UTF-16, as Windows PowerShell writes it; save it as UTF-8");
  if (bytes.includes(0)) return bad("is binary, no YAML");
  if (!isUtf8(bytes)) return bad("is not UTF-8; save it as UTF-8");
  return { ok: true, name: shownName(name), text: bytes.toString() };
}

/** By its mark, or by what a manifest begins with in it: a letter and a zero. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second, third, fourth] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const isLetter = (byte = 0) => byte > 0x08 && byte < 0x7f;
  return (
    (isLetter(first) && second === 0 && isLetter(third) && fourth === 0) ||
    (first === 0 && isLetter(second) && third === 0 && isLetter(fourth))
  );
}

/** All of stdin; a pipe that another program made non-blocking has nothing to give now and then. */
function readStdin(): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(1 << 16);
    try {
      const length = readSync(0, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return Buffer.concat(chunks);
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function shownName(name: string): string {
  return name === STDIN ? "stdin" : name;
}
