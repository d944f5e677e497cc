import { describe, expect, it, onTestFinished } from "vitest";
import { checkModel, chooseModel, type ModelCheck } from "../../../src/agent/models/choose-model.ts";
import type { ModelEvent } from "../../../src/ports/model.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { type ScriptedReply, scripted } from "../../../src/testing/model-server/script.ts";
import { attacks, hostileServer, underEveryAttack } from "../../support/hostile-server.ts";
import { keysOf, settingsOf } from "./sources.ts";

const WIRES = [
  ["anthropic/claude", "ANTHROPIC_BASE_URL", "text/event-stream"],
  ["openai/gpt", "OPENAI_BASE_URL", "text/event-stream"],
  ["openai-chat/gpt", "OPENAI_BASE_URL", "text/event-stream"],
  ["ollama/qwen3", "OLLAMA_HOST", "application/x-ndjson"],
] as const;
/** The client gives up on an endless answer at 16 MB; the rest allows for socket buffers on both sides. */
const MAX_SENT = 80_000_000;

async function ask(wanted: string, variable: string, url: string) {
  const environment = {
    [variable]: url,
    ANTHROPIC_API_KEY: "sk-secret-123",
    OPENAI_API_KEY: "sk-secret-123",
  };
  const patience = { connectMs: 2_000, silenceMs: 300, firstByteMs: 300 };
  const sources = { settings: settingsOf(), environment, keys: keysOf(environment), patience };
  const { model } = await chooseModel(wanted, sources);
  return checkModel(model, new AbortController().signal);
}

const DEEP = "[".repeat(100_000) + "]".repeat(100_000);
const sse = (data: string | Buffer): string => `data: ${data}\n\n`;
const EVENTS = {
  "text/event-stream": [
    sse(DEEP),
    sse(`{"type":"message_start","choices":${DEEP},"message":${DEEP}}`),
    sse('{"__proto__":{"type":"x"},"constructor":{"prototype":{"a":1}}}'),
    sse("{"),
    sse("null"),
    sse('{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1e999,"id":5,"function":null}]}}]}'),
    sse('{"choices":[],"usage":{"prompt_tokens":1e999,"completion_tokens":"many"}}'),
    Buffer.from([0xff, 0xfe, 0x0a, 0x0a, 0xc3, 0x28]).toString("latin1"),
    `data: ${"x".repeat(2_000_000)}\n\n`,
    "data: {}\n\n".repeat(2_000),
    "id: x\nretry: 99999999999999999999\nevent: \u0000\ndata:\n\n",
  ],
  "application/x-ndjson": [
    `${DEEP}\n`,
    '{"message":{"content":5,"tool_calls":{}}}\n',
    "null\n",
    "{\n",
    "[]\n".repeat(2_000),
  ],
} as const;

function expectFailure(check: ModelCheck): void {
  expect(check).toMatchObject({
    outcome: "failed",
    failure: {
      code: expect.stringMatching(/^MODEL_(FAILED|UNREACHABLE)$/u),
      message: expect.stringMatching(/[^.]\.$/u),
    },
  });
  expect(JSON.stringify(check)).not.toContain("sk-secret");
}

describe("a model's server that attacks", () => {
  it("gets a clear failure, whatever it does to HTTP", async () => {
    await underEveryAttack(async (name) => {
      const other = WIRES[1 + (name.length % 3)] ?? WIRES[1];
      const ends = [WIRES[0], other].map(async ([wanted, variable, type]) => {
        const server = await hostileServer(type, attacks[name]);
        expectFailure(await ask(wanted, variable, server.url));
        expect(server.sent()).toBeLessThan(MAX_SENT);
        await expect.poll(server.allClosed).toBe(true);
      });
      await Promise.all(ends);
    });
  });

  it("gets a clear failure for events that are not a reply", async () => {
    for (const [wanted, variable, type] of WIRES) {
      for (const event of EVENTS[type]) {
        const server = await hostileServer(type, (socket) => {
          socket.end(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n${event}`);
        });
        expectFailure(await ask(wanted, variable, server.url));
      }
    }
  });

  it("does not keep a turn waiting with pings, comments and empty deltas", async () => {
    const alive = {
      "text/event-stream": [
        ": ping\n\n",
        'event: ping\ndata: {"type":"ping"}\n\n',
        'data: {"id":"1","choices":[{"index":0,"delta":{"content":""}}]}\n\n',
        'data: {"type":"response.in_progress"}\n\n',
      ],
      "application/x-ndjson": ["{}\n", '{"message":{"role":"assistant","content":""},"done":false}\n'],
    } as const;
    const ends = WIRES.flatMap(([wanted, variable, type]) =>
      alive[type].map(async (event) => {
        const server = await hostileServer(type, (socket) => {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n\r\n`);
          const timer = setInterval(() => socket.write(event), 20);
          socket.once("close", () => clearInterval(timer));
        });
        expectFailure(await ask(wanted, variable, server.url));
        await expect.poll(server.allClosed).toBe(true);
      }),
    );
    await Promise.all(ends);
  });
});

describe("a reply that attacks", () => {
  it.each(["anthropic", "chat", "responses", "ollama"] as const)(
    "is held to limits on the wire %s",
    async (wire) => {
      // For Ollama, the scripted server sends the arguments as an object and cannot nest it more deeply.
      const levels = wire === "ollama" ? 300 : 100_000;
      const deep = `{"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
      const replies: readonly ScriptedReply[] = [
        { calls: Array.from({ length: 1_500 }, (_, at) => ({ name: "Read", input: { at } })) },
        { text: "Done.", usage: { uncached: -5, output: -7, read: -1, written: -1 } },
        {
          calls: [
            { name: "Read", id: "deep", rawArguments: deep },
            { name: "Read", id: "proto", rawArguments: '{"__proto__":{"admin":true},"file_path":"a"}' },
            { name: "Read", id: "fine", input: { file_path: "b" } },
          ],
        },
        ...(wire === "chat"
          ? [{ calls: [{ name: "Read", input: { file_path: "x".repeat(17_000_000) } }] }]
          : []),
      ];
      const server = await openModelServer(scripted(...replies));
      onTestFinished(() => server.close());
      const environment = server.environment(wire);
      const sources = { settings: settingsOf(), environment, keys: keysOf(environment) };
      const { model } = await chooseModel(server.modelFor(wire), sources);
      const ask = async () => {
        const context = {
          system: "",
          messages: [{ role: "user" as const, parts: [textPart("Go.")] }],
          breakpoints: [],
        };
        const events: ModelEvent[] = [];
        for await (const event of model.stream({
          context,
          tools: [],
          signal: new AbortController().signal,
        })) {
          events.push(event);
        }
        return events.at(-1);
      };
      expect(await ask()).toMatchObject({
        failure: {
          code: "MODEL_FAILED",
          retry: "never",
          message: expect.stringContaining("more than 1000 parts"),
        },
      });
      const counted = await ask();
      expect(
        counted?.type === "end"
          ? Object.values(counted.usage ?? { none: 0 }).every((each) => each >= 0)
          : counted,
      ).toBe(true);
      const called = await ask();
      const calls = called?.type === "end" ? called.parts.filter((part) => part.type === "tool-call") : [];
      expect(
        calls.map(({ malformed, input }) => [malformed === undefined, Object.keys(input ?? {})]),
      ).toEqual([
        [false, []],
        [true, ["__proto__", "file_path"]],
        [true, ["file_path"]],
      ]);
      expect(Object.hasOwn(Object.prototype, "admin")).toBe(false);
      if (wire !== "chat") return;
      expect(await ask()).toMatchObject({
        failure: {
          code: "MODEL_FAILED",
          retry: "never",
          message: expect.stringContaining("too long to be a model's reply"),
        },
      });
    },
  );
});
