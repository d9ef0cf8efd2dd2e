/**
 * Both clients over TLS: trust, distrust, and a connection that breaks in the handshake.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ClientOptions } from "../../src/probe/client.ts";
import { http1Client } from "../../src/probe/http1.ts";
import { http2Client } from "../../src/probe/http2.ts";
import type { RequestOutcome } from "../../src/probe/outcome.ts";
import { selfSigned } from "./certificate.ts";
import { targetProcess } from "./program.ts";
import { targetOf } from "./run-specs.ts";

const { cert, key } = await selfSigned();
const folder = mkdtempSync(join(tmpdir(), "probe-tls-"));
after(() => rmSync(folder, { recursive: true }));
const paths = [join(folder, "cert.pem"), join(folder, "key.pem")] as const;
writeFileSync(paths[0], cert);
writeFileSync(paths[1], key);

const clients = { "HTTP/1.1": http1Client, "HTTP/2": http2Client };

for (const [protocol, makeClient] of Object.entries(clients)) {
  const request = async (url: string, options: Partial<ClientOptions>): Promise<(RequestOutcome | undefined)[]> => {
    const client = makeClient({
      ...{
        lanes: 1,
        headers: { host: "shop.example" },
        backendHeader: "x-probe-target",
        ca: undefined,
        insecure: false,
      },
      ...options,
    });
    const exchange = { target: targetOf(url), path: "/", timeoutMs: 2000, lines: 1 };
    const outcomes = [
      await client.request({ ...exchange, lane: 0 }),
      await client.request({ ...exchange, lane: 0 }),
      await client.request({ ...exchange, lane: undefined }),
    ];
    client.close();
    return outcomes;
  };

  test(`${protocol}: a trusted certificate, by address and by name, on kept and new connections`, async () => {
    const target = await targetProcess("--name", "a", "--cert", paths[0], "--key", paths[1]);
    for (const url of [target.url, target.url.replace("127.0.0.1", "localhost")]) {
      const outcomes = await request(url, { ca: cert });
      assert.deepEqual(
        outcomes.map((outcome) => [outcome?.kind, outcome?.reused, outcome?.backend]),
        [
          ["ok", false, "a"],
          ["ok", true, "a"],
          ["ok", false, "a"],
        ],
      );
    }
    await target.stop();
  });

  test(`${protocol}: a certificate that nobody vouches for is an error, and taken with --insecure`, async () => {
    const target = await targetProcess("--cert", paths[0], "--key", paths[1]);
    const [distrusted] = await request(target.url, {});
    const [taken] = await request(target.url, { insecure: true });
    await target.stop();
    assert.deepEqual(
      [distrusted?.kind, distrusted?.detail, distrusted?.phase],
      ["error", "DEPTH_ZERO_SELF_SIGNED_CERT", "connect"],
    );
    assert.equal(taken?.kind, "ok");
  });

  for (const [name, act, kind] of [
    ["a reset", (socket: Socket) => socket.resetAndDestroy(), "reset"],
    ["a close", (socket: Socket) => socket.end(), "closed"],
  ] as const) {
    test(`${protocol}: ${name} in the handshake is a loss while connecting`, async () => {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => act(socket));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const [outcome] = await request(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
      server.close();
      assert.deepEqual([outcome?.kind, outcome?.phase], [kind, "connect"]);
    });
  }
}
