/**
 * The line that says what a command is at, on a terminal.
 *
 * It is written over and goes before anything else is said; piped, there is none.
 */
import { columnsOf } from "./columns.ts";

/** Time from the start of the process until somebody wonders. */
const AFTER_MS = 2000;

/** Time between two lines. */
const EVERY_MS = 200;

/** Back to the start of the line, and away with what stands there. */
const ERASE = "\r\u001b[2K";

let lastMs = 0;
let isShown = false;

/** Shows a line at once, cut where the terminal ends. */
export function showProgress(text: string): void {
  if (!process.stderr.isTTY) return;
  isShown = true;
  process.stderr.write(`${ERASE}${text.slice(0, columnsOf(process.stderr) - 1)}`);
}

/** Shows what is being done, if the command has taken two seconds and it is time to. */
export function progress(text: () => string): void {
  const now = performance.now();
  if (!process.stderr.isTTY || now < AFTER_MS || now - lastMs < EVERY_MS) return;
  lastMs = now;
  showProgress(text());
}

/** Shows a line again and again while something is waited for. */
export async function progressWhile<T>(text: string, work: Promise<T>): Promise<T> {
  const timer = setInterval(progress, EVERY_MS, () => text);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Takes the line away. */
export function clearProgress(): void {
  if (!isShown) return;
  isShown = false;
  process.stderr.write(ERASE);
}
