import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import type { McpServer } from "../../../src/agent/mcp/config.ts";
import { connectMcp, type McpConnections, type McpTrouble } from "../../../src/agent/mcp/connect.ts";
import { serverToolName } from "../../../src/agent/mcp/server-tool.ts";
import type { Tool } from "../../../src/agent/tools/tool.ts";
import { englishText, foreignText } from "../../../src/record/error.ts";
import { isLiving } from "../../living.ts";
import { makeServer } from "./make-server.mjs";

const script = fileURLToPath(new URL("./stdio-server.mjs", import.meta.url));
const sample: McpServer = {
  name: "sample",
  kind: "stdio",
  command: process.execPath,
  args: [script],
  env: { MINE: "1" },
};
const environment = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "secret" };

const open: McpConnections[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function connected(
  servers: readonly McpServer[],
  more: { signal?: AbortSignal; connectMs?: number; callMs?: number } = {},
) {
  const troubles: McpTrouble[] = [];
  const connections = await connectMcp(
    { file: ".mcp.json", servers },
    {
      workspace: process.cwd(),
      fetch,
      signal: new AbortController().signal,
      environment,
      onTrouble: (each) => troubles.push(each),
      ...more,
    },
  );
  open.push(connections);
  const tool = (name: string) =>
    connections.tools.find((each) => each.name === `mcp__sample__${name}`) as Tool;
  const call = (name: string, input: object = {}, signal = new AbortController().signal) =>
    tool(name).run(input, { id: "1", signal, onOutput: () => {} });
  return { connections, troubles, tool, call };
}

const handler = createMcpHandler(makeServer);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await handler.fetch(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? "POST",
      headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      ...(request.method === "POST" ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

describe("the tools of an MCP server", () => {
  it("are tools as others are, with the server's own schema", async () => {
    const { connections, troubles, tool, call } = await connected([sample]);
    expect(troubles).toEqual([]);
    expect(connections.tools.map(({ name, reach }) => `${name} ${reach}`)).toEqual([
      "mcp__sample__say reads",
      "mcp__sample__strange_name anything",
      "mcp__sample__draw anything",
      "mcp__sample__refuse anything",
      "mcp__sample__variable anything",
      "mcp__sample__wait anything",
      "mcp__sample__die anything",
      "mcp__sample__child anything",
    ]);
    const say = tool("say");
    expect(say).toMatchObject({
      description: "Says it.",
      parameters: { type: "object", required: ["word"] },
    });
    expect(say.about({ word: "hi" })).toBe('{"word":"hi"}');
    expect(await say.subjects({})).toEqual([{ kind: "tool" }]);
    expect(say.input.parse({ word: "hi", more: 1 })).toEqual({ word: "hi", more: 1 });
    expect(await call("say", { word: "hi" })).toEqual({
      outcome: "ok",
      parts: [{ type: "text", text: "You said hi" }],
    });
    expect(await call("strange_name")).toMatchObject({
      outcome: "ok",
      parts: [
        { type: "text", text: "A dot:" },
        { type: "image", mediaType: "image/png" },
      ],
    });
  });

  it("show no image that a provider would refuse, and say what was left out", async () => {
    const { call } = await connected([sample]);
    const drawn = async (bytes: Buffer) => call("draw", { data: bytes.toString("base64") });
    const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
    expect(await drawn(gif)).toEqual({
      outcome: "ok",
      parts: [{ type: "image", mediaType: "image/gif", data: gif.toString("base64") }],
    });
    expect(await drawn(Buffer.from("<svg/>"))).toMatchObject({
      parts: [
        {
          text: "(An image was omitted: it is not a PNG, JPEG, GIF, or WebP file. Its declared type is image/png.)",
        },
      ],
    });
    expect(await drawn(Buffer.from("\x89PNG\r\n\x1a\n and no more", "latin1"))).toMatchObject({
      parts: [{ text: "(An image was omitted: the image is damaged or incomplete.)" }],
    });
    expect(await drawn(Buffer.concat([gif, Buffer.alloc(5_000_000), gif]))).toMatchObject({
      parts: [{ text: "(An image was omitted: the image is larger than 5 MB; make it smaller first.)" }],
    });
  });

  it("cut no character in two when they say too much, and show the end of what they are asked", async () => {
    const { call, tool } = await connected([sample]);
    const word = `${"x".repeat(99_990)}${"\u{1f600}".repeat(10)}`;
    expect(JSON.stringify(await call("say", { word }))).not.toMatch(/\\ud83d/u);
    for (const start of ["", "x"]) {
      const about = tool("say").about({ word: `${start}${"\u{1f600}".repeat(200)}!` });
      expect(about).toMatch(new RegExp(`^\\{"word":"${start}\u{1f600}+ … \u{1f600}+!"\\}$`, "u"));
    }
  });

  it("may fail, and get the server's explanation of what is wrong with their arguments", async () => {
    const { call } = await connected([sample]);
    expect(await call("refuse")).toEqual({ outcome: "error", parts: [{ type: "text", text: "No." }] });
    expect(await call("say", { word: 5 })).toMatchObject({
      outcome: "error",
      parts: [{ text: expect.stringContaining("word") }],
    });
  });

  it("see what their entry gives them, and no key", async () => {
    const { call } = await connected([sample]);
    expect(await call("variable", { name: "MINE" })).toMatchObject({ parts: [{ text: "1" }] });
    expect(await call("variable", { name: "ANTHROPIC_API_KEY" })).toMatchObject({
      parts: [{ text: "not set" }],
    });
  });

  it("end when they are cancelled, or take too long", async () => {
    const { call } = await connected([sample], { callMs: 100 });
    expect(await call("wait")).toMatchObject({
      outcome: "error",
      parts: [{ text: expect.stringMatching(/timed out/iu) }],
    });
    const stop = new AbortController();
    const waiting = call("wait", {}, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ outcome: "interrupted" });
    expect(await call("say", { word: "still here" })).toMatchObject({ outcome: "ok" });
  });

  it("have names that every provider takes", () => {
    expect(serverToolName("my server", "a.b/c")).toBe("mcp__my_server__a_b_c");
    const long = [serverToolName("s", `${"x".repeat(80)}1`), serverToolName("s", `${"x".repeat(80)}2`)];
    for (const name of long) expect(name).toMatch(/^[A-Za-z0-9_-]{64}$/u);
    expect(new Set(long).size).toBe(2);
  });
});

describe("an MCP server", () => {
  it("that does not start costs only its own tools, and is reported", async () => {
    const broken = (name: string, code: string): McpServer =>
      ({ ...sample, name, args: ["-e", code] }) as McpServer;
    const { connections, troubles } = await connected(
      [
        sample,
        { ...sample, name: "nowhere", command: "/no/such/program" },
        broken("crash", "console.error('no licence'); process.exit(1)"),
        broken("silent", "setInterval(() => {}, 1000)"),
        { name: "far", kind: "http", url: "http://127.0.0.1:1/mcp", headers: {} },
        { name: "odd", kind: "http", url: "not an address", headers: {} },
        { ...sample, name: "keyless", env: { KEY: "\u0024{NO_SUCH_KEY}" } },
      ],
      { connectMs: 1_500 },
    );
    expect(connections.tools).toHaveLength(8);
    expect(troubles.map(({ server }) => server).sort()).toEqual([
      "crash",
      "far",
      "keyless",
      "nowhere",
      "odd",
      "silent",
    ]);
    const said = (name: string) =>
      englishText(troubles.find(({ server }) => server === name)?.problem ?? foreignText(""));
    expect(said("crash")).toContain("no licence");
    expect(said("silent")).toBe("The MCP server silent did not start: no answer within 1500 ms.");
    expect(said("nowhere")).toContain("ENOENT");
    expect(said("keyless")).toContain("NO_SUCH_KEY");
  });

  it("that dies is reported, and its tools say so", async () => {
    const { troubles, call } = await connected([sample]);
    expect(await call("die")).toMatchObject({ outcome: "error" });
    expect(await call("say", { word: "?" })).toEqual({
      outcome: "error",
      parts: [{ type: "text", text: "The MCP server sample has exited." }],
    });
    expect(troubles).toEqual([
      { server: "sample", problem: { reason: "mcp-ended", params: { server: "sample" } } },
    ]);
  });

  it("is gone after close, with everything that it started, and without a message", async () => {
    const { connections, troubles, call } = await connected([sample]);
    const started = await call("child");
    const pid = Number(started === "later" ? "" : (started.parts[0] as { text: string }).text);
    expect(isLiving(pid)).toBe(true);
    await connections.close();
    await expect.poll(() => isLiving(pid)).toBe(false);
    expect(troubles).toEqual([]);
  });

  it("that is stopped while it connects leaves nothing", async () => {
    const stop = new AbortController();
    const idle: McpServer = { ...sample, args: ["-e", "setInterval(() => {}, 1000)"] } as McpServer;
    const pending = connected([idle], { signal: stop.signal });
    stop.abort();
    const [trouble] = (await pending).troubles;
    expect(englishText(trouble?.problem ?? foreignText(""))).toBe(
      "The MCP server sample did not start: interrupted.",
    );
  });

  it("may be reached over HTTP, with headers", async () => {
    const seen: (string | undefined)[] = [];
    const http = createServer((request, response) => {
      seen.push(request.headers["x-token"]?.toString());
      void serve(request, response);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = http.address() as AddressInfo;
      const far: McpServer = {
        name: "sample",
        kind: "http",
        url: `http://127.0.0.1:${port}/mcp`,
        headers: { "X-Token": "t" },
      };
      const { troubles, call, connections } = await connected([far]);
      expect(troubles).toEqual([]);
      expect(await call("say", { word: "far" })).toMatchObject({ parts: [{ text: "You said far" }] });
      expect(new Set(seen)).toEqual(new Set(["t"]));
      await connections.close();
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  });

  it("need not exist: nothing is loaded or started without one", async () => {
    expect((await connected([])).connections.tools).toEqual([]);
  });
});
