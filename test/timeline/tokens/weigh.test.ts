import { describe, expect, it } from "vitest";
import type { Draft, DraftOf } from "../../../src/record/entry.ts";
import { toCheckpointNumber } from "../../../src/record/ids.ts";
import { type ImagePart, type Json, type ReplyPart, textOf, textPart } from "../../../src/record/parts.ts";
import { newPersonCall } from "../../../src/timeline/calls.ts";
import { framedNote, summaryFrame } from "../../../src/timeline/context/notices.ts";
import { weigh, weighSummary } from "../../../src/timeline/token-count.ts";
import { estimateTokens } from "../../../src/timeline/token-estimate.ts";
import { id, TAG } from "../../story.ts";

const framing = { tag: TAG, frames: "quoted" } as const;

/** A text of `count` words, which is estimated at one token per word. */
const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
const image: ImagePart = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" };

const weight = (draft: Draft): number | undefined => weigh(draft, framing);
const reply = (...parts: ReplyPart[]): Draft => ({ kind: "reply", parts, model: "m" });
const call = (input: Json): ReplyPart => ({ type: "tool-call", call: "a", name: "Read", input });

function result(from: string): Draft {
  return { kind: "tool-end", call: from, outcome: "ok", parts: [textPart(words(50)), image] };
}

function backtrack(note: string, prompts: readonly (readonly ImagePart[])[] = []): DraftOf<"backtrack"> {
  return {
    kind: "backtrack",
    to: toCheckpointNumber(1),
    from: id(5),
    files: "keep",
    note,
    prompts,
    told: [],
    changed: [],
    running: [],
    times: 1,
  };
}

/** The tokens of the text that the model is shown for a backtrack. */
function tokensOfNote(draft: DraftOf<"backtrack">): number {
  return estimateTokens(textOf(framedNote({ ...draft, estimate: 0 }, framing)));
}

function redo(revokes: "note" | "nothing"): Draft {
  return { kind: "redo", journey: id(5), from: id(6), scope: "conversation", revokes };
}

describe("the estimate that is stored with", () => {
  it("a session is that of its system prompt", () => {
    const session = { kind: "session", system: words(100) } as Draft;
    expect(weight(session)).toBe(100);
  });

  it("a prompt is that of its texts and images, and four tokens for the message", () => {
    expect(weight({ kind: "prompt", parts: [] })).toBe(4);
    expect(weight({ kind: "prompt", parts: [textPart(words(100)), textPart(words(10))] })).toBe(114);
    expect(weight({ kind: "prompt", parts: [textPart(words(100)), image, image] })).toBe(3104);
  });

  it("a result is that of its texts and images, and four tokens for the message", () => {
    expect(weight(result("a"))).toBe(1554);
  });

  it("the result of a user's command is nothing, because a notice shows the command to the model", () => {
    expect(weight(result(newPersonCall((count) => new Uint8Array(count))))).toBe(0);
  });

  it("a reply is that of its thinking, texts, and calls with their inputs as JSON", () => {
    const thinking: ReplyPart = { type: "thinking", text: words(30) };
    expect(weight(reply(thinking, textPart(words(20))))).toBe(54);
    expect(weight(reply(call({})))).toBe(4 + 8 + 1);
    const input = { path: "src/main.ts", limit: 100 };
    const json = '{"path":"src/main.ts","limit":100}';
    expect(weight(reply(textPart(words(20)), call(input), call({})))).toBe(
      4 + 20 + 8 + estimateTokens(json) + 8 + 1,
    );
  });

  it("a notice is that of its framed text", () => {
    const framed = `<system-${TAG}>${words(50)}</system-${TAG}>`;
    expect(weight({ kind: "notice", text: words(50) })).toBe(4 + estimateTokens(framed));
  });

  it("a backtrack is that of its framed note, and of the images in the prompts that the note quotes", () => {
    const plain = backtrack(words(100));
    expect(weight(plain)).toBe(4 + tokensOfNote(plain));
    const quoting = backtrack(words(100), [[image], [image]]);
    expect(weight(quoting)).toBe(4 + tokensOfNote(quoting) + 3000);
  });

  it("a redo is nothing, unless the model is shown that a note no longer applies", () => {
    expect([weight(redo("nothing")), weight(redo("note"))]).toEqual([0, 40]);
  });

  it("a compaction is that of its framed summary", () => {
    const compaction = {
      kind: "compaction",
      summary: words(100),
      firstKept: id(2),
      pinned: [],
      reason: "asked",
      tokensBefore: 0,
      kept: 0,
    } as const;
    const tokens = 4 + estimateTokens(summaryFrame(words(100), framing).text);
    expect(weight(compaction)).toBe(tokens);
    expect(weighSummary(words(100), framing)).toBe(tokens);
  });

  it("an entry that adds nothing to the context is absent", () => {
    const title: Draft = { kind: "title", title: "Leaks" };
    const step: Draft = { kind: "step", number: toCheckpointNumber(2) };
    expect([weight(title), weight(step)]).toEqual([undefined, undefined]);
  });
});
