import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** When a connection is cut: with the commit not passed on, or passed on but its answer not. */
export type Cut = "before the commit" | "after the commit" | "while it is under way";

export interface CuttingProxy {
  /** The same database, through here. */
  readonly url: string;
  /** What becomes of the next commits, one each; after them, all pass. */
  readonly cuts: Cut[];
  /** "hung": nothing passes any more, either way, as with a server that is stopped. */
  state: "well" | "hung" | "to hang after the next commit";
  /** How long each piece of an answer takes, of a few kilobytes. */
  slowMs: number;
  /** Commits that were asked for. */
  commits: number;
  close(): Promise<void>;
}

const PIECE = 8_192;
const COMMIT = Buffer.from("COMMIT\0");

/** Stands between a client and its server, and cuts connections at their commits. */
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
      // The server goes on with it, and may be asked what became of it before it knows.
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

/** What becomes of a commit, and of all that comes after it. */
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
