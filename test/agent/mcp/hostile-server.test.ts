import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpFetch } from "../../../src/agent/http-fetch.ts";
import type { McpServer } from "../../../src/agent/mcp/config.ts";
import { connectMcp, type McpTrouble } from "../../../src/agent/mcp/connect.ts";
import { specOf } from "../../../src/agent/tools/tool.ts";
import { englishText } from "../../../src/record/error.ts";
import { textOf } from "../../../src/record/parts.ts";
import { attacks, hostileServer, underEveryAttack } from "../../support/hostile-server.ts";

const script = fileURLToPath(new URL("./hostile-server.mjs", import.meta.url));

async function connected(server: McpServer, more: { connectMs?: number; callMs?: number } = {}) {
  const troubles: McpTrouble[] = [];
  const { tools, close } = await connectMcp(
    { file: ".mcp.json", servers: [server] },
    {
      workspace: process.cwd(),
      fetch: httpFetch({}, { connectMs: 2_000, silenceMs: 300 }),
      signal: new AbortController().signal,
      environment: { PATH: process.env["PATH"] },
      onTrouble: (each) => troubles.push(each),
      connectMs: 20_000,
      ...more,
    },
  );
  onTestFinished(close);
  const output: string[] = [];
  const call = async () => {
    const signal = new AbortController().signal;
    const result = await tools[0]?.run({}, { id: "1", signal, onOutput: (text) => output.push(text) });
    if (result === undefined || result === "later") throw new Error("no result");
    return { outcome: result.outcome, text: textOf(result.parts) };
  };
  const said = troubles.map(({ problem }) => englishText(problem)).join("\n");
  return { tools, troubles, call, output, close, said };
}

const stdio = (attack: string): McpServer => ({
  name: "hostile",
  kind: "stdio",
  command: process.execPath,
  args: [script, attack],
  env: {},
});

describe("an MCP server whose list of tools is bad", () => {
  it("costs only the tools that cannot be used, and each is named", async () => {
    const { tools, said } = await connected(stdio("bad-tools"));
    expect(tools.map(({ name }) => name)).toEqual([
      "mcp__hostile__good",
      "mcp__hostile__proto",
      "mcp__hostile__bad-output",
    ]);
    for (const tool of tools) expect(specOf(tool).parameters).toMatchObject({ type: "object" });
    expect(said).toMatch(
      /^The MCP server hostile lists tools that cannot be used: deep \(its schema is nested/u,
    );
    expect(said).toContain("array (inputSchema: ");
    expect(said).toContain(", and 3 more.");
  });

  it("is accepted as far as it is usable", async () => {
    const { tools, said } = await connected(stdio("many-tools"));
    expect(tools).toHaveLength(1_000);
    expect(said).toContain("4000 more (only 1000 are used)");
    expect((await connected(stdio("endless-pages"))).tools.length).toBeLessThan(100);
    expect((await connected(stdio("no-list"))).tools).toEqual([]);
  });

  it.each(["wrong-id", "garbage", "requests", "bad-rpc"])(
    "costs its own tools where it sends %s",
    async (attack) => {
      const { tools, said } = await connected(stdio(attack), { connectMs: 500 });
      expect(tools).toEqual([]);
      expect(said).toMatch(/^The MCP server hostile did not start: /u);
    },
  );

  it.each(["giant-line", "dies"])("costs its own tools where it is %s", async (attack) => {
    const { tools, said } = await connected(stdio(attack));
    expect(tools).toEqual([]);
    expect(said).toMatch(/^The MCP server hostile did not start: /u);
  });
});

describe("a result of an MCP server", () => {
  it("loses only the parts that are malformed", async () => {
    const { call } = await connected(stdio("bad-parts"));
    const { outcome, text } = await call();
    expect(outcome).toBe("ok");
    const lines = text.split("\n");
    expect([lines[0], lines.at(-1), lines.length]).toEqual(["before", "after", 8]);
    expect(lines[3]).toBe("(A malformed part of the result was omitted. Its type: hologram.)");
  });

  it.each([
    ["no-content", "(no output)"],
    ["content-is-text", "(A malformed part of the result was omitted. Its type: none.)"],
    ["other-structure", "said"],
    ["answers-twice", "first"],
    ["notifications", "at last"],
  ])("that is %s is what is there of it", async (attack, expected) => {
    const { call } = await connected(stdio(attack));
    expect(await call()).toEqual({ outcome: "ok", text: expected });
  });

  it("may have many parts and much progress, of which the first count", async () => {
    const many = await (await connected(stdio("many-parts"))).call();
    expect(many.text.split("\n")).toHaveLength(1_001);
    expect(many.text).toContain("(4,000 more parts omitted.)");
    const { call, output } = await connected(stdio("progress"));
    expect(await call()).toEqual({ outcome: "ok", text: "at last" });
    expect(output).toHaveLength(1_000);
  });

  it("keeps its text where it says in its own way that it is an error", async () => {
    const { call } = await connected(stdio("error-in-words"));
    expect(await call()).toEqual({ outcome: "error", text: "no such row" });
  });

  it.each(["result-is-null", "result-is-text", "error-is-text", "no-answer-in-it"])(
    "that is not one fails at once: %s",
    async (attack) => {
      const { call, troubles } = await connected(stdio(attack));
      expect(await call()).toEqual({
        outcome: "error",
        text: expect.stringContaining("The server's response is malformed."),
      });
      expect(troubles).toEqual([]);
    },
  );

  it.each(["giant-answer", "dies-in-a-call"])("that is %s fails, and the server with it", async (attack) => {
    const { call, troubles } = await connected(stdio(attack));
    expect(await call()).toEqual({ outcome: "error", text: "The MCP server hostile has exited." });
    expect(troubles).toMatchObject([{ problem: { reason: "mcp-ended" } }]);
  });
});

describe("an MCP server over HTTP that attacks", () => {
  it("costs its own tools", async () => {
    await underEveryAttack(async (name) => {
      const ends = ["application/json", "text/event-stream"].map(async (type) => {
        const server = await hostileServer(type, attacks[name]);
        const headers = { "x-token": "s3cret" };
        const http: McpServer = { name: "far", kind: "http", url: `${server.url}/mcp`, headers };
        const { tools, said, close } = await connected(http, { connectMs: 400 });
        expect(tools).toEqual([]);
        expect(said).toMatch(/^The MCP server far did not start: ./u);
        expect(said).not.toContain("s3cret");
        expect(said.length).toBeLessThan(2_000);
        expect(server.sent()).toBeLessThan(80_000_000);
        await close();
        await expect.poll(server.allClosed).toBe(true);
      });
      await Promise.all(ends);
    });
  });

  it.each([301, 302, 307, 308])(
    "with a redirect of status %i elsewhere gets no token there",
    async (status) => {
      const received: unknown[] = [];
      const other = createServer((request, response) => {
        received.push(request.headers);
        response.end("{}");
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`;
      const server = createServer((_request, response) => {
        response.writeHead(status, { location: target }).end();
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      onTestFinished(() => {
        for (const each of [server, other]) {
          each.closeAllConnections();
          each.close();
        }
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const { tools, said } = await connected({
        name: "far",
        kind: "http",
        url,
        headers: { authorization: "s3cret" },
      });
      expect([tools, received]).toEqual([[], []]);
      expect(said).toContain(`Redirect to ${target} not followed`);
    },
  );
});
