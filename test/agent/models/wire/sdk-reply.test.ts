import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { SdkReply } from "../../../../src/agent/models/open-model.ts";
import type { FailureContext } from "../../../../src/agent/models/wire/failure.ts";
import type { ModelEvent } from "../../../../src/ports/model.ts";

const scene: FailureContext = {
  model: "a/m",
  baseUrl: "https://provider.test",
  keyFrom: { from: "nowhere" },
  secrets: [],
  connectMs: 5_000,
  silenceMs: 1,
  firstByteMs: 1,
  now: 0,
  cancelled: "no",
};

const uncounted = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

type Finish = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

function finish(some: Partial<Finish> = {}): Finish {
  return { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: uncounted, ...some };
}

function text(delta: string): LanguageModelV3StreamPart {
  return { type: "text-delta", id: "0", delta };
}

/** Returns every event that these parts produce, with the outcome last. */
function read(...parts: readonly LanguageModelV3StreamPart[]): readonly ModelEvent[] {
  const reply = new SdkReply(new Set(["taken", "call-1"]));
  return [...parts.flatMap((part) => [...reply.take(part)]), reply.outcome(scene)];
}

describe("reading a provider's stream", () => {
  it("keeps hidden thinking, because it has to be sent back", () => {
    const anthropic = { redactedData: "sealed" };
    const events = read(
      { type: "reasoning-start", id: "0", providerMetadata: { anthropic } },
      { type: "reasoning-end", id: "0" },
      text("So."),
      finish(),
    );
    expect(events.at(-1)).toEqual({
      type: "end",
      parts: [
        { type: "thinking", text: "", signature: "redacted:sealed" },
        { type: "text", text: "So." },
      ],
    });
  });

  it("makes one thought of the parts of a summary, with the last seal", () => {
    const openai = (seal: string | null) => ({ openai: { itemId: "rs", reasoningEncryptedContent: seal } });
    const events = read(
      { type: "reasoning-start", id: "rs:0", providerMetadata: openai("early") },
      { type: "reasoning-delta", id: "rs:0", delta: "One.", providerMetadata: { openai: { itemId: "rs" } } },
      { type: "reasoning-start", id: "rs:1", providerMetadata: openai(null) },
      { type: "reasoning-delta", id: "rs:1", delta: "Two.", providerMetadata: { openai: { itemId: "rs" } } },
      { type: "reasoning-end", id: "rs:0", providerMetadata: openai("late") },
      { type: "reasoning-end", id: "rs:1", providerMetadata: openai("late") },
      text("So."),
      finish(),
    );
    expect(events.at(-1)).toMatchObject({
      parts: [{ type: "thinking", text: "One.\n\nTwo.", signature: "late" }, { text: "So." }],
    });
  });

  it("makes up the same id each time where the package made up another one", () => {
    const chunk = { choices: [{ delta: { tool_calls: [{ index: 0 }, { index: 1, id: "taken" }] } }] };
    const events = read(
      { type: "raw", rawValue: chunk },
      { type: "tool-input-start", id: "random-7fK2", toolName: "Read" },
      { type: "tool-call", toolCallId: "random-7fK2", toolName: "Read", input: '{"a":1}' },
      { type: "tool-call", toolCallId: "taken", toolName: "Read", input: "" },
      finish(),
    );
    expect(events).toEqual([
      { type: "call", call: "call-2", name: "Read", text: "" },
      { type: "call", call: "call-2", name: "Read", text: '{"a":1}' },
      { type: "call", call: "call-3", name: "Read", text: "" },
      {
        type: "end",
        parts: [
          { type: "tool-call", call: "call-2", name: "Read", input: { a: 1 } },
          { type: "tool-call", call: "call-3", name: "Read", input: {} },
        ],
      },
    ]);
  });

  it.each(["[1]", '"text"', "null", '{"a":', "not JSON"])(
    "keeps arguments that are not an object unchanged: %s",
    (input) => {
      const events = read({ type: "tool-call", toolCallId: "1", toolName: "Read", input }, finish());
      expect(events.at(-1)).toMatchObject({ parts: [{ call: "1", input: {}, malformed: input }] });
    },
  );

  it("has a call whose end the limit cut off", () => {
    const events = read(
      { type: "tool-input-start", id: "1", toolName: "Write" },
      { type: "tool-input-delta", id: "1", delta: '{"content": "half' },
      finish({ finishReason: { unified: "length", raw: "max_tokens" } }),
    );
    expect(events.at(-1)).toEqual({
      type: "end",
      end: "length",
      parts: [{ type: "tool-call", call: "1", name: "Write", input: {}, malformed: '{"content": "half' }],
    });
  });

  it.each([
    ["other", "eos_token", "end"],
    ["other", undefined, "MODEL_FAILED"],
    ["other", "insufficient_system_resource", "MODEL_FAILED"],
    ["error", undefined, "MODEL_FAILED"],
    ["content-filter", "refusal", "MODEL_REFUSED"],
  ] as const)("that ended with %s, %s is %s", (unified, raw, expected) => {
    const last = read(text("So."), finish({ finishReason: { unified, raw } })).at(-1);
    expect(last?.type === "failed" ? last.failure.code : last?.type).toBe(expected);
  });

  it.each([{ cached_tokens: 80 }, { prompt_cache_hit_tokens: 80 }])("finds what was cached in %j", (raw) => {
    const usage = {
      inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
      raw,
    };
    expect(read(text("So."), finish({ usage })).at(-1)).toMatchObject({
      usage: { input: 100, output: 5, cacheRead: 80, cacheWrite: 0 },
    });
  });
});
