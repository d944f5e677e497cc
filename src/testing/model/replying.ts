import assert from "node:assert/strict";
import type { ModelEvent } from "../../ports/model.ts";
import { textPart, type Usage } from "../../record/parts.ts";
import {
  acceptedAll,
  answered,
  askModel,
  call,
  callsOf,
  contextOfMessages,
  type ModelCase,
  partsOf,
  told,
  userSays,
} from "./asking.ts";

/** What a reply tells. */
export const replying: readonly ModelCase[] = [
  {
    title: "tells the text as it arrives, and the whole of it at the end",
    replies: [{ text: "The leak is in the pool." }],
    run: async ({ model, server }) => {
      const events = await askModel(model, contextOfMessages(userSays("Where is the leak?")));
      assert.deepEqual(partsOf(events), [textPart("The leak is in the pool.")]);
      assert.equal(told(events, "text"), "The leak is in the pool.");
      assert.ok(events.length > 2, "in more than one piece");
      assert.equal(server.requests[0]?.system, "You are a test.");
      acceptedAll(server);
    },
  },
  {
    title: "has all calls of a reply, in order, with what their pieces said",
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
    title:
      "gives calls ids of their own where the provider repeats them or has none, in every later request too",
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
    title: "counts what was cached as a part of the input",
    replies: [{ text: "One.", usage: { uncached: 100, read: 20, written: 0, output: 7 } }],
    run: async ({ model, wire }) => {
      const usage = usageOf(await askModel(model, contextOfMessages(userSays("Count."))));
      const cacheRead = wire === "ollama" ? 0 : 20;
      assert.deepEqual(usage, { input: 120, output: 7, cacheRead, cacheWrite: 0 });
    },
  },
  {
    title: "says when a reply hit its limit",
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
