import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { toolshed } from "./support/toolshed.ts";

async function site(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const shed = toolshed();
  const get = async (path: string, signal?: AbortSignal) =>
    shed.call(
      "WebFetch",
      { url: `http://127.0.0.1:${port}${path}`, prompt: "ignored" },
      signal === undefined ? {} : { signal },
    );
  return { ...shed, get, origin: `http://127.0.0.1:${port}` };
}

/** Answers every request with this body. */
const serving =
  (type: string | undefined, body: string | Uint8Array, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, type === undefined ? {} : { "content-type": type });
    response.end(body);
  };

describe("WebFetch", () => {
  it("shows a page as Markdown, without what only a browser needs", async () => {
    const html = `<!doctype html><html><head><title>T</title><style>p{}</style><script>evil()</script></head>
      <body><h1>Head</h1><p>Some <b>bold</b> <a href="/x">link</a></p><ul><li>one</li></ul>
      <pre><code>let a = 1;</code></pre><img alt="pixel" src="data:image/png;base64,AAAA"></body></html>`;
    const { get } = await site(serving("text/html; charset=utf-8", html));
    const said = await get("/");
    expect([said.outcome, said.text]).toEqual([
      "ok",
      "T\n\n# Head\n\nSome **bold** [link](/x)\n\n-   one\n\n```\nlet a = 1;\n```\n\npixel",
    ]);
  });

  it("shows other text as it is, in its charset", async () => {
    const json = await site(serving("application/json", '{"a":1}'));
    expect((await json.get("/")).text).toBe('{"a":1}');
    const latin = await site(serving("text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1")));
    expect((await latin.get("/")).text).toBe("café");
    const untyped = await site(serving(undefined, "just text"));
    expect((await untyped.get("/")).text).toBe("just text");
  });

  it("refuses what is not text, too large, or not a web address", async () => {
    const image = await site(serving("image/png", "x"));
    expect((await image.get("/i.png")).text).toContain("/i.png is not text: its type is image/png.");
    const binary = await site(serving(undefined, Buffer.from([1, 0, 2])));
    expect((await binary.get("/")).text).toContain("is a binary file.");
    const large = await site(serving("text/plain", Buffer.alloc(10_000_001, "x")));
    expect((await large.get("/")).text).toBe(`${large.origin}/ is larger than 10 MB.`);
    const said = async (url: string) => (await large.call("WebFetch", { url })).text;
    expect(await said("file:///etc/passwd")).toBe(
      "URLs that begin with file:// cannot be fetched. Use http:// or https://",
    );
    expect(await said("nonsense")).toBe(
      "nonsense is not a URL. Use a URL that begins with http:// or https://",
    );
    expect(await said("http://me:pw@127.0.0.1/")).toBe("URLs with a user name or password are not fetched.");
  });

  it("cuts a long text and says so", async () => {
    const { get } = await site(serving("text/plain", "x".repeat(60_000)));
    const { text } = await get("/");
    expect(text).toBe(`${"x".repeat(50_000)}\n\n[... 10,000 more characters omitted]`);
  });

  it("follows redirects on the same host only", async () => {
    const { get, origin } = await site((request, response) => {
      const to: Record<string, string> = {
        "/a": "/b",
        "/far": "http://localhost:9/x",
        "/round": "/round",
        "/odd": "file:///etc",
      };
      const location = to[request.url ?? ""];
      if (location !== undefined) response.writeHead(302, { location });
      response.end("arrived");
    });
    expect((await get("/a")).text).toBe(`[From ${origin}/b]\n\narrived`);
    const far = await get("/far");
    expect([far.outcome, far.text]).toEqual([
      "error",
      `${origin}/far redirects elsewhere. To follow the redirect, call WebFetch with http://localhost:9/x`,
    ]);
    expect((await get("/round")).text).toBe(`${origin}/round redirects more than 10 times.`);
    expect((await get("/odd")).text).toBe(
      "URLs that begin with file:// cannot be fetched. Use http:// or https://",
    );
  });

  it("reports the answer of a server that refuses, and a port that nothing listens on", async () => {
    const { get, origin } = await site(serving("text/plain", "gone", 404));
    const said = await get("/x");
    expect([said.outcome, said.text]).toEqual(["error", `${origin}/x returned HTTP 404.\n\ngone`]);
    const refused = toolshed({
      fetch: async () =>
        Promise.reject(
          new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
        ),
    });
    expect((await refused.call("WebFetch", { url: "http://127.0.0.1:1/" })).text).toBe(
      "http://127.0.0.1:1/ could not be fetched: connect ECONNREFUSED 127.0.0.1:1.",
    );
  });

  it("ends when it is interrupted while the server is silent", async () => {
    const stop = new AbortController();
    const { get } = await site(() => stop.abort());
    expect((await get("/", stop.signal)).outcome).toBe("interrupted");
  });

  it("is about the address", async () => {
    const { subjects } = toolshed();
    expect(await subjects("WebFetch", { url: "https://example.org/a" })).toEqual([
      { kind: "url", url: "https://example.org/a" },
    ]);
  });
});
