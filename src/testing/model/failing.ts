import assert from "node:assert/strict";
import type { ModelEvent } from "../../ports/model.ts";
import type { ScriptedReply } from "../model-server/script.ts";
import { askModel, contextOfMessages, failureCode, type ModelCase, userSays } from "./asking.ts";

/** What becomes of a bad day. */
export const failing: readonly ModelCase[] = [
  failure("a key that is not accepted", { do: "status", status: 401 }, "MODEL_KEY never"),
  failure("a model that is not known", { do: "status", status: 404 }, "MODEL_UNKNOWN never"),
  failure("a request that is refused", { do: "status", status: 400 }, "MODEL_REFUSED never"),
  failure("a request that is too large", { do: "status", status: 413 }, "CONTEXT_TOO_LONG never"),
  failure("a provider that is busy", { do: "status", status: 429 }, "MODEL_BUSY soon"),
  failure("a provider that is broken", { do: "status", status: 500 }, "MODEL_FAILED soon"),
  failure("a connection that is cut after the headers", { do: "cut", after: "headers" }, "MODEL_FAILED soon"),
  failure("a connection that is cut in the middle", { do: "cut", after: "half" }, "MODEL_FAILED soon"),
  failure("a stream without its last events", { do: "end-early" }, "MODEL_FAILED soon"),
  failure("an empty reply", { do: "empty" }, "MODEL_FAILED soon"),
  failure("bytes that are no events", { do: "garbage" }, "MODEL_FAILED soon"),
  {
    title: "fails in the middle of a stream when the provider says so",
    replies: [{ text: "I was about to", misbehave: { do: "error-event", message: "out of luck" } }],
    run: async ({ model }) => {
      const code = failureCode(await askModel(model, contextOfMessages(userSays("Tell."))));
      assert.ok(["MODEL_FAILED soon", "MODEL_BUSY soon"].includes(code), code);
    },
  },
  {
    title: "answers a reply that the content filter stopped with MODEL_REFUSED",
    replies: [{ text: "I would", stop: "content-filter" }],
    run: async ({ model, wire }) => {
      // Ollama has no such thing.
      if (wire === "ollama") return;
      assert.equal(
        failureCode(await askModel(model, contextOfMessages(userSays("Tell.")))),
        "MODEL_REFUSED never",
      );
    },
  },
  {
    title: "says how long the provider wants to be left alone",
    replies: [{ misbehave: { do: "status", status: 429, headers: { "retry-after": "7" } } }],
    run: async ({ model }) => {
      const last = (await askModel(model, contextOfMessages(userSays("Tell.")))).at(-1);
      assert.equal(last?.type === "failed" ? last.failure.retryAfterMs : last?.type, 7000);
    },
  },
  {
    title: "ends soon with CANCELLED when it is cancelled while the reply arrives",
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
    title: "asks nobody when it is cancelled before",
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
    title: `answers ${title} with ${code.replace(" ", ", retry ")}`,
    replies: [{ text: "I was about to say it.", misbehave }],
    run: async ({ model, server }) => {
      assert.equal(failureCode(await askModel(model, contextOfMessages(userSays("Tell.")))), code);
      assert.equal(server.requests.length, 1, "and does not ask again by itself");
    },
  };
}
