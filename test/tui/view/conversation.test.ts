import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { addBlock, initialTranscript } from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { LayoutCache, type Viewed, viewport, type Window } from "../../../src/tui/view/conversation.ts";
import { tell } from "../../story.ts";
import { lookIn, plain } from "../transcript/drawing/looks.ts";

const WINDOW: Window = { width: 60, rows: 10, scroll: 0, folds: "folded", display: "card" };
const look = lookIn("en", { NO_COLOR: "1" });

function view(transcript: Transcript, window: Partial<Window> = {}, cache = new LayoutCache()): Viewed {
  const seen = viewport(transcript, { ...WINDOW, ...window }, { look, cache });
  return { ...seen, lines: seen.lines.map(plain) };
}

function prompts(count: number): Transcript {
  return initialTranscript(
    tell(...Array.from({ length: count }, (_, index) => `prompt p${index}`)).entries,
    "no",
  );
}

function hear(transcript: Transcript, event: AgentEvent): Transcript {
  return applyEvent(transcript, event, { now: 0 });
}

describe("the part of the conversation that is looked at", () => {
  it("is its end, with a line between blocks", () => {
    expect(view(prompts(9), { rows: 4 })).toMatchObject({
      lines: ["", "› p7", "", "› p8"],
      scroll: 0,
      above: "more",
    });
  });

  it("is all of it where there is room", () => {
    expect(view(prompts(2))).toMatchObject({ lines: ["› p0", "", "› p1"], scroll: 0, above: "top" });
  });

  it("goes up as far as there is something", () => {
    expect(view(prompts(4), { rows: 3, scroll: 99 })).toMatchObject({
      lines: ["› p0", "", "› p1"],
      scroll: 4,
      above: "top",
    });
  });

  it("says where a page before is to be loaded", () => {
    const read = initialTranscript(tell("prompt a").entries, "yes");
    expect(view(read).above).toBe("unloaded");
  });

  it("stays where it is while something comes below", () => {
    const before = prompts(20);
    const cache = new LayoutCache();
    const seen = view(before, { rows: 5, scroll: 7 }, cache);
    const grown = addBlock(before, (key) => ({
      kind: "notice",
      key,
      tone: "quiet",
      line: "new",
      details: "",
    }));
    const pin = seen.pin;
    if (pin === undefined) throw new Error("no pin");
    const after = view(grown, { rows: 5, scroll: seen.scroll, pin }, cache);
    expect([after.lines, after.scroll]).toEqual([seen.lines, 9]);
  });

  // If each were laid out as a single line, these would exceed any test's timeout.
  it("is there, however long the lines are", () => {
    const texts = [
      "word ".repeat(200_000),
      "x".repeat(1_000_000),
      "有两个文件此后被改动，保留".repeat(20_000),
    ];
    const read = initialTranscript(
      tell("prompt a", ...texts.map(() => "reply said")).entries.map((entry) =>
        entry.kind === "reply" ? { ...entry, parts: [{ type: "text", text: texts.pop() ?? "" }] } : entry,
      ),
      "no",
    );
    expect(view(read, { scroll: Number.MAX_SAFE_INTEGER }).lines[0]).toContain("a");
  });

  it("leaves no blank lines between blocks of one line", () => {
    const read = initialTranscript(tell("title a", "title b", "prompt c").entries, "no");
    expect(view(read).lines).toEqual(["- Title: a", "- Title: b", "", "› c"]);
  });

  it("shows what a call prints while it runs", () => {
    const { entries } = tell("prompt a", "step 1", "reply go +Bash(x)", "start x Bash");
    const running = entries.reduce((heard, entry) => hear(heard, { type: "entry", entry }), EMPTY_TRANSCRIPT);
    const printing = hear(running, { type: "output", call: "x", text: "one\ntwo\n" });
    expect(view(printing).lines.slice(-2)).toEqual(["  one", "  two"]);
  });

  it("names what it looked at, so that its files can be looked up", () => {
    const read = initialTranscript(tell("cp 1", "prompt a", "step 2", "reply b").entries, "no");
    expect(view(read).looked.map(({ kind }) => kind)).toEqual(["files", "text", "prompt"]);
  });
});

describe("the work of a frame", () => {
  it("is a few blocks, while 5,000 lines stream and the user types", () => {
    const cache = new LayoutCache();
    let transcript = hear(EMPTY_TRANSCRIPT, { type: "text", text: "Here it is:\n\n" });
    let most = 0;
    for (let line = 0; line < 5_000; line += 1) {
      const text = line % 500 === 0 ? `\n\`\`\`\n\n\`\`\`ts\n` : `const line${line} = ${line};\n`;
      transcript = hear(transcript, { type: "text", text });
      const before = cache.laidOut;
      view(transcript, { rows: 40 }, cache);
      most = Math.max(most, cache.laidOut - before);
    }
    expect(most).toBeLessThanOrEqual(3);
    const settled = cache.laidOut;
    for (let key = 0; key < 100; key += 1) view(transcript, { rows: 40 }, cache);
    expect(cache.laidOut).toBe(settled);
  });

  it("follows what is shown, not how much there is", () => {
    const cache = new LayoutCache();
    view(prompts(3000), { rows: 20 }, cache);
    expect(cache.laidOut).toBeLessThanOrEqual(11);
  });

  it("is done again where the language, the room or the folds are others", () => {
    const cache = new LayoutCache();
    const read = prompts(1);
    view(read, {}, cache);
    view(read, { width: 61 }, cache);
    view(read, { width: 61, folds: "unfolded" }, cache);
    viewport(read, { ...WINDOW, width: 61, folds: "unfolded" }, { look: lookIn("zh-CN"), cache });
    expect(cache.laidOut).toBe(4);
  });
});
