import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/record/parts.ts";
import { type ModelServer, openModelServer, type Responder, scripted } from "../../../src/testing/testing.ts";
import { asking, speak, valuesIn, wires } from "./speak.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function serving(responder: Responder): Promise<ModelServer> {
  server = await openModelServer(responder);
  return server;
}

const everything = {
  thinking: "Let me see",
  text: "Yes",
  calls: [
    { id: "a", name: "read", input: { path: "x" } },
    { id: "b", name: "read", input: {} },
  ],
};

describe("the events of a stream", () => {
  it("are those of Anthropic", async () => {
    const response = await speak(await serving(scripted(everything)), "anthropic", {
      body: asking("anthropic", "hi"),
    });
    const text = await response.text();
    const types = valuesIn(text).map((value) => value["type"]);
    const blockOf = (deltas: number) => [
      "content_block_start",
      ...Array.from({ length: deltas }, () => "content_block_delta"),
      "content_block_stop",
    ];
    expect(types).toEqual([
      ...["message_start", "ping", ...blockOf(3), ...blockOf(2), ...blockOf(2), ...blockOf(2)],
      ...["message_delta", "message_stop"],
    ]);
    // Claude's own client needs the name of each event in both places.
    expect(text.match(/^event: .*$/gm)).toEqual(types.map((type) => `event: ${type}`));
    expect(valuesIn(text).at(-2)?.["delta"]).toEqual({ stop_reason: "tool_use", stop_sequence: null });
  });

  it("are those of Chat Completions", async () => {
    const response = await speak(await serving(scripted(everything)), "chat", { body: asking("chat", "hi") });
    const text = await response.text();
    const choices = valuesIn(text).map((value) => (value["choices"] as { delta: unknown }[])[0]?.delta);
    expect(choices).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "Let m" },
      { reasoning_content: "e see" },
      { content: "Ye" },
      { content: "s" },
      { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "read", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"path' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '":"x"}' } }] },
      { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "read", arguments: "" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "}" } }] },
      {},
      undefined,
    ]);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("are those of Responses", async () => {
    const response = await speak(
      await serving(scripted({ text: "Yes", calls: [{ name: "read" }] })),
      "responses",
      {
        body: asking("responses", "hi"),
      },
    );
    expect(valuesIn(await response.text()).map((value) => value["type"])).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("are Ollama's lines", async () => {
    const response = await speak(await serving(scripted(everything)), "ollama", {
      body: asking("ollama", "hi"),
    });
    const lines = valuesIn(await response.text()).map(({ message, done }) => ({ message, done }));
    const says = (rest: object) => ({ message: { role: "assistant", content: "", ...rest }, done: false });
    expect(lines).toEqual([
      says({ thinking: "Let m" }),
      says({ thinking: "e see" }),
      says({ content: "Ye" }),
      says({ content: "s" }),
      says({ tool_calls: [{ function: { name: "read", arguments: { path: "x" } } }] }),
      says({ tool_calls: [{ function: { name: "read", arguments: {} } }] }),
      { ...says({}), done: true },
    ]);
  });
});

describe.each(wires)("a server asked on the %s wire", (wire) => {
  const body = asking(wire, "hi");

  it("answers without a stream too", async () => {
    const response = await speak(await serving(scripted({ text: "Yes" })), wire, {
      body: { ...body, stream: false },
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(JSON.stringify(await response.json())).toContain('"Yes"');
  });

  it("plays its script to the end and says when it is over", async () => {
    const open = await serving(scripted({ text: "one" }));
    const texts = [];
    for (let count = 0; count < 2; count += 1) {
      const response = await speak(open, wire, { body: { ...body, stream: false } });
      texts.push(await response.text());
    }
    expect(texts).toEqual([expect.stringContaining("one"), expect.stringContaining("(end of the script)")]);
  });

  it("waits in the middle of the stream until it may continue", async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const response = await speak(await serving(scripted({ text: "Hello", hold })), wire, { body });
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    let text = "";
    while (!text.includes("Hel")) text += (await reader.read()).value ?? "";
    expect(text).not.toContain('"lo"');
    release();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
    expect(text).toContain('"lo"');
  });

  it("ends holds and silences when it closes", async () => {
    const open = await serving(
      scripted({ text: "Hello", hold: new Promise(() => undefined) }, { misbehave: { do: "silence" } }),
    );
    const held = await speak(open, wire, { body });
    const silent = speak(open, wire, { body });
    silent.catch(() => undefined);
    while (open.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await open.close();
    await expect(held.text()).rejects.toThrow();
    await expect(silent).rejects.toThrow();
  });

  it("says what the responder threw, and keeps it with the request", async () => {
    const open = await serving(() => {
      throw new Error("wrong turn");
    });
    const response = await speak(open, wire, { body });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("wrong turn")]);
    expect(open.requests[0]?.refused).toBe("The responder failed: wrong turn");
  });

  it("keeps requests with their bytes, and gives each call its own id", async () => {
    const open = await serving(() => ({ calls: [{ name: "read" }, { name: "read" }] }));
    const first = await (await speak(open, wire, { body })).text();
    const second = await (await speak(open, wire, { body })).text();
    expect(
      open.requests.map(({ index, bytes, body: read, model, refused }) => ({
        index,
        bytes,
        read,
        model,
        refused,
      })),
    ).toEqual(
      [0, 1].map((index) => ({
        index,
        bytes: Buffer.from(JSON.stringify(body)),
        read: body,
        model: "m",
        refused: undefined,
      })),
    );
    const ids = new Set((first + second).match(/"call_[0-9a-f]{8}_\d+"/g));
    expect(ids.size).toBe(wire === "ollama" ? 0 : 4);
  });
});

describe("thinking that Anthropic's wire signed", () => {
  it("comes back and is taken", async () => {
    const open = await serving(
      scripted({ thinking: "Let me see", text: "Yes" }, { delayMs: 1, text: "Still yes" }),
    );
    const whole = async (messages: Json): Promise<JsonObject> => {
      const body = { ...asking("anthropic", "", { messages }), stream: false };
      return (await (await speak(open, "anthropic", { body })).json()) as JsonObject;
    };
    const { content } = await whole([{ role: "user", content: "hi" }]);
    const again = await whole([
      { role: "user", content: "hi" },
      { role: "assistant", content: content ?? null },
      { role: "user", content: "sure?" },
    ]);
    expect(again["content"]).toEqual([{ type: "text", text: "Still yes" }]);
    expect(open.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
  });
});

describe("a server and its models", () => {
  it("lists them on request, and asks for a key where a provider does", async () => {
    const { url } = await serving(scripted());
    const get = async (path: string, headers: Record<string, string> = {}): Promise<unknown[]> => {
      const response = await fetch(url + path, { headers });
      return [response.status, await response.json()];
    };
    expect(await get("/v1/models", { authorization: "Bearer k" })).toEqual([
      200,
      expect.objectContaining({ object: "list", data: [expect.objectContaining({ id: "scripted-model" })] }),
    ]);
    expect((await get("/v1/models"))[0]).toBe(401);
    expect(await get("/api/version")).toEqual([200, { version: expect.any(String) }]);
    expect(await get("/api/tags")).toEqual([
      200,
      { models: [expect.objectContaining({ name: "scripted-model" })] },
    ]);
    expect((await get("/nonesuch"))[0]).toBe(404);
  });

  it("counts tokens without keeping the request", async () => {
    const open = await serving(scripted());
    const response = await fetch(`${open.url}/v1/messages/count_tokens`, {
      method: "POST",
      body: JSON.stringify(asking("anthropic", "hi")),
    });
    expect(await response.json()).toEqual({ input_tokens: 8 });
    expect(open.requests).toEqual([]);
  });

  it("says how a process reaches it", async () => {
    const open = await serving(scripted());
    expect(wires.map((wire) => [open.modelFor(wire), open.environment(wire)])).toEqual([
      ["anthropic/scripted-model", { ANTHROPIC_BASE_URL: open.url, ANTHROPIC_API_KEY: "scripted-key" }],
      ["openai-chat/scripted-model", { OPENAI_BASE_URL: `${open.url}/v1`, OPENAI_API_KEY: "scripted-key" }],
      ["openai/scripted-model", { OPENAI_BASE_URL: `${open.url}/v1`, OPENAI_API_KEY: "scripted-key" }],
      ["ollama/scripted-model", { OLLAMA_HOST: open.url }],
    ]);
  });

  it("closes twice without complaint", async () => {
    const open = await serving(scripted());
    await open.close();
    await open.close();
  });
});
