/**
 * Texts of about a given length, of every shape that a reader of texts may stumble over.
 */

/** One shape: a name, and the text for a length in characters. */
export type Shape = readonly [string, (length: number) => string];

const repeated = (unit: string): Shape => [
  `${JSON.stringify(unit)} repeated`,
  (length) => unit.repeat(Math.ceil(length / unit.length)),
];

/** Kinds of characters: digits, letters, every kind of space and line end, what quotes, opens and closes. */
const KINDS = [..."01aA -_.:/\\\"'#=,;<>|&*!?~@%+$`()[]{}\t\n\r\u0000\u007f\u0085\u2028é😀"];

/** Shapes for any text. */
export const texts: readonly Shape[] = [
  ...KINDS.map(repeated),
  ...["1s", "1.", "sleep 1;", "x\r", "x\u2028", "a,", "\\\n", "-c ", "é\n", "\ud800"].map(repeated),
  ["digits and something else", (length) => `${"1".repeat(length)}x`],
  ["a dash and spaces", (length) => `-${" ".repeat(length)}-`],
];

const words = (length: number, line: (word: string) => string): string => {
  const lines: string[] = [];
  for (let size = 0, index = 0; size < length; index++) {
    const text = line(`w${index.toString(36)}`);
    lines.push(text);
    size += text.length;
  }
  return lines.join("");
};

/** Deeper and deeper block mappings or lists: the indentation makes them as long as the square of their depth. */
const stairs = (length: number, line: string): string =>
  Array.from({ length: Math.ceil(Math.sqrt(2 * length)) }, (_, depth) => `${" ".repeat(depth)}${line}\n`).join("");

/** Shapes for proxy.istio.io/config: every construct of YAML. */
export const yamls: readonly Shape[] = [
  ...texts,
  ...[
    "a: b\n",
    "- a\n",
    "? ",
    "? a\n: b\n",
    "a: &a b\n",
    "*a ",
    "- *a\n",
    "&a ",
    "!a ",
    "!!str ",
    "<<: *a\n",
    "--- \n",
  ].map(repeated),
  ...[
    "...\n",
    "%A b\n",
    "# c\n",
    "a: 'b'\n",
    'a: "b"\n',
    "a: |\n",
    "a: >-\n",
    "{a: ",
    "[a, ",
    "- - ",
    "a:\n",
    "\ta: b\n",
  ].map(repeated),
  ["variables", (length) => `proxyMetadata:\n${words(length, (word) => `  ${word}: "b"\n`)}`],
  ["variables without quotes", (length) => `proxyMetadata:\n${words(length, (word) => `  ${word}: 1\n`)}`],
  ["variables, flow", (length) => `proxyMetadata: {${words(length, (word) => `${word}: b, `)}}\n`],
  ["suffixes", (length) => `proxyStatsMatcher:\n  inclusionSuffixes:\n${words(length, (word) => `  - ${word}\n`)}`],
  ["suffixes, flow", (length) => `proxyStatsMatcher: {inclusionSuffixes: [${words(length, (word) => `${word},`)}]}\n`],
  ["keys", (length) => words(length, (word) => `${word}: b\n`)],
  ["the same key", (length) => words(length, () => "proxyMetadata: {}\n")],
  ["anchors", (length) => words(length, (word) => `${word}: &${word} b\n`)],
  ["anchors and aliases", (length) => words(length, (word) => `${word}: &${word} b\n${word}2: *${word}\n`)],
  ["aliases of one mapping", (length) => `proxyMetadata: &m {A: b}\n${words(length, (word) => `${word}: *m\n`)}`],
  ["merge keys", (length) => `b: &b {a: b}\n${words(length, (word) => `${word}: {<<: *b}\n`)}`],
  ["merge keys in a list", (length) => `b: &b {a: b}\nc:\n  <<: [${words(length, () => "*b,")}]\n`],
  ["laughs", (length) => `a: &a [x]\n${words(length, (word) => `${word}: &${word} [*a,*a,*a]\n`)}`],
  ["comments", (length) => `a: b\n${words(length, (word) => `# ${word}\n`)}`],
  ["values with comments", (length) => words(length, (word) => `${word}: b   # c\n`)],
  ["a block scalar", (length) => `a: |\n${words(length, (word) => `  ${word}\n`)}`],
  ["a folded scalar", (length) => `a: >\n${words(length, (word) => `  ${word}\n\n`)}`],
  ["a plain scalar of many lines", (length) => `a: b\n${words(length, (word) => `  ${word}\n`)}`],
  ["a quoted scalar of many lines", (length) => `a: "${words(length, (word) => `${word}\n\n  `)}"\n`],
  ["escapes", (length) => `a: "${"\\u2028".repeat(Math.ceil(length / 6))}"\n`],
  ["mappings in mappings", (length) => stairs(length, "a:")],
  ["lists in lists", (length) => stairs(length, "-")],
  ["explicit keys in each other", (length) => stairs(length, "?")],
  ["brackets that close", (length) => `a: ${"[".repeat(length / 2)}${"]".repeat(length / 2)}\n`],
  ["braces that close", (length) => `a: ${"{a: ".repeat(length / 5)}${"}".repeat(length / 5)}\n`],
  ["JSON with keys", (length) => `{${words(length, (word) => `"${word}":1,`)}"a":1}`],
  ["JSON with variables", (length) => `{"proxyMetadata":{${words(length, (word) => `"${word}":1.0,`)}"a":1}}`],
  ["JSON in JSON", (length) => `{"a":${"[".repeat(length / 2)}${"]".repeat(length / 2)}}`],
  ["JSON numbers", (length) => `{"a":${"9".repeat(length)}}`],
];
