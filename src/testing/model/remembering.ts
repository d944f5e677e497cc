import assert from "node:assert/strict";
import { type ReplyPart, textPart } from "../../record/parts.ts";
import type { ContextMessage } from "../../timeline/context/context.ts";
import type { ReceivedRequest } from "../model-server/script.ts";
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

/** What a later request says of earlier ones. */
export const remembering: readonly ModelCase[] = [
  {
    title: "sends thinking back so that it is accepted",
    replies: [{ thinking: "Hm, a pool.", text: "I look.", calls: [call("Read")] }, { text: "Done." }],
    run: async ({ model, server }) => {
      const first = userSays("Where?");
      const events = await askModel(model, contextOfMessages(first));
      assert.equal(told(events, "text"), "I look.");
      partsOf(await askModel(model, contextOfMessages(first, ...answered(model, partsOf(events)))));
      acceptedAll(server);
    },
  },
  {
    title: "sends the same bytes for the same context, and begins a longer one with them",
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
    title: "begins each request with all of the one before, so that the provider's cache holds it",
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
    title: "keeps the history valid after a call whose arguments were no JSON",
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
      "takes a history that another provider's model wrote, with thinking, odd ids, odd names and images",
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

/** The messages as they stand on the wire; a cache mark may move. */
function wireMessages({ body }: ReceivedRequest): readonly string[] {
  const { messages, input } = body as { messages?: readonly unknown[]; input?: readonly unknown[] };
  return (messages ?? input ?? []).map(unmarked);
}

/** All else that a request holds. */
function wireRest({ body }: ReceivedRequest): string {
  const { messages, input, ...rest } = body as Record<string, unknown>;
  return unmarked(rest);
}

function unmarked(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => (key === "cache_control" ? undefined : each));
}
