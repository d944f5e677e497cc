import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/record/parts.ts";
import { type ModelServer, openModelServer, type Wire } from "../../../src/testing/testing.ts";
import { asking, speak } from "./speak.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await openModelServer(() => ({ text: "fine" }), { window: 5000 });
});
afterAll(() => server.close());

/** The status, and the reason that the server recorded with the request. */
async function verdict(wire: Wire, body: Json, headers?: Record<string, string>): Promise<unknown[]> {
  const response = await speak(server, wire, { body, ...(headers === undefined ? {} : { headers }) });
  await response.text();
  return [response.status, server.requests.at(-1)?.refused];
}

const user = (content: Json): JsonObject => ({ role: "user", content });
const assistant = (content: Json): JsonObject => ({ role: "assistant", content });
const system = (content: Json): JsonObject => ({ role: "system", content });

describe("Anthropic's wire refuses", () => {
  const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "read", input: {} });
  const result = (id: string): JsonObject => ({ type: "tool_result", tool_use_id: id, content: "ok" });
  const mark = { type: "text", text: "x", cache_control: { type: "ephemeral" } };
  const thought = (signature?: string): JsonObject => ({
    type: "thinking",
    thinking: "hm",
    ...(signature === undefined ? {} : { signature }),
  });
  const cases: readonly (readonly [string, readonly JsonObject[], RegExp])[] = [
    ["no messages", [], /at least one message/],
    ["a first message that is not the user's", [assistant("hi")], /first message must use the user role/],
    ["an unknown role", [user("a"), { role: "developer", content: "b" }], /unexpected role "developer"/],
    ["instructions before all others", [system("a"), user("b")], /first message must use the user role/],
    [
      "instructions after a reply",
      [user("a"), assistant("b"), system("c")],
      /messages.2: .* must follow a user message/,
    ],
    ["instructions after instructions", [user("a"), system("b"), system("c")], /messages.1: .* must be last/],
    [
      "instructions within the user's turn",
      [user("a"), system("b"), user("c")],
      /must be last or be followed by an assistant message/,
    ],
    ["instructions that say nothing", [user("a"), system([])], /non-empty content/],
    ["instructions that call", [user("a"), system([call("1")])], /tool_use is not allowed for system/],
    ["an empty text block", [user([{ type: "text", text: "" }])], /non-whitespace text/],
    ["content without blocks", [user([])], /non-empty content/],
    ["a call without a result", [user("a"), assistant([call("1")])], /without `tool_result` blocks/],
    [
      "a call whose result comes late",
      [user("a"), assistant([call("1")]), user("b"), assistant("c"), user([result("1")])],
      /messages.2: `tool_use` ids were found without/,
    ],
    [
      "half of the results",
      [user("a"), assistant([call("1"), call("2")]), user([result("2")])],
      /immediately after: 1/,
    ],
    ["a result without a call", [user([result("1")])], /unexpected `tool_use_id`/],
    [
      "two results of a call",
      [user("a"), assistant([call("1")]), user([result("1"), result("1")])],
      /single result/,
    ],
    [
      "text before results",
      [user("a"), assistant([call("1")]), user([{ type: "text", text: "b" }, result("1")])],
      /must come before all other content/,
    ],
    [
      "repeated ids",
      [user("a"), assistant([call("1"), call("1")]), user([result("1")])],
      /ids must be unique/,
    ],
    ["an empty id", [user("a"), assistant([call("")]), user([result("")])], /tool_use.id/],
    [
      "arguments that are no object",
      [user("a"), assistant([{ ...call("1"), input: "{" }]), user([result("1")])],
      /valid dictionary/,
    ],
    [
      "thinking that was never signed",
      [user("a"), assistant([thought()]), user("b")],
      /signature: field required/,
    ],
    [
      "thinking that someone else signed",
      [user("a"), assistant([thought("x")]), user("b")],
      /Invalid `signature`/,
    ],
    [
      "five cache marks",
      [user([mark, mark, mark, mark, mark])],
      /maximum of 4 blocks with cache_control may be provided. Found 5/,
    ],
    ["an end with white space", [user("a"), assistant("b ")], /trailing whitespace/],
    [
      "more than the window holds",
      [user("x".repeat(40_000))],
      /prompt is too long: \d+ tokens > 5000 maximum/,
    ],
  ];

  it.each(cases)("%s", async (_title, messages, why) => {
    expect(await verdict("anthropic", asking("anthropic", "", { messages }))).toEqual([
      400,
      expect.stringMatching(why),
    ]);
  });

  it("a request without a key, a version, or a limit of tokens", async () => {
    const body = asking("anthropic", "hi");
    expect(await verdict("anthropic", body, {})).toEqual([401, "x-api-key header is required"]);
    expect(await verdict("anthropic", body, { "x-api-key": "k" })).toEqual([
      400,
      "anthropic-version: header is required",
    ]);
    expect(await verdict("anthropic", { ...body, max_tokens: null })).toEqual([
      400,
      "max_tokens: field required",
    ]);
    expect(await verdict("anthropic", "no object")).toEqual([400, "The request body is not a JSON object"]);
  });

  it("nothing of a conversation that a provider takes", async () => {
    const messages = [
      user([mark]),
      assistant([{ type: "text", text: "b" }, call("1"), call("2")]),
      user([result("2"), result("1")]),
      user("and text in a message of its own"),
      assistant([call("3")]),
      user([result("3"), mark]),
    ];
    expect(await verdict("anthropic", asking("anthropic", "", { messages }))).toEqual([200, undefined]);
  });
});

describe("instructions between the messages of Anthropic's wire", () => {
  it("are accepted when it is the model's turn, and may only set how much effort it makes", async () => {
    const messages = [
      user("a"),
      system("be brief"),
      assistant([{ type: "tool_use", id: "1", name: "read", input: {} }]),
      user([{ type: "tool_result", tool_use_id: "1", content: "ok" }]),
      { ...system([]), output_config: { effort: "low" } },
      assistant("b"),
      user("c"),
      system([{ type: "text", text: "be briefer" }]),
    ];
    expect(await verdict("anthropic", asking("anthropic", "", { messages }))).toEqual([200, undefined]);
    expect(server.requests.at(-1)?.messages.map(({ role, text }) => [role, text])).toEqual([
      ["user", "a"],
      ["system", "be brief"],
      ["assistant", ""],
      ["tool", ""],
      ["assistant", "b"],
      ["user", "c"],
      ["system", "be briefer"],
    ]);
  });
});

describe("the chat wire refuses", () => {
  const calls = (...ids: string[]): JsonObject => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "read", arguments: "{}" } })),
  });
  const result = (id: string): JsonObject => ({ role: "tool", tool_call_id: id, content: "ok" });
  const broken = { id: "1", type: "function", function: { name: "read", arguments: "{" } };
  const cases: readonly (readonly [string, readonly JsonObject[], RegExp])[] = [
    ["no messages", [], /too short/],
    ["a first message that is not the user's", [assistant("hi")], /first message must use the user role/],
    ["an unknown role", [user("a"), { role: "robot", content: "b" }], /Invalid value: 'robot'/],
    ["an assistant that says and does nothing", [user("a"), assistant(null)], /expected a string, got null/],
    ["a call without a result", [user("a"), calls("1")], /Without response: 1/],
    ["half of the results", [user("a"), calls("1", "2"), result("1"), user("b")], /Without response: 2/],
    ["a result without a call", [user("a"), result("1")], /must be a response to a preceding message/],
    [
      "a result after another message",
      [user("a"), calls("1"), result("1"), user("b"), result("1")],
      /preceding message/,
    ],
    ["two results of a call", [user("a"), calls("1"), result("1"), result("1")], /answer the same call/],
    ["repeated ids", [user("a"), calls("1", "1"), result("1")], /Duplicate ids/],
    ["an empty id", [user("a"), calls(""), result("")], /Missing required parameter/],
    [
      "arguments that are no JSON",
      [user("a"), { role: "assistant", tool_calls: [broken] }, result("1")],
      /not valid JSON/,
    ],
  ];

  it.each(cases)("%s", async (_title, messages, why) => {
    expect(await verdict("chat", asking("chat", "", { messages }))).toEqual([
      400,
      expect.stringMatching(why),
    ]);
  });

  it("a request without a key", async () => {
    expect(await verdict("chat", asking("chat", "hi"), {})).toEqual([401, expect.stringMatching(/API key/)]);
  });

  it("nothing of a conversation that a provider takes", async () => {
    const messages = [
      { role: "system", content: "s" },
      user("a"),
      calls("1", "2"),
      result("2"),
      result("1"),
      calls("1"),
      result("1"),
    ];
    expect(await verdict("chat", asking("chat", "", { messages }))).toEqual([200, undefined]);
  });
});

describe("the responses wire refuses", () => {
  const call = (id: string): JsonObject => ({
    type: "function_call",
    call_id: id,
    name: "read",
    arguments: "{}",
  });
  const output = (id: string): JsonObject => ({ type: "function_call_output", call_id: id, output: "ok" });
  const cases: readonly (readonly [string, readonly JsonObject[], RegExp])[] = [
    ["no input", [], /'input'/],
    ["a first message that is not the user's", [assistant("hi")], /first message must use the user role/],
    ["an unknown role", [user("a"), { role: "robot", content: "b" }], /Invalid value: 'robot'/],
    ["an unknown item", [user("a"), { type: "song" }], /Invalid value: 'song'/],
    ["input written as output", [user([{ type: "output_text", text: "a" }])], /Invalid value: 'output_text'/],
    ["a call without an output", [user("a"), call("1")], /No tool output found for function call 1/],
    ["an output without a call", [user("a"), output("1")], /No tool call found/],
    ["an output before its call", [user("a"), output("1"), call("1")], /No tool call found/],
    [
      "two outputs of a call",
      [user("a"), call("1"), output("1"), output("1")],
      /Several function call outputs/,
    ],
    ["repeated ids", [user("a"), call("1"), call("1"), output("1")], /Duplicate call_id/],
    [
      "repeated items",
      [user("a"), { ...call("1"), id: "i" }, { ...output("1"), id: "i" }],
      /Duplicate item found with id i/,
    ],
    ["an empty id", [user("a"), call(""), output("")], /Missing required parameter/],
    [
      "arguments that are no JSON",
      [user("a"), { ...call("1"), arguments: "{" }, output("1")],
      /not valid JSON/,
    ],
    ["a reference to what it does not keep", [user("a"), { type: "item_reference", id: "i" }], /not found/],
    [
      "reasoning that leads to nothing",
      [user("a"), { type: "reasoning", id: "r", summary: [] }, user("b")],
      /required following item/,
    ],
  ];

  it.each(cases)("%s", async (_title, input, why) => {
    expect(await verdict("responses", asking("responses", "", { input }))).toEqual([
      400,
      expect.stringMatching(why),
    ]);
  });

  it("a request without a key", async () => {
    expect(await verdict("responses", asking("responses", "hi"), {})).toEqual([401, expect.any(String)]);
  });

  it("nothing of a conversation that a provider takes", async () => {
    const input = [
      user("a"),
      call("1"),
      output("1"),
      call("2"),
      call("3"),
      output("3"),
      output("2"),
      user("b"),
    ];
    expect(await verdict("responses", asking("responses", "", { input }))).toEqual([200, undefined]);
  });
});

describe("Ollama's wire refuses", () => {
  const call = {
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name: "read", arguments: {} } }],
  };
  const result = { role: "tool", tool_name: "read", content: "ok" };
  const cases: readonly (readonly [string, readonly JsonObject[], RegExp])[] = [
    ["a first message that is not the user's", [assistant("hi")], /first message/],
    ["an unknown role", [user("a"), { role: "robot", content: "b" }], /invalid role/],
    ["content in blocks", [user([{ type: "text", text: "a" }])], /cannot unmarshal/],
    ["a call without a result", [user("a"), call], /no result/],
    ["a call whose result comes late", [user("a"), call, user("b"), result], /no result/],
    ["a result without a call", [user("a"), result], /without its call/],
  ];

  it.each(cases)("%s", async (_title, messages, why) => {
    expect(await verdict("ollama", asking("ollama", "", { messages }))).toEqual([
      400,
      expect.stringMatching(why),
    ]);
  });

  it("nothing of a conversation that it takes, and asks for no key", async () => {
    const messages = [user("a"), call, result, user("b")];
    expect(await verdict("ollama", asking("ollama", "", { messages }), {})).toEqual([200, undefined]);
  });
});
