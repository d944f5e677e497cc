import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, openModelServer, type Responder, scripted } from "../../../src/testing/testing.ts";
import { clients, heard, modelOf, says } from "./provider.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function serving(responder: Responder): Promise<ModelServer> {
  server = await openModelServer(responder);
  return server;
}

const twoCalls = [
  { id: "a", name: "read", input: { path: "x.ts" } },
  { id: "b", name: "write", input: { path: "y.ts" } },
];

const afterCalls: LanguageModelV3Prompt = [
  ...says("do both"),
  {
    role: "assistant",
    content: [
      { type: "text", text: "Both." },
      { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "x.ts" } },
      { type: "tool-call", toolCallId: "b", toolName: "write", input: { path: "y.ts" } },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "a", toolName: "read", output: { type: "text", value: "one" } },
      { type: "tool-result", toolCallId: "b", toolName: "write", output: { type: "text", value: "two" } },
    ],
  },
  { role: "user", content: [{ type: "text", text: "go on" }] },
];

describe.each(clients)("a scripted server, asked by the AI SDK's %s client,", (client) => {
  it("says its text in several deltas and counts it", async () => {
    const { requests, ...rest } = await serving(scripted({ text: "Hello, world" }));
    const answer = await heard(modelOf({ requests, ...rest }, client), says("hi"));
    expect(answer).toEqual({
      text: "Hello, world",
      // The first chunk of the chat wire only names the role.
      deltas: client === "chat" ? 3 : 2,
      thinking: "",
      calls: [],
      finish: "stop",
      usage: [requests[0]?.inputTokens, 0, 3],
      errors: 0,
    });
  });

  it("makes parallel calls", async () => {
    const answer = await heard(
      modelOf(await serving(scripted({ calls: twoCalls })), client),
      says("do both"),
    );
    expect(answer.finish).toBe("tool-calls");
    expect(answer.calls).toEqual([
      { id: "a", name: "read", input: '{"path":"x.ts"}' },
      { id: "b", name: "write", input: '{"path":"y.ts"}' },
    ]);
  });

  it("reads a conversation with calls the same way as on any other wire", async () => {
    const open = await serving(scripted({ text: "Done." }));
    await heard(modelOf(open, client), afterCalls);
    const [request] = open.requests;
    expect({ system: request?.system, tools: request?.tools, messages: request?.messages }).toEqual({
      system: "You are tested.",
      tools: ["read", "write"],
      messages: [
        { role: "user", text: "do both", calls: [], results: [], images: 0 },
        { role: "assistant", text: "Both.", calls: twoCalls, results: [], images: 0 },
        {
          role: "tool",
          text: "",
          calls: [],
          results: [
            { id: "a", text: "one", isError: false },
            { id: "b", text: "two", isError: false },
          ],
          images: 0,
        },
        { role: "user", text: "go on", calls: [], results: [], images: 0 },
      ],
    });
    expect(request?.refused).toBeUndefined();
  });

  it("stops at its limit, and by its filter", async () => {
    const model = modelOf(
      await serving(scripted({ text: "cut", stop: "length" }, { text: "bad", stop: "content-filter" })),
      client,
    );
    expect((await heard(model, says("hi"))).finish).toBe("length");
    expect((await heard(model, says("hi"))).finish).toBe("content-filter");
  });

  it("hands over arguments that are not JSON, wrong ids and unknown tools unchanged", async () => {
    const calls = [
      { id: "same", name: "nonesuch", rawArguments: '{"path": "x' },
      { id: "same", name: "read", input: {} },
    ];
    const answer = await heard(modelOf(await serving(scripted({ calls })), client), says("hi"));
    expect(answer.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "nonesuch", input: '{"path": "x' },
      { name: "read", input: "{}" },
    ]);
    // The chat clients replace a call id that repeats.
    const repeats = client === "anthropic" || client === "responses";
    expect(answer.calls[1]?.id === "same").toBe(repeats);
  });

  it("returns an empty answer on request", async () => {
    const answer = await heard(
      modelOf(await serving(scripted({ misbehave: { do: "empty" } })), client),
      says("hi"),
    );
    expect(answer).toMatchObject({ text: "", calls: [], finish: "stop", errors: 0 });
  });

  it.each([401, 404, 429, 500, 529])("refuses with status %i once, and then answers", async (status) => {
    const open = await serving(
      scripted({ text: "ok", misbehave: { do: "status", status, headers: { "retry-after": "7" } } }),
    );
    const model = modelOf(open, client);
    await expect(heard(model, says("hi"))).rejects.toMatchObject({
      statusCode: status,
      message: `Scripted failure with status ${status}`,
      responseHeaders: { "retry-after": "7" },
    });
    expect((await heard(model, says("hi"))).text).toBe("ok");
  });

  it.each(["headers", "first-delta", "half"] as const)("loses the connection after %s", async (after) => {
    const model = modelOf(
      await serving(scripted({ text: "Hello", misbehave: { do: "cut", after } })),
      client,
    );
    await expect(heard(model, says("hi"))).rejects.toThrow(
      /terminated|Failed to process successful response/,
    );
  });

  it("ends early without a finish that a client could trust", async () => {
    const model = modelOf(await serving(scripted({ text: "Hello", misbehave: { do: "end-early" } })), client);
    const answer = await heard(model, says("hi"));
    expect(answer.text).toBe("Hello");
    expect([undefined, "other", "error"]).toContain(answer.finish);
  });

  it("says in the middle of the stream that it failed", async () => {
    const model = modelOf(
      await serving(scripted({ text: "Hello", misbehave: { do: "error-event" } })),
      client,
    );
    expect(await heard(model, says("hi"))).toMatchObject({ text: "Hel", errors: 1 });
  });

  it("sends garbage that no client takes for a reply", async () => {
    const model = modelOf(await serving(scripted({ text: "Hello", misbehave: { do: "garbage" } })), client);
    const answer = await heard(model, says("hi")).catch(() => undefined);
    expect(answer?.text ?? "").toBe("");
    expect(answer?.finish ?? "other").not.toBe("stop");
  });

  it("keeps silent until the client goes away", async () => {
    const model = modelOf(await serving(scripted({ misbehave: { do: "silence" } })), client);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    await expect(heard(model, says("hi"), abort.signal)).rejects.toThrow(/abort/i);
  });
});

describe.each(["anthropic", "responses", "compatible"] as const)(
  "a model that thinks, asked by %s,",
  (client) => {
    it("thinks before it speaks", async () => {
      const model = modelOf(await serving(scripted({ thinking: "Let me see", text: "Yes" })), client);
      expect(await heard(model, says("hi"))).toMatchObject({
        thinking: "Let me see",
        text: "Yes",
        errors: 0,
      });
    });
  },
);
