import assert from "node:assert/strict";
import type { Model, ModelEvent } from "../ports/model.ts";
import { type ReplyPart, textPart, type Usage } from "../record/parts.ts";
import type { ContextMessage } from "../timeline/context/context.ts";
import {
  acceptedAll,
  answered,
  askModel,
  call,
  callsOf,
  contextOfMessages,
  failureCode,
  type ModelCase,
  partsOf,
  streamedText,
  userSays,
} from "./model-asking.ts";
import { type ModelServer, openModelServer } from "./model-server/model-server.ts";
import { type ReceivedRequest, type ScriptedReply, scripted, type Wire } from "./model-server/script.ts";

interface ModelContractOptions {
  /** The wire format that the model uses. */
  readonly wire: Wire;
  /** Opens the model under test, with the server as its provider. */
  open(server: ModelServer): Model | Promise<Model>;
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

/**
 * Defines the `Model` contract as tests against the scripted server. The assertions are Node's own, so that the suite
 * runs under any test runner.
 */
export function modelContract(name: string, options: ModelContractOptions): void {
  const { describe, it, wire } = options;
  describe(`${name} fulfills the model contract`, () => {
    for (const each of [...replyCases, ...memoryCases, ...failureCases]) {
      it(each.title, async () => {
        const server = await openModelServer(scripted(...each.replies));
        try {
          await each.run({ wire, server, model: await options.open(server) });
        } finally {
          await server.close();
        }
      });
    }
  });
}

/** Test cases for the contents of a reply. */
const replyCases: readonly ModelCase[] = [
  {
    title: "streams the text as it arrives, and returns all of it at the end",
    replies: [{ text: "The leak is in the pool." }],
    run: async ({ model, server }) => {
      const events = await askModel(model, contextOfMessages(userSays("Where is the leak?")));
      assert.deepEqual(partsOf(events), [textPart("The leak is in the pool.")]);
      assert.equal(streamedText(events, "text"), "The leak is in the pool.");
      assert.ok(events.length > 2, "The text must arrive in several pieces.");
      assert.equal(server.requests[0]?.system, "You are a test.");
      acceptedAll(server);
    },
  },
  {
    title: "returns all calls of a reply, in order, with the arguments from their pieces",
    replies: [
      { text: "Looking.", calls: [call("Read", { file_path: "a" }), call("Read", { file_path: "b" })] },
    ],
    run: async ({ model }) => {
      const events = await askModel(model, contextOfMessages(userSays("Look.")));
      const calls = callsOf(partsOf(events));
      assert.deepEqual(
        calls.map(({ name, input }) => [name, input]),
        [
          ["Read", { file_path: "a" }],
          ["Read", { file_path: "b" }],
        ],
      );
      for (const { call: id, input } of calls) {
        const pieces = events.map((event) => (event.type === "call" && event.call === id ? event.text : ""));
        assert.deepEqual(JSON.parse(pieces.join("")), input);
      }
    },
  },
  {
    title: "gives calls unique ids if the provider repeats ids or omits them, in every later request too",
    replies: [
      {
        calls: [
          { ...call("Read"), id: "x" },
          { ...call("Write"), id: "x" },
          { ...call("Read"), id: "" },
        ],
      },
      { calls: [{ ...call("Read"), id: "x" }] },
      { text: "Done." },
    ],
    run: async ({ model, server }) => {
      const messages = [userSays("Look.")];
      for (let step = 0; step < 3; step++) {
        messages.push(...answered(model, partsOf(await askModel(model, contextOfMessages(...messages)))));
      }
      const ids = messages.flatMap((each) => (each.role === "assistant" ? callsOf(each.parts) : []));
      assert.equal(new Set(ids.map(({ call: id }) => id)).size, 4);
      assert.ok(ids.every(({ call: id }) => id !== ""));
      acceptedAll(server);
    },
  },
  {
    title: "counts cached tokens as part of the input",
    replies: [{ text: "One.", usage: { uncached: 100, read: 20, written: 0, output: 7 } }],
    run: async ({ model, wire }) => {
      const usage = usageOf(await askModel(model, contextOfMessages(userSays("Count."))));
      const cacheRead = wire === "ollama" ? 0 : 20;
      assert.deepEqual(usage, { input: 120, output: 7, cacheRead, cacheWrite: 0 });
    },
  },
  {
    title: "reports that a reply reached its limit",
    replies: [{ text: "Half of", stop: "length" }],
    run: async ({ model }) => {
      const last = (await askModel(model, contextOfMessages(userSays("Tell.")))).at(-1);
      assert.equal(last?.type === "end" ? last.end : last?.type, "length");
    },
  },
];

function usageOf(events: readonly ModelEvent[]): Usage {
  const last = events.at(-1);
  assert.ok(last?.type === "end" && last.usage !== undefined, JSON.stringify(last));
  return last.usage;
}

/** Test cases for failures. */
const failureCases: readonly ModelCase[] = [
  failure("a rejected key", { do: "status", status: 401 }, "MODEL_KEY never"),
  failure("an unknown model", { do: "status", status: 404 }, "MODEL_UNKNOWN never"),
  failure("a refused request", { do: "status", status: 400 }, "MODEL_REFUSED never"),
  failure("a request that is too large", { do: "status", status: 413 }, "CONTEXT_TOO_LONG never"),
  failure("a busy provider", { do: "status", status: 429 }, "MODEL_BUSY soon"),
  failure("an internal error of the provider", { do: "status", status: 500 }, "MODEL_FAILED soon"),
  failure("a connection that breaks after the headers", { do: "cut", after: "headers" }, "MODEL_FAILED soon"),
  failure("a connection that breaks in the middle", { do: "cut", after: "half" }, "MODEL_FAILED soon"),
  failure("a stream without its last events", { do: "end-early" }, "MODEL_FAILED soon"),
  failure("an empty reply", { do: "empty" }, "MODEL_FAILED soon"),
  failure("bytes that are not events", { do: "garbage" }, "MODEL_FAILED soon"),
  {
    title: "fails in the middle of a stream if the provider reports an error",
    replies: [{ text: "I was about to", misbehave: { do: "error-event", message: "out of luck" } }],
    run: async ({ model }) => {
      const code = failureCode(await askModel(model, contextOfMessages(userSays("Tell."))));
      assert.ok(["MODEL_FAILED soon", "MODEL_BUSY soon"].includes(code), code);
    },
  },
  {
    title: "reports MODEL_REFUSED when the content filter stops a reply",
    replies: [{ text: "I would", stop: "content-filter" }],
    run: async ({ model, wire }) => {
      // Ollama does not have a content filter.
      if (wire === "ollama") return;
      assert.equal(
        failureCode(await askModel(model, contextOfMessages(userSays("Tell.")))),
        "MODEL_REFUSED never",
      );
    },
  },
  {
    title: "reports how long the provider asks clients to wait",
    replies: [{ misbehave: { do: "status", status: 429, headers: { "retry-after": "7" } } }],
    run: async ({ model }) => {
      const last = (await askModel(model, contextOfMessages(userSays("Tell.")))).at(-1);
      assert.equal(last?.type === "failed" ? last.failure.retryAfterMs : last?.type, 7000);
    },
  },
  {
    title: "ends promptly with CANCELLED if it is canceled while the reply arrives",
    replies: [{ text: "A long story of a pool.", hold: new Promise(() => {}) }],
    run: async ({ model }) => {
      const cancel = new AbortController();
      const events: ModelEvent[] = [];
      const context = contextOfMessages(userSays("Tell."));
      for await (const event of model.stream({ context, tools: [], signal: cancel.signal })) {
        events.push(event);
        cancel.abort();
      }
      assert.equal(failureCode(events), "CANCELLED never");
    },
  },
  {
    title: "sends no request if it is canceled before the call",
    replies: [{ text: "Too late." }],
    run: async ({ model, server }) => {
      const context = contextOfMessages(userSays("Tell."));
      const events = await askModel(model, context, { signal: AbortSignal.abort() });
      assert.deepEqual([failureCode(events), server.requests.length], ["CANCELLED never", 0]);
    },
  },
];

function failure(title: string, misbehave: NonNullable<ScriptedReply["misbehave"]>, code: string): ModelCase {
  return {
    title: `reports ${title} as ${code.replace(" ", ", retry ")}`,
    replies: [{ text: "I was about to say it.", misbehave }],
    run: async ({ model, server }) => {
      assert.equal(failureCode(await askModel(model, contextOfMessages(userSays("Tell.")))), code);
      assert.equal(server.requests.length, 1, "The model must not retry on its own.");
    },
  };
}

/** Test cases for the parts of earlier requests that a later request repeats. */
const memoryCases: readonly ModelCase[] = [
  {
    title: "sends thinking back in a form that the provider accepts",
    replies: [{ thinking: "Hm, a pool.", text: "I look.", calls: [call("Read")] }, { text: "Done." }],
    run: async ({ model, server }) => {
      const first = userSays("Where?");
      const events = await askModel(model, contextOfMessages(first));
      assert.equal(streamedText(events, "text"), "I look.");
      partsOf(await askModel(model, contextOfMessages(first, ...answered(model, partsOf(events)))));
      acceptedAll(server);
    },
  },
  {
    title: "sends the same bytes for the same context, and begins a longer context with them",
    replies: [{ text: "One." }, { text: "One." }, { text: "Two." }],
    run: async ({ model, server }) => {
      const first = userSays("Say one.");
      const parts = partsOf(await askModel(model, contextOfMessages(first)));
      await askModel(model, contextOfMessages(first));
      await askModel(model, contextOfMessages(first, ...answered(model, parts), userSays("Say two.")));
      const [one, again, longer] = server.requests;
      assert.ok(one !== undefined && again !== undefined && longer !== undefined);
      assert.equal(again.bytes.toString(), one.bytes.toString());
      const begun = wireMessages(one);
      assert.deepEqual(wireMessages(longer).slice(0, begun.length), begun);
      assert.equal(wireRest(longer), wireRest(one));
      assert.deepEqual(one.tools, ["Read", "Write"]);
    },
  },
  {
    title: "begins each request with all of the previous one, so that the provider's cache can be used",
    replies: [
      { calls: [call("Read"), call("Write")] },
      { thinking: "Hm.", calls: [call("Read")] },
      { text: "Done." },
    ],
    run: async ({ model, server }) => {
      const messages = [userSays("Work.")];
      for (let step = 0; step < 3; step++) {
        messages.push(...answered(model, partsOf(await askModel(model, contextOfMessages(...messages)))));
      }
      const cached = server.requests.map(({ cachedTokens }) => cachedTokens);
      const sent = server.requests.map(({ inputTokens }) => inputTokens);
      assert.deepEqual(cached, [0, sent[0], sent[1]]);
      acceptedAll(server);
    },
  },
  {
    title: "keeps the history valid after a call whose arguments were not JSON",
    replies: [{ calls: [{ name: "Read", rawArguments: '{"file_path": "a' }] }, { text: "Sorry." }],
    run: async ({ model, server, wire }) => {
      const first = userSays("Read a.");
      const parts = partsOf(await askModel(model, contextOfMessages(first)));
      const [broken] = callsOf(parts);
      assert.deepEqual(broken?.input, {});
      if (wire !== "ollama") assert.equal(broken?.malformed, '{"file_path": "a');
      partsOf(await askModel(model, contextOfMessages(first, ...answered(model, parts))));
      assert.deepEqual(server.requests[1]?.messages[1]?.calls[0]?.input, {});
      acceptedAll(server);
    },
  },
  {
    title:
      "accepts a history from another provider's model, with thinking, unusual ids and names, and images",
    replies: [{ text: "Fine." }],
    run: async ({ model, server }) => {
      const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
      const parts: readonly ReplyPart[] = [
        { type: "thinking", text: "Mine alone.", signature: "theirs" },
        { type: "text", text: " " },
        { type: "tool-call", call: "functions.Read:0", name: "functions.Read", input: {} },
      ];
      const result = { call: "functions.Read:0", name: "functions.Read", outcome: "error" } as const;
      const messages: readonly ContextMessage[] = [
        { role: "user", parts: [textPart("See this."), image, textPart("")] },
        { role: "assistant", model: "elsewhere/other", parts },
        { role: "tool", ...result, parts: [textPart("A picture, half \ud83d"), image] },
        userSays("And?"),
      ];
      assert.deepEqual(partsOf(await askModel(model, contextOfMessages(...messages))), [textPart("Fine.")]);
      acceptedAll(server);
      const [request] = server.requests;
      assert.equal(
        request?.messages.reduce((sum, { images }) => sum + images, 0),
        2,
      );
      assert.ok(!Buffer.from(request?.bytes ?? []).includes("Mine alone."));
    },
  },
];

/** Returns the messages as they were sent, but without cache marks, which may move. */
function wireMessages({ body }: ReceivedRequest): readonly string[] {
  const { messages, input } = body as { messages?: readonly unknown[]; input?: readonly unknown[] };
  return (messages ?? input ?? []).map(unmarked);
}

/** Returns everything in a request except its messages. */
function wireRest({ body }: ReceivedRequest): string {
  const { messages, input, ...rest } = body as Record<string, unknown>;
  return unmarked(rest);
}

function unmarked(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => (key === "cache_control" ? undefined : each));
}
