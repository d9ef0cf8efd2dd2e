/**
 * What a Service is to the API server: one address, connections to any replica that takes them. Plain TCP, on 127.0.0.1.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A running balancer. */
export interface Balancer {
  readonly port: number;
  /** Ports of the replicas; a change is for new connections. */
  replicas: readonly number[];
  close(): Promise<void>;
}

/** Starts one. */
export async function startBalancer(): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    const replica = balancer.replicas[turn++ % balancer.replicas.length];
    if (replica === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(replica, "127.0.0.1");
    keep(upstream);
    client.pipe(upstream).pipe(client);
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const balancer: Balancer = {
    port: (server.address() as AddressInfo).port,
    replicas: [],
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return balancer;
}
