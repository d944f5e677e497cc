import { randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpFetch } from "../../src/agent/http-fetch.ts";

const LIMITS = { connectMs: 2_000, silenceMs: 2_000 };
const get = httpFetch({}, LIMITS);

async function listening<S extends Server | ReturnType<typeof createTcpServer>>(server: S): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const site = async (listener: RequestListener): Promise<string> => listening(createServer(listener));

/** Starts a server that waits for a request, sends these bytes and closes the connection. */
const sending = async (...bytes: readonly (string | Buffer)[]): Promise<string> =>
  listening(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        for (const each of bytes) socket.write(each);
        socket.end();
      });
    }),
  );

describe("an HTTP request", () => {
  it("keeps a response without a length whole if it ends before the body is read", async () => {
    const body = randomBytes(3_000_000);
    const head = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
    for (const [encoding, bytes] of [
      ["", body],
      ["content-encoding: gzip\r\n", gzipSync(body)],
    ] as const) {
      const response = await get(await sending(`${head}${encoding}\r\n`, bytes));
      // Simulate a slow reader: the whole response arrives before the body is read.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
    }
    const short = await get(await sending(`${head}content-length: 65536\r\n\r\n`, Buffer.alloc(65_536)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await short.arrayBuffer()).byteLength).toBe(65_536);
  });

  it("says what it takes, and decodes it", async () => {
    const seen: unknown[] = [];
    const url = await site(({ headers, url: path }, response) => {
      seen.push(headers["accept-encoding"], headers["user-agent"], headers.accept);
      response.setHeader("content-encoding", path === "/br" ? "br" : "gzip");
      response.end((path === "/br" ? brotliCompressSync : gzipSync)("Ünï"));
    });
    expect(await (await get(`${url}/br`)).text()).toBe("Ünï");
    expect(await (await get(`${url}/gzip`)).text()).toBe("Ünï");
    expect(seen.slice(0, 3)).toEqual(["gzip, br", "worldline", "*/*"]);
  });

  it("follows no redirect, and sends nothing to where one leads", async () => {
    let reached = 0;
    const other = await site((_request, response) => response.end(String(++reached)));
    const url = await site((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { location: other }).end();
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const response = await get(`${url}/${status}`, { method: "POST", body: "secret", redirect: "follow" });
      expect([response.status, response.headers.get("location")]).toEqual([status, other]);
    }
    expect(reached).toBe(0);
  });

  it("keeps the connection for the next one, and lets the process end", async () => {
    const ports = new Set<number | undefined>();
    const url = await site((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("x".repeat(100_000));
    });
    for (let time = 0; time < 3; time += 1) await (await get(url)).text();
    await (await get(url, { method: "POST", body: "x" })).text();
    expect(ports.size).toBe(1);
  });

  it("ends with the reason of its signal, before, while it waits and while it is read", async () => {
    const reason = new Error("enough");
    await expect(get("http://127.0.0.1:9999/", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const url = await site((request, response) => void (request.url === "/body" && response.write("x")));
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(reason), 20);
    await expect(get(url, { signal: waiting.signal })).rejects.toBe(reason);
    const reading = new AbortController();
    const response = await get(`${url}/body`, { signal: reading.signal });
    setTimeout(() => reading.abort(reason), 20);
    await expect(response.text()).rejects.toBe(reason);
  });

  it("is not made where it could be something else", async () => {
    for (const url of [
      "file:///etc/passwd",
      "ftp://host.test/",
      "http://me:secret@host.test/",
      "http://host.test:25/",
    ]) {
      await expect(get(url)).rejects.toMatchObject({ code: "HTTP_INVALID_REQUEST" });
    }
    const split = { headers: { "x-key": "a\r\nb: c" } };
    await expect(get("http://127.0.0.1:9999/", split)).rejects.toThrow(/header value/u);
  });

  it("goes through a tunnel of the proxy, with its password, also to addresses without TLS", async () => {
    const asked: unknown[] = [];
    const target = await site((_request, response) => response.end("there"));
    const proxy = createServer();
    proxy.on("connect", (request, client: Socket) => {
      asked.push([request.url, request.headers["proxy-authorization"]]);
      const upstream = connect(Number(new URL(target).port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
      onTestFinished(() => void upstream.destroy());
    });
    const address = (await listening(proxy)).replace("://", "://me:p%40ss@");
    const through = httpFetch({ HTTP_PROXY: address }, LIMITS);
    expect(await (await through("http://far.test/")).text()).toBe("there");
    await expect(through("https://far.test/")).rejects.toMatchObject({
      code: expect.stringMatching(/SSL|EPROTO/u),
    });
    const login = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(asked).toEqual([
      ["far.test:80", login],
      ["far.test:443", login],
    ]);
  });

  it("fails when the proxy refused the connection, is silent, or ends in the middle", async () => {
    const refusing = createServer().on("connect", (_request, client: Socket) => {
      client.end("HTTP/1.1 407 No\r\ncontent-length: 2\r\n\r\nno");
    });
    const silent = createServer().on("connect", () => undefined);
    const ending = createServer().on("connect", (_request, client: Socket) => {
      client.end("HTTP/1.1 200 OK\r\n\r\n");
    });
    const ask = async (proxy: Server, url: string) =>
      httpFetch(
        { HTTPS_PROXY: await listening(proxy), HTTP_PROXY: await listening(createServer()) },
        {
          connectMs: 200,
          silenceMs: 200,
        },
      )(url);
    await expect(ask(refusing, "https://far.test/")).rejects.toMatchObject({
      code: "HTTP_PROXY_REFUSED",
      proxyStatus: 407,
    });
    await expect(ask(silent, "https://far.test/")).rejects.toMatchObject({ code: "HTTP_CONNECT_TIMEOUT" });
    await expect(ask(ending, "https://far.test/")).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});
