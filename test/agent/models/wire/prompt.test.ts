import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ANTHROPIC,
  CHAT,
  COMPATIBLE,
  COMPATIBLE_THINKING,
  type Dialect,
  promptOf,
  RESPONSES,
} from "../../../../src/agent/models/wire/prompt.ts";
import { type ReplyPart, textPart } from "../../../../src/record/parts.ts";
import type { Context, ContextMessage } from "../../../../src/timeline/context/context.ts";

const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };

function user(...texts: readonly string[]): ContextMessage {
  return { role: "user", parts: texts.map(textPart) };
}

function reply(...parts: readonly ReplyPart[]): ContextMessage {
  return { role: "assistant", model: "a/m", parts };
}

function call(id: string, name = "Read"): ReplyPart {
  return { type: "tool-call", call: id, name, input: {} };
}

function result(id: string): ContextMessage {
  return { role: "tool", call: id, name: "Read", outcome: "ok", parts: [textPart("done")] };
}

function context(messages: readonly ContextMessage[], breakpoints: readonly number[] = []): Context {
  return { system: "", messages, breakpoints };
}

function prompt(dialect: Dialect, ...messages: readonly ContextMessage[]): ReturnType<typeof promptOf> {
  return promptOf(context(messages), { model: "a/m", dialect });
}

function idsIn(written: ReturnType<typeof promptOf>): readonly string[] {
  return written.flatMap((message) =>
    typeof message.content === "string"
      ? []
      : message.content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])),
  );
}

describe("a prompt for Anthropic", () => {
  it("marks the system prompt and at most three messages", () => {
    const messages = [user("a"), reply(textPart("b")), user("c"), reply(textPart("d")), user("e")];
    const written = promptOf(
      { system: "s", messages, breakpoints: [0, 1, 2, 4] },
      { model: "a/m", dialect: ANTHROPIC },
    );
    expect(written.map(({ providerOptions }) => providerOptions)).toEqual([
      mark,
      undefined,
      mark,
      mark,
      undefined,
      mark,
    ]);
  });

  it("marks what the index meant where a message was left out before it", () => {
    const messages = [user("a"), reply({ type: "thinking", text: "unsigned" }), user("b"), user("c")];
    const written = promptOf(context(messages, [2]), { model: "a/m", dialect: ANTHROPIC });
    expect(written).toEqual([
      { role: "user", content: [{ type: "text", text: "a" }] },
      { role: "user", content: [{ type: "text", text: "b" }], providerOptions: mark },
      { role: "user", content: [{ type: "text", text: "c" }] },
    ]);
  });

  it("says that a result is an error's, and holds its images", () => {
    const failed = { role: "tool", call: "1", name: "Read", outcome: "denied" } as const;
    const written = prompt(
      ANTHROPIC,
      user("a"),
      reply(call("1"), call("2")),
      { ...failed, parts: [textPart("no"), textPart("marker")] },
      { ...failed, call: "2", outcome: "ok", parts: [textPart("see"), image] },
    );
    expect(written.slice(2)).toEqual([
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "Read",
            output: { type: "error-text", value: "no\nmarker" },
          },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "2",
            toolName: "Read",
            output: {
              type: "content",
              value: [
                { type: "text", text: "see" },
                { type: "image-data", data: "AAAA", mediaType: "image/png" },
              ],
            },
          },
        ],
      },
    ]);
  });
});

describe("thinking", () => {
  const thought: ReplyPart = { type: "thinking", text: "hm", signature: "seal" };
  const unsigned: ReplyPart = { type: "thinking", text: "hm" };

  it.each<[string, Dialect, ReplyPart, unknown]>([
    ["with its signature to Anthropic", ANTHROPIC, thought, { anthropic: { signature: "seal" } }],
    [
      "as the data that Anthropic hid",
      ANTHROPIC,
      { type: "thinking", text: "", signature: "redacted:data" },
      { anthropic: { redactedData: "data" } },
    ],
    ["encrypted to OpenAI", RESPONSES, thought, { openai: { reasoningEncryptedContent: "seal" } }],
    ["as text to those who want it", COMPATIBLE_THINKING, unsigned, undefined],
  ])("goes back %s", (...[, dialect, part, providerOptions]) => {
    const [, written] = prompt(dialect, user("a"), reply(part, textPart("b")));
    expect(written?.content).toEqual([
      {
        type: "reasoning",
        text: part.type === "thinking" ? part.text : "",
        ...(providerOptions === undefined ? {} : { providerOptions }),
      },
      { type: "text", text: "b" },
    ]);
  });

  it.each<[string, Dialect, ReplyPart]>([
    ["without a signature", ANTHROPIC, unsigned],
    ["without a seal", RESPONSES, unsigned],
    ["over Chat Completions", CHAT, thought],
    ["to a server that may not know it", COMPATIBLE, thought],
  ])("does not go back %s", (_title, dialect, part) => {
    const [, written] = prompt(dialect, user("a"), reply(part, textPart("b")));
    expect(written?.content).toEqual([{ type: "text", text: "b" }]);
  });

  it.each([
    ["a/m", 2],
    ["a/m-20260101", 2],
    ["a/n", 1],
    ["b/m", 1],
  ])("of %s goes to a/m in %i parts of the reply", (model, parts) => {
    const message: ContextMessage = { role: "assistant", model, parts: [thought, textPart("b")] };
    expect(prompt(ANTHROPIC, user("a"), message)[1]?.content).toHaveLength(parts);
  });

  it("does not go back at the end of a reply that was cut", () => {
    expect(prompt(ANTHROPIC, user("a"), reply(textPart("b"), thought))[1]?.content).toEqual([
      { type: "text", text: "b" },
    ]);
  });
});

describe("calls in a prompt", () => {
  it("get their own ids, and their results the same ones, if the history repeats an id", () => {
    const again = [reply(call("x"), call("x")), result("x"), result("x")];
    expect(idsIn(prompt(ANTHROPIC, user("a"), ...again, ...again))).toEqual([
      ...["x", "x-2", "x", "x-2"],
      ...["x-3", "x-4", "x-3", "x-4"],
    ]);
  });

  it("have ids that the provider accepts, and as they were where the model relies on that", () => {
    const history = [user("a"), reply(call("functions.Read:0")), result("functions.Read:0")];
    const [one, other] = idsIn(prompt(RESPONSES, ...history));
    expect(one).toMatch(/^call_[0-9a-f]{24}$/);
    expect(other).toBe(one);
    expect(idsIn(prompt(COMPATIBLE, ...history))).toEqual(["functions.Read:0", "functions.Read:0"]);
  });

  it("have a name that the provider accepts, and no malformed arguments", () => {
    const broken: ReplyPart = { type: "tool-call", call: "1", name: "", input: {}, malformed: "{" };
    const list: ReplyPart = { type: "tool-call", call: "2", name: "a b·c", input: ["no object"] };
    expect(prompt(CHAT, user("a"), reply(broken, list))[1]?.content).toEqual([
      { type: "tool-call", toolCallId: "1", toolName: "unknown", input: {} },
      { type: "tool-call", toolCallId: "2", toolName: "a_b_c", input: {} },
    ]);
  });
});

describe("a prompt for Chat Completions", () => {
  it("puts images from results after all results", () => {
    const withImage = { role: "tool", call: "1", name: "Read", outcome: "ok", parts: [image] } as const;
    const written = prompt(CHAT, user("a"), reply(call("1"), call("2")), withImage, result("2"));
    expect(written.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    expect(written.at(-1)?.content).toEqual([
      { type: "text", text: "Images of the result of Read:" },
      { type: "file", mediaType: "image/png", data: "AAAA" },
    ]);
  });

  it("joins texts, and has none that is empty", () => {
    expect(prompt(CHAT, user("a", "", "marker"), user(" "))).toEqual([
      { role: "user", content: [{ type: "text", text: "a\nmarker" }] },
      { role: "user", content: [{ type: "text", text: "(empty)" }] },
    ]);
  });

  it("has no half of a character", () => {
    expect(prompt(CHAT, user("cut \ud83d"))[0]?.content).toEqual([{ type: "text", text: "cut \ufffd" }]);
  });
});

/** One unit of conversation: a user message, or a reply with the results of its calls. */
const exchange = fc.oneof(
  fc.string().map((text) => [user(text)]),
  fc
    .array(fc.constantFrom("x", "y", "", "a.b"), { maxLength: 3 })
    .map((ids) => [reply(textPart("t"), ...ids.map((id) => call(id))), ...ids.map(result)]),
);

describe("law: whatever the history", () => {
  it.each(Object.entries({ ANTHROPIC, RESPONSES, CHAT, COMPATIBLE }))(
    "a longer prompt for %s begins with the shorter one, and no two calls share an id",
    (_name, dialect) => {
      fc.assert(
        fc.property(fc.array(exchange, { maxLength: 8 }), exchange, (history, next) => {
          const messages = history.flat();
          const short = prompt(dialect, ...messages);
          const long = prompt(dialect, ...messages, ...next);
          expect(long.slice(0, short.length)).toEqual(short);
          const calls = long.filter(({ role }) => role === "assistant");
          const ids = idsIn(calls);
          expect(new Set(ids).size).toBe(ids.length);
        }),
      );
    },
  );
});
