import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { tell } from "../../story.ts";

function heard(events: readonly AgentEvent[], start: Transcript = EMPTY_TRANSCRIPT): Transcript {
  return events.reduce((so, event) => applyEvent(so, event, { now: 0 }), start);
}

describe("what arrives live", () => {
  it.each([
    { type: "text", text: "So" },
    { type: "call", call: "a", name: "Read", text: "{" },
  ] as const)("ends the thinking before it: $type", (event) => {
    const [before] = heard([{ type: "thinking", text: "hm" }]).live;
    const [after] = heard([{ type: "thinking", text: "hm" }, event]).live;
    expect([before, after]).toMatchObject([{ state: "live" }, { state: "done", text: "hm" }]);
  });

  it.each([
    ['{"description": "Run it", "comm', "Run it"],
    ['{"description": "Run it", "command": "npm\\ttest"', "npm test"],
    ['{"notebook_path": "/a/n.ipynb", "new_source": "x', "/a/n.ipynb"],
    ['{"where": "Berl', ""],
  ])("says what a call is about as soon as it is known: %s", (text, about) => {
    expect(heard([{ type: "call", call: "a", name: "Bash", text }]).live).toMatchObject([{ about }]);
  });

  it("is the end of a long output, and how many lines came before it", () => {
    const { entries } = tell("prompt a", "step 1", "reply go +Bash(x)", "start x Bash");
    const begun = heard(entries.map((entry) => ({ type: "entry", entry })));
    const lines = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join("");
    const running = heard(
      [
        { type: "output", call: "x", text: lines(0, 300) },
        { type: "output", call: "x", text: lines(300, 500) },
      ],
      begun,
    ).running.get("x")?.block;
    const kept = running?.output.split("\n").length ?? 0;
    expect([running?.output.endsWith("line 499\n"), (running?.dropped ?? 0) + kept - 1]).toEqual([true, 500]);
  });
});
