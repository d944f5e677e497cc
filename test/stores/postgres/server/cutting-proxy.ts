import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/**
 * When a connection is cut: before the commit is passed on, after it but before the answer, or while the
 * server is still working on it.
 */
export type Cut = "before the commit" | "after the commit" | "while it is under way";

export interface CuttingProxy {
  /** The address of the same database through this proxy. */
  readonly url: string;
  /** One cut for each of the next commits; later commits pass. */
  readonly cuts: Cut[];
  /** "hung": nothing passes in either direction, as with a stopped server. */
  state: "well" | "hung" | "to hang after the next commit";
  /** The delay between the pieces of an answer, a few kilobytes each. */
  slowMs: number;
  /** How many commits were requested. */
  commits: number;
  close(): Promise<void>;
}

const PIECE = 8_192;
const COMMIT = Buffer.from("COMMIT\0");

/** A proxy between a client and its server that cuts connections at their commits. */
export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    let isMute = false;
    let passing = Promise.resolve();
    upstream.on("data", (bytes) => {
      if (proxy.state === "hung") return;
      if (isMute) client.destroy();
      else if (proxy.slowMs === 0) client.write(bytes);
      else passing = passing.then(async () => passSlowly(client, bytes, proxy.slowMs));
    });
    upstream.on("close", () => client.destroy());
    client.on("close", () => {
      if (!isMute) upstream.destroy();
    });
    client.on("data", (bytes) => {
      if (proxy.state === "hung") return undefined;
      if (!bytes.includes(COMMIT)) return upstream.write(bytes);
      const cut = nextCut(proxy);
      if (cut === "before the commit") return client.destroy();
      isMute = cut !== undefined;
      upstream.write(bytes);
      // The server continues with the commit, so its outcome may be asked for before the server knows it.
      if (cut === "while it is under way") client.destroy();
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const proxy: CuttingProxy = {
    url: through.href,
    cuts: [],
    state: "well",
    slowMs: 0,
    commits: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Decides what happens to a commit and to everything after it. */
function nextCut(proxy: CuttingProxy): Cut | undefined {
  proxy.commits += 1;
  if (proxy.state === "to hang after the next commit") proxy.state = "hung";
  return proxy.cuts.shift();
}

async function passSlowly(client: Socket, bytes: Buffer, slowMs: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    client.write(bytes.subarray(at, at + PIECE));
    await setTimeout(slowMs);
  }
}
