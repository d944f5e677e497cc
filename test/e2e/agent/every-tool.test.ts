import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { descriptions } from "../../../src/agent/tools/generated/descriptions.ts";
import type { Json } from "../../../src/record/parts.ts";
import type { ReceivedRequest, ScriptedReply } from "../../../src/testing/testing.ts";
import { type AgentMachine, agentMachine, ofKind, refusedOf, textOf } from "./support.ts";

/** Our tools, listed from the generated table: each one has its description in its own .md file. */
const TOOLS = Object.keys(descriptions).map((name) => name[0]?.toUpperCase() + name.slice(1));

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HTML =
  "<!doctype html><title>T</title><script>evil()</script><h1>Head</h1><p><b>bold</b> <a href='/x'>link</a></p>";
const MARKDOWN = "T\n\n# Head\n\n**bold** [link](/x)";

type Page = readonly [type: string, body: string | Buffer, encoding?: string];
const PAGES: Readonly<Record<string, Page>> = {
  "/html": ["text/html; charset=utf-8", HTML],
  "/text": ["text/plain", "just text"],
  "/json": ["application/json", '{"a":1}'],
  "/gzip": ["text/html", gzipSync(HTML), "gzip"],
  "/br": ["text/html", brotliCompressSync(HTML), "br"],
  "/charset": ["text/plain; charset=nonsense", "caf\u00e9"],
  "/utf8": ["text/plain; charset=utf-8", Buffer.from([0x61, 0xff, 0x62])],
  "/deep": ["text/html", `${"<div>".repeat(3_000)}bottom`],
  "/huge": ["text/html", gzipSync(Buffer.alloc(20_000_000)), "gzip"],
  "/binary": ["application/octet-stream", Buffer.from([0, 1, 2])],
};

async function site(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/elsewhere") {
      response.writeHead(302, { location: "http://localhost:9/secret" }).end();
      return;
    }
    const [type, body, encoding] = PAGES[request.url ?? ""] ?? ["text/plain", "?"];
    response.writeHead(200, {
      "content-type": type,
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    });
    response.end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the connection while the client is still decompressing, which once crashed the process. */
async function endingEarly(): Promise<string> {
  const body = gzipSync(randomBytes(2_000_000).toString("base64"));
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n",
      );
      socket.end(body);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ending`;
}

interface Step {
  readonly tool: string;
  readonly input: Json;
  /** Checks the result that the model receives, and what the tool has done. */
  readonly check: (result: string, here: AgentMachine, request: ReceivedRequest) => void;
}

const says =
  (part: string): Step["check"] =>
  (result) =>
    expect(result).toContain(part);

const AGAIN = {
  questions: [{ question: "A or B?", header: "AB", options: [{ label: "A" }, { label: "B" }] }],
};

/** The calls in order, each in its own step. */
function steps(origin: string, ending: string): readonly Step[] {
  const page = (path: string, part: string): Step => ({
    tool: "WebFetch",
    input: { url: path.startsWith("/") ? origin + path : path },
    check: says(part),
  });
  return [
    {
      tool: "Write",
      input: { file_path: "src/a.txt", content: "one\ntwo\n" },
      check: (_, here) => expect(here.read("src/a.txt")).toBe("one\ntwo\n"),
    },
    { tool: "Read", input: { file_path: "src/a.txt" }, check: says("two") },
    {
      tool: "Read",
      input: { file_path: "dot.png" },
      check: (result) => expect(result).not.toContain("rror"),
    },
    {
      tool: "Edit",
      input: { file_path: "src/a.txt", old_string: "two", new_string: "three" },
      check: (_, here) => expect(here.read("src/a.txt")).toBe("one\nthree\n"),
    },
    { tool: "Glob", input: { pattern: "**/*.txt" }, check: says("a.txt") },
    { tool: "Grep", input: { pattern: "thr.e", output_mode: "content" }, check: says("three") },
    {
      tool: "Bash",
      input: { command: "echo made > made.txt && cat made.txt" },
      check: (result, here) => {
        expect(result).toContain("made");
        expect(here.read("made.txt")).toBe("made\n");
      },
    },
    {
      tool: "Bash",
      input: { command: "echo $$ > pid; echo up; sleep 60", run_in_background: true },
      check: says("bash_1"),
    },
    { tool: "BashOutput", input: { bash_id: "bash_1" }, check: says("running") },
    {
      tool: "KillShell",
      input: { shell_id: "bash_1" },
      check: (result, here) => {
        expect(result).toContain("Stopped bash_1");
        expect(existsSync(`/proc/${here.read("pid")?.trim()}/fd`)).toBe(false);
      },
    },
    page("/html", MARKDOWN),
    page("/text", "just text"),
    page("/json", '{"a":1}'),
    page("/gzip", MARKDOWN),
    page("/br", MARKDOWN),
    page("/charset", "café"),
    page("/utf8", "a\ufffdb"),
    page("/deep", "bottom"),
    page("/huge", "is larger than 10 MB"),
    page("/binary", "is not text: its type is application/octet-stream"),
    page("/elsewhere", "call WebFetch with http://localhost:9/secret"),
    page(ending, "more characters omitted"),
    {
      tool: "TodoWrite",
      input: { todos: [{ content: "look", status: "in_progress" }] },
      check: says("1 in progress"),
    },
    { tool: "AskUser", input: AGAIN, check: says("No user is available to answer") },
    { tool: "ExitPlanMode", input: { plan: "Do it." }, check: says("Not in plan mode") },
    {
      tool: "Task",
      input: { description: "make a file", prompt: "make a file" },
      check: (result, here) => {
        expect(result).toContain("Made by another.");
        expect(here.read("sub.txt")).toBe("sub\n");
      },
    },
    {
      tool: "Backtrack",
      input: { checkpoint_id: 2, note: "All of it was done." },
      check: (_, __, request) => {
        expect(textOf(request)).toContain("All of it was done.");
        expect(request.messages.flatMap(({ results }) => results)).toEqual([]);
      },
    },
  ];
}

const isSub = ({ tools }: ReceivedRequest): boolean => !tools.includes("Task");

describe("the built program", () => {
  it("has every tool of the source, and each does its work", async () => {
    const script = steps(await site(), await endingEarly());
    expect([...new Set(script.map(({ tool }) => tool))].sort()).toEqual([...TOOLS].sort());
    const offered = new Set<string>();
    const faults: unknown[] = [];
    let done = 0;
    const work = (request: ReceivedRequest): ScriptedReply => {
      for (const tool of request.tools) offered.add(tool);
      const results = request.messages.flatMap((message) => message.results);
      const last = script[done - 1];
      try {
        last?.check(results.find(({ id }) => id === `step_${done}`)?.text ?? "", here, request);
      } catch (error) {
        faults.push(`step ${done}, ${last?.tool}: ${String(error)}`);
      }
      const step = script[done];
      if (step === undefined) return { text: "All done." };
      done += 1;
      return { calls: [{ id: `step_${done}`, name: step.tool, input: step.input }] };
    };
    const delegated = ({ messages }: ReceivedRequest): ScriptedReply =>
      messages.some(({ results }) => results.length > 0)
        ? { text: "Made by another." }
        : { calls: [{ name: "Write", input: { file_path: "sub.txt", content: "sub\n" } }] };
    const here = await agentMachine((request) => (isSub(request) ? delegated(request) : work(request)), {
      server: { window: 5_000_000 },
    });
    writeFileSync(join(here.workspace, "dot.png"), Buffer.from(DOT, "base64"));
    const said = await here.ask("use every tool");
    expect(faults).toEqual([]);
    expect(said).toMatchObject({ code: 0, outcome: "done", answer: "All done.", stderr: "" });
    expect(refusedOf(here)).toEqual([]);
    expect([...offered].sort()).toEqual([...TOOLS].sort());
    const log = await here.log();
    expect(ofKind(log, "backtrack")).toMatchObject([{ to: 2, note: "All of it was done." }]);
    expect(ofKind(log, "todos").at(-1)?.items).toEqual([{ text: "look", status: "doing" }]);
  });
});
