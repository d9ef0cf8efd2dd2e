/**
 * A server that writes HTTP/2 frames by hand: Node's own would put right what is to be wrong.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";

/** One thing that is sent for the first request of a connection; "pause" lets what was sent arrive, "end" sends FIN. */
export type Step = Buffer | "pause" | "end";

/** Flags of frames (RFC 9113 6). */
const END_STREAM = 1;
const END_HEADERS = 4;

/** Frames for stream 1. */
export const frames = {
  /** `:status` alone, from the static table of HPACK. */
  status: (status: 200 | 500, end = false) =>
    frame(1, END_HEADERS | (end ? END_STREAM : 0), 1, Buffer.from([status === 200 ? 0x88 : 0x8e])),
  /** 200 with a content-length of one digit. */
  length: (digit: number) => frame(1, END_HEADERS, 1, Buffer.from([0x88, 0x0f, 0x0d, 1, 0x30 + digit])),
  data: (text: string, end = false) => frame(0, end ? END_STREAM : 0, 1, Buffer.from(text)),
  /** DATA on stream 0, a connection error of PROTOCOL_ERROR (RFC 9113 6.1). */
  astray: () => frame(0, 0, 0, Buffer.from("x")),
  trailers: () => frame(1, END_HEADERS | END_STREAM, 1),
  reset: (code: number) => frame(3, 0, 1, Buffer.from([0, 0, 0, code])),
  goaway: (lastStream: number, code: number) => frame(7, 0, 0, Buffer.from([0, 0, 0, lastStream, 0, 0, 0, code])),
};

/** Starts a server that answers the first request of each connection by the steps. */
export async function frameServer(steps: readonly Step[]): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    // The client's first piece holds its preface and the request's HEADERS, or the latter follows at once.
    socket.once("data", () => setTimeout(() => void play(socket, steps), PAUSE_MS));
    socket.on("data", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const PAUSE_MS = 30;

/** What stands between two pauses goes out as one piece. */
async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  let piece: Buffer[] = [frame(4, 0, 0)];
  for (const step of [...steps, "pause" as const]) {
    if (step instanceof Buffer) {
      piece.push(step);
      continue;
    }
    socket.write(Buffer.concat(piece));
    piece = [];
    if (step === "end") socket.end();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
