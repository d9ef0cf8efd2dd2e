/**
 * JSON.rawJSON (V8, since Node 21), which TypeScript's library does not know yet.
 */
interface JSON {
  /** A number exactly as it is written; JSON.stringify writes it back unchanged. */
  rawJSON(text: string): import("./json.ts").JsonValue;
  isRawJSON(value: unknown): boolean;
}
