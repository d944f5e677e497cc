import { createServer, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

/**
 * Answers a request with bytes that no honest server sends. `type` is the content type that the client
 * expects.
 */
export type Attack = (socket: Socket, type: string) => void;

/** More than a client may hold, compressed into a few kilobytes. */
const ZEROS = Buffer.alloc(20_000_000);
const bombs = new Map<string, Buffer>();

const head = (type: string, ...fields: readonly string[]): string =>
  ["HTTP/1.1 200 OK", `content-type: ${type}`, ...fields, "", ""].join("\r\n");

const encoded =
  (encoding: string, body: () => Buffer): Attack =>
  (socket, type) => {
    const bytes = bombs.get(encoding) ?? body();
    bombs.set(encoding, bytes);
    socket.write(head(type, `content-encoding: ${encoding}`, "connection: close"));
    socket.end(bytes);
  };

/** Writes the same bytes for as long as the other side reads. */
const endlessly =
  (start: (type: string) => string, more: string): Attack =>
  (socket, type) => {
    socket.write(start(type));
    const piece = more.repeat(Math.ceil(65_536 / more.length));
    const write = (): void => {
      while (!socket.destroyed && socket.write(piece)) if (socket.writableLength > 1_000_000) break;
    };
    socket.on("drain", () => setImmediate(write));
    write();
  };

const dripping =
  (start: (type: string) => string, more: string): Attack =>
  (socket, type) => {
    socket.write(start(type));
    const timer = setInterval(() => socket.write(more), 20);
    socket.once("close", () => clearInterval(timer));
  };

const chunked = (type: string): string => head(type, "transfer-encoding: chunked");
const answer =
  (text: (type: string) => string): Attack =>
  (socket, type) =>
    void socket.write(text(type));

export const attacks = {
  "a gzip bomb": encoded("gzip", () => gzipSync(ZEROS)),
  "a brotli bomb": encoded("br", () => brotliCompressSync(ZEROS, { params: { 1: 3 } })),
  "a deflate bomb": encoded("deflate", () => deflateSync(ZEROS)),
  "a bomb in a bomb": encoded("gzip, gzip", () => gzipSync(gzipSync(ZEROS))),
  "three encodings": encoded("gzip, gzip, gzip", () => gzipSync("x")),
  "an encoding that was not asked for": encoded("zstd", () => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0])),
  "gzip that is not gzip": (socket, type) => socket.end(`${head(type, "content-encoding: gzip")}not gzip`),
  "gzip that is cut": (socket, type) => {
    socket.write(head(type, "content-encoding: gzip", "connection: close"));
    socket.end(gzipSync("x".repeat(1_000)).subarray(0, 20));
  },
  "gzip of nothing without an end": endlessly(
    (type) => head(type, "content-encoding: gzip"),
    gzipSync("").toString("latin1"),
  ),
  "less than its length": (socket, type) => socket.end(`${head(type, "content-length: 1000")}short`),
  "more than its length": (socket, type) =>
    socket.end(`${head(type, "content-length: 5")}${"x".repeat(100_000)}`),
  "two lengths": answer((type) => `${head(type, "content-length: 5", "content-length: 6")}12345`),
  "headers without an end": endlessly(() => "HTTP/1.1 200 OK\r\n", `x-more: ${"x".repeat(80)}\r\n`),
  "one header without an end": endlessly(() => "HTTP/1.1 200 OK\r\nx: ", "x"),
  "a chunk extension without an end": endlessly((type) => `${chunked(type)}1;`, "x=y;"),
  "a chunk size that is not one": answer((type) => `${chunked(type)}zz\r\nx\r\n`),
  "a chunk size beyond all numbers": answer((type) => `${chunked(type)}fffffffffffffffff\r\nx\r\n`),
  "a negative chunk size": answer((type) => `${chunked(type)}-5\r\nx\r\n`),
  "trailers without an end": endlessly((type) => `${chunked(type)}1\r\nx\r\n0\r\n`, "x-more: y\r\n"),
  "a reset in the middle": (socket, type) => {
    socket.write(`${head(type, "content-length: 1000")}x`, () =>
      setTimeout(() => socket.resetAndDestroy(), 20),
    );
  },
  "a half-closed connection": (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-type"),
  "an end at once": (socket) => socket.end(),
  "words that are not HTTP": answer(() => "220 mail.example ESMTP\r\n"),
  "a status that is not one": (socket, type) => socket.end(`${head(type).replace("200", "999")}x`),
  "a negative status": answer((type) => head(type).replace("200", "-1")),
  "a protocol that was not asked for": answer(
    () => "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  ),
  "informational answers without an end": endlessly(() => "", "HTTP/1.1 102 Processing\r\n\r\n"),
  "early hints, now and then": dripping(() => "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
  "a head that comes drop by drop": dripping(() => "HTTP/1.1 200 OK\r\nx: ", "x"),
  silence: () => undefined,
  "silence after the head": answer((type) => head(type)),
  "a line without an end": endlessly((type) => `${head(type)}data: `, "x"),
  "an event of lines without an end": endlessly((type) => head(type), "data: x\n"),
} satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;

/** A local server that attacks every client. `sent` counts the bytes that it could send. */
export async function hostileServer(type: string, attack: Attack) {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    let asked = "";
    let isAnswered = false;
    socket.on("data", (bytes) => {
      asked += bytes.toString("latin1");
      if (isAnswered || !asked.includes("\r\n\r\n")) return;
      isAnswered = true;
      requests.push(asked);
      attack(socket, type);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    allClosed: () => [...sockets].every(({ destroyed }) => destroyed),
  };
}

const AT_ONCE = 8;

/**
 * Runs `work` for every attack, several at once because most of them wait. The error names the attacks that
 * failed.
 */
export async function underEveryAttack(work: (name: AttackName) => Promise<void>): Promise<void> {
  const names = Object.keys(attacks) as AttackName[];
  const faults: string[] = [];
  const worker = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const under = name;
      await work(under).catch((error: unknown) => faults.push(`${under}: ${String(error)}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
