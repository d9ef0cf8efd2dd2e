/**
 * A real kube-apiserver on a real etcd, for tests of admission: no kubelet and no controllers, so pods stay Pending.
 *
 * Flags and reasons: controller-runtime's envtest does the same. The ServiceAccount plugin is off, since no controller
 * makes the default ServiceAccount.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "../../src/pod/json.ts";
import { makeCertificates } from "../../src/tls/development-certificates.ts";

/** An answer of the API server. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: JsonObject;
  /** The texts of Warning headers. */
  readonly warnings: readonly string[];
}

/** A running API server. */
export interface ApiServer {
  /**
   * Sends a request as a member of system:masters.
   *
   * @param type of the body; a PATCH is a server-side apply unless it says another
   */
  call(method: string, path: string, body?: JsonObject, type?: string): Promise<ApiAnswer>;
  /** The same as a service account `NAMESPACE:NAME`, whom the administrator impersonates. */
  callAs(account: string, method: string, path: string, body?: JsonObject, type?: string): Promise<ApiAnswer>;
  /** The path of a kubeconfig file for a user: an administrator, or a service account `NAMESPACE:NAME`. */
  kubeconfig(account?: string): string;
  /** Ends kube-apiserver and leaves etcd; its port refuses connections. */
  pause(): Promise<void>;
  /** Starts it again, with the same state on the same port. */
  resume(): Promise<void>;
  /** What kube-apiserver wrote, of all its starts. */
  log(): string;
  stop(): Promise<void>;
}

/** A token that is a member of system:masters. */
const TOKEN = "test-admin-token";

/** The content type of a server-side apply. */
const APPLY = "application/apply-patch+yaml";

/**
 * Starts etcd and kube-apiserver on free ports of 127.0.0.1.
 *
 * @param accounts service accounts, `NAMESPACE:NAME`, that can log in; they may do what RBAC gives them
 */
export async function startApiServer(
  binaries: { apiserver: string; etcd: string },
  accounts: readonly string[] = [],
): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), "gracegate-apiserver-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [client, peer, secure] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${client}`;
  const made = await makeCertificates(["localhost", "127.0.0.1"], 2);
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const saKey = file("sa.key", keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  const saPub = file("sa.pub", keys.publicKey.export({ type: "spki", format: "pem" }).toString());
  mkdirSync(join(folder, "etcd"));

  const children: ChildProcess[] = [];
  const start = (name: string, command: string, args: readonly string[]) => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(command, args, { stdio: ["ignore", log, log] });
    children.push(child);
    return child;
  };
  const stop = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGTERM");
      await Promise.race([once(child, "exit"), wait(10_000).then(() => child.kill("SIGKILL"))]);
    }
    rmSync(folder, { recursive: true, force: true });
  };

  start("etcd", binaries.etcd, [
    `--data-dir=${join(folder, "etcd")}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
  ]);
  const tokens = [
    `${TOKEN},admin,admin,system:masters`,
    ...accounts.map((account) => {
      const groups = `system:serviceaccounts,system:serviceaccounts:${account.split(":")[0]},system:authenticated`;
      return `token-${account},system:serviceaccount:${account},${account},"${groups}"`;
    }),
  ];
  const ca = file("ca.crt", made.caCert);
  const kubeconfig = (account?: string) =>
    file(
      `kubeconfig-${(account ?? "admin").replaceAll(":", "-")}`,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server: `https://127.0.0.1:${secure}`, "certificate-authority": ca } }],
        users: [{ name: "u", user: { token: account === undefined ? TOKEN : `token-${account}` } }],
        contexts: [{ name: "test", context: { cluster: "c", user: "u" } }],
        "current-context": "test",
      }),
    );
  const flags = [
    `--etcd-servers=${etcdUrl}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${file("tls.crt", made.cert)}`,
    `--tls-private-key-file=${file("tls.key", made.key)}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${secure}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    `--token-auth-file=${file("tokens.csv", `${tokens.join("\n")}\n`)}`,
    `--service-account-issuer=https://127.0.0.1:${secure}/`,
    `--service-account-key-file=${saPub}`,
    `--service-account-signing-key-file=${saKey}`,
  ];

  const send = (method: string, path: string, body?: JsonObject, type?: string, more: Record<string, string> = {}) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        Authorization: `Bearer ${TOKEN}`,
        "Content-Type": type ?? (method === "PATCH" ? APPLY : "application/json"),
        Accept: "application/json",
        ...more,
      };
      const sent = request(
        {
          host: "127.0.0.1",
          servername: "localhost",
          port: secure,
          method,
          path,
          ca: made.caCert,
          headers,
          timeout: 40_000,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () => {
            const answer = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode ?? 0,
              body: answer.startsWith("{") ? (JSON.parse(answer) as JsonObject) : { text: answer },
              warnings: [response.headers.warning ?? []].flat().flatMap(warningTexts),
            });
          });
        },
      );
      sent.on("timeout", () => sent.destroy(new Error("no answer in 40 s")));
      sent.on("error", reject);
      sent.end(text);
    });

  const call: ApiServer["call"] = (method, path, body, type) => send(method, path, body, type);
  const callAs: ApiServer["callAs"] = (account, method, path, body, type) =>
    send(method, path, body, type, { "Impersonate-User": `system:serviceaccount:${account}` });

  const log = () => readFileSync(join(folder, "kube-apiserver.log"), "utf8");
  let apiserver: ChildProcess;
  const resume = async () => {
    apiserver = start("kube-apiserver", binaries.apiserver, flags);
    const end = performance.now() + 60_000;
    for (;;) {
      const ready = await call("GET", "/readyz").catch(() => undefined);
      if (ready?.status === 200) return;
      if (apiserver.exitCode !== null || performance.now() > end) {
        const tail = log().split("\n").slice(-15).join("\n");
        await stop();
        throw new Error(`kube-apiserver did not become ready:\n${tail}`);
      }
      await wait(100);
    }
  };
  const pause = async () => {
    const ended = once(apiserver, "exit");
    apiserver.kill("SIGKILL");
    await ended;
  };
  await resume();
  return { call, callAs, kubeconfig, pause, resume, log, stop };
}

/** `299 - "text"`, several of them joined by commas. */
function warningTexts(header: string): readonly string[] {
  return [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map((match) => JSON.parse(match[1] ?? '""') as string);
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
        }),
    ),
  );
  for (const server of servers) server.close();
  return ports;
}
