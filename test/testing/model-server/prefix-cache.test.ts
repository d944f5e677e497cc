import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/record/parts.ts";
import { type ModelServer, openModelServer, type Wire } from "../../../src/testing/testing.ts";
import { asking, speak, valuesIn } from "./speak.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

/** Counts one token per "z" in a text, to keep the arithmetic simple. */
async function serving(): Promise<ModelServer> {
  server = await openModelServer(() => ({ text: "zz" }), {
    tokensOf: (text) => text.split("z").length - 1,
  });
  return server;
}

const block = (length: number, mark: "marked" | "plain" = "plain"): JsonObject => ({
  type: "text",
  text: `${"z".repeat(length)}.`,
  ...(mark === "marked" ? { cache_control: { type: "ephemeral" } } : {}),
});

const said = (content: Json): JsonObject => ({ role: "user", content });

async function usage(open: ModelServer, wire: Wire, more: JsonObject): Promise<JsonObject> {
  const response = await speak(open, wire, { body: { ...asking(wire, "", more), stream: false } });
  return ((await response.json()) as JsonObject)["usage"] as JsonObject;
}

describe("the prefix cache of Anthropic's wire", () => {
  const asked = async (open: ModelServer, more: JsonObject): Promise<readonly Json[]> => {
    const {
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      input_tokens: rest,
    } = await usage(open, "anthropic", more);
    return [read ?? null, written ?? null, rest ?? null];
  };

  it("keeps nothing without a mark", async () => {
    const open = await serving();
    expect(await asked(open, { messages: [said([block(10)])] })).toEqual([0, 0, 10]);
    expect(await asked(open, { messages: [said([block(10)])] })).toEqual([0, 0, 10]);
  });

  it("writes up to the last mark, and reads what was written and still begins the request", async () => {
    const open = await serving();
    const system = [block(100, "marked")];
    expect(await asked(open, { system, messages: [said([block(10, "marked"), block(1)])] })).toEqual([
      0, 110, 1,
    ]);
    // The mark moves on: everything up to the old mark is read from the cache, and the rest is written.
    const longer = [said([block(10), block(1), block(20, "marked")])];
    expect(await asked(open, { system, messages: longer })).toEqual([110, 21, 0]);
    // The conversation begins differently, so only the system text is cached.
    expect(await asked(open, { system, messages: [said([block(11, "marked")])] })).toEqual([100, 11, 0]);
    // One byte of the system text differs, so nothing is cached.
    expect(await asked(open, { system: [block(99, "marked")], messages: longer })).toEqual([0, 130, 0]);
    expect(open.cache).toEqual({ read: 210, written: 110 + 21 + 11 + 130, uncached: 1, output: 8 });
    expect(open.requests.map((request) => [request.inputTokens, request.cachedTokens])).toEqual([
      [111, 0],
      [131, 110],
      [111, 100],
      [130, 0],
    ]);
  });

  it("counts tools before everything else", async () => {
    const open = await serving();
    const tool = (name: string): JsonObject => ({ name, input_schema: {} });
    const messages = [said([block(5, "marked")])];
    expect(await asked(open, { tools: [tool("zz")], messages })).toEqual([0, 7, 0]);
    expect(await asked(open, { tools: [tool("zz")], messages })).toEqual([7, 0, 0]);
    expect(await asked(open, { tools: [tool("zy")], messages })).toEqual([0, 6, 0]);
  });

  it("looks back from a mark by twenty blocks and no further", async () => {
    const open = await serving();
    const many = (count: number): JsonObject[] => Array.from({ length: count }, () => block(1));
    await asked(open, { messages: [said([block(100, "marked")])] });
    const near = [said([block(100), ...many(19), block(1, "marked")])];
    expect(await asked(open, { messages: near })).toEqual([100, 20, 0]);
    await asked(open, { messages: [said([block(200, "marked")])] });
    const far = [said([block(200), ...many(20), block(1, "marked")])];
    expect(await asked(open, { messages: far })).toEqual([0, 221, 0]);
  });

  it("keeps nothing of what it did not answer", async () => {
    let status = 529;
    server = await openModelServer(() =>
      status === 200 ? { text: "z" } : { misbehave: { do: "status", status } },
    );
    const more = { messages: [said([block(10, "marked")])] };
    await usage(server, "anthropic", more);
    status = 200;
    expect(await asked(server, more)).toEqual([0, expect.any(Number), 0]);
    expect(server.cache.read).toBe(0);
  });
});

describe.each(["chat", "responses"] as const)("the prefix cache of the %s wire", (wire) => {
  it("reads the longest beginning that an earlier request shares, to the byte", async () => {
    const open = await serving();
    const field = wire === "chat" ? "messages" : "input";
    const asked = async (...texts: string[]): Promise<unknown> => {
      const { prompt_tokens, prompt_tokens_details, input_tokens, input_tokens_details } = await usage(
        open,
        wire,
        {
          [field]: texts.map((text) => said(text)),
        },
      );
      const details = (prompt_tokens_details ?? input_tokens_details) as JsonObject;
      return [prompt_tokens ?? input_tokens, details["cached_tokens"]];
    };
    expect(await asked("zzzz", "zz")).toEqual([6, 0]);
    expect(await asked("zzzz", "zz", "zzz")).toEqual([9, 6]);
    expect(await asked("zzzz", "zz!", "zzz")).toEqual([9, 6]);
    expect(await asked("zzz!", "zz", "zzz")).toEqual([8, 3]);
    expect(await asked("zzzz", "zz", "zzz")).toEqual([9, 9]);
    expect(open.cache).toEqual({ read: 24, written: 0, uncached: 17, output: 10 });
  });
});

describe("usage", () => {
  it("is a quarter of the bytes, and what a script says instead", async () => {
    server = await openModelServer((_request, index) =>
      index === 0 ? { text: "123456789" } : { text: "123456789", usage: { read: 7, output: 1000 } },
    );
    const body = asking("chat", "hello");
    const ends = [];
    for (let count = 0; count < 2; count += 1) {
      const values = valuesIn(await (await speak(server, "chat", { body })).text());
      ends.push(values.at(-1)?.["usage"]);
    }
    const input = Math.ceil(JSON.stringify({ role: "user", content: "hello" }).length / 4);
    expect(ends).toEqual([
      {
        prompt_tokens: input,
        completion_tokens: 3,
        total_tokens: input + 3,
        prompt_tokens_details: { cached_tokens: 0 },
      },
      {
        prompt_tokens: 7,
        completion_tokens: 1000,
        total_tokens: 1007,
        prompt_tokens_details: { cached_tokens: 7 },
      },
    ]);
  });
});
