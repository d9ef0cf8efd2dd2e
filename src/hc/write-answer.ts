/**
 * Writes an answer that was prepared. Hot: once a health check.
 */
import type { ServerResponse } from "node:http";
import type { PreparedAnswer } from "./answers.ts";

/**
 * Writes it.
 *
 * @param withBody false for HEAD: the headers are the same, Content-Length too
 */
export function write(response: ServerResponse, answer: PreparedAnswer, withBody = true): void {
  response.sendDate = false;
  response.writeHead(answer.status, answer.headers as string[]);
  if (withBody) response.end(answer.body);
  else response.end();
}
