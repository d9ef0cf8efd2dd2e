import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Command } from "commander";
import { flag, neededFlag, repeated, toggle, valuesOf, withEnvironment } from "./flag.ts";
import { format, names, oneOf, port, share, text, time, unlessEmpty, whole } from "./read.ts";

/** What some words make of some flags. */
function read(flags: Parameters<typeof valuesOf>[0], ...words: readonly string[]) {
  const cli = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const { option } of Object.values(flags)) cli.addOption(option);
  cli.parse([...words], { from: "user" });
  return valuesOf(flags, cli.opts());
}

describe("flags", () => {
  it("give their values under the names of the declaration", () => {
    const flags = {
      most: flag("--max-5xx <n>", "", whole(0)),
      delay: flag("--shutdown-delay <time>", "", time, "5s"),
      isQuiet: toggle("--quiet", ""),
      waits: toggle("--no-wait", ""),
      files: repeated("-f, --filename <path>", ""),
    };
    const fallbacks = { most: undefined, delay: 5, isQuiet: false, waits: true, files: [] };
    assert.deepEqual(read(flags), { ok: true, value: fallbacks });
    const words = ["--max-5xx", "3", "--shutdown-delay", "1m", "--quiet", "--no-wait", "-f", "a", "-f", "b"];
    const value = { most: 3, delay: 60, isQuiet: true, waits: false, files: ["a", "b"] };
    assert.deepEqual(read(flags, ...words), { ok: true, value });
  });

  it("refuse with the sentence of the first that cannot be read, which names its long form", () => {
    const flags = { name: flag("-n, --number <n>", "", whole(1, 9)), share: flag("--share <n>", "", share) };
    const reason = "--number 10 is not a whole number from 1 to 9.";
    assert.deepEqual(read(flags, "--share", "2", "-n", "10"), { ok: false, reason });
  });

  it("are variables of the environment too, and the word on the command line counts more", () => {
    const flags = withEnvironment("FLAGTEST", { tlsCert: flag("--tls-cert <file>", "", text) });
    process.env.FLAGTEST_TLS_CERT = "from-env";
    try {
      assert.deepEqual(read(flags), { ok: true, value: { tlsCert: "from-env" } });
      assert.deepEqual(read(flags, "--tls-cert", "typed"), { ok: true, value: { tlsCert: "typed" } });
    } finally {
      delete process.env.FLAGTEST_TLS_CERT;
    }
  });

  it("have to be given where they are needed", () => {
    assert.throws(() => read({ policy: neededFlag("--policy <path>", "", text) }), /required option '--policy <path>'/);
  });
});

describe("what is read", () => {
  const anyPort = port(0, (typed, name) => `${name}: ${typed} is no port.`);
  const cases: readonly [string, () => unknown, unknown][] = [
    ["a whole number", () => whole(1, 9)("9", "--n"), 9],
    ["no number with a sign", () => whole(0)("-1", "--n"), "--n -1 is not a whole number from 0 to 1000000."],
    ["no number with a point", () => whole(0)("1.0", "--n"), "--n 1.0 is not a whole number from 0 to 1000000."],
    ["the last port", () => anyPort("65535", "--port"), 65_535],
    ["no port behind it", () => anyPort("65536", "--port"), '--port: "65536" is no port.'],
    ["a share", () => share("0.5", "--s"), 0.5],
    ["no empty share, which JavaScript takes for 0", () => share("", "--s"), "--s  is not a share from 0 to 1."],
    ["a time in seconds", () => time("1m30s", "--t"), 90],
    ["no time of nothing", () => time("0s", "--t"), "--t must be 1s or more."],
    ["names between commas", () => names(" a, b,,", "--l"), ["a", "b"]],
    ["an empty variable as one that is not set", () => unlessEmpty(whole(1))("", "--n"), undefined],
    ["one of two formats", () => format("text", "json")("json", "--output"), "json"],
    ["no other", () => format("text", "json")("xml", "--output"), "-o xml is not a format; there are text and json."],
    ["one of some names", () => oneOf(["a", "b"], () => "no")("c", "--x"), "no"],
  ];
  for (const [name, run, expected] of cases)
    it(name, () => {
      const result = run() as { ok: boolean; value?: unknown; reason?: string };
      assert.deepEqual(result.ok ? result.value : result.reason, expected);
    });
});
