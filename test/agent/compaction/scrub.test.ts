import { describe, expect, it } from "vitest";
import { instructionLines, type Scrubbed, scrub } from "../../../src/agent/compaction/summarise.ts";
import { type ReplyPart, textPart } from "../../../src/record/parts.ts";

const tag = "k3f9x2m7q1";
const instruction = instructionLines(500, "the pool");

function scrubbed(answer: string | readonly ReplyPart[]): Scrubbed {
  const parts = typeof answer === "string" ? [textPart(answer)] : answer;
  return scrub({ parts, instruction, tag, materialTokens: 200 });
}

const rejected = (why: string) => ({ verdict: "rejected", why });
const good = (...lines: string[]) => ({ verdict: "good", summary: lines.join("\n") });

describe("scrubbing a summary", () => {
  it("leaves alone what is a summary", () => {
    const summary = ["Goal:", "- mend the leak", "", "Facts:", "- it is in pool.ts: line 12. Tests are red."];
    expect(scrubbed(summary.join("\n"))).toEqual(good(...summary));
  });

  it("removes what repeats the instruction, however it is marked up", () => {
    const echoed = instruction.map((line) => `> **${line}**`);
    expect(scrubbed([...echoed, "", "Facts: it is in pool.ts."].join("\n"))).toEqual(
      good("Facts: it is in pool.ts."),
    );
  });

  it.each([
    "The user asked me to summarise the conversation.",
    "- The person has asked for a summary of the session so far.",
    "The user then requested a summary.",
    "Finally the user wants the agent to compact the context above.",
    "Here is a concise summary of the work:",
  ])("removes %j, which was never said", (line) => {
    expect(scrubbed(`It is in pool.ts.\n${line}\nThe test is red.`)).toEqual(
      good("It is in pool.ts.", "The test is red."),
    );
  });

  it.each([
    "The user asked me to summarise README.md.",
    "The person wants a summary of each file in docs/.",
    "The user asked to condense the error messages in parse.ts.",
  ])("keeps %j, which is a task like any other", (line) => {
    expect(scrubbed(line)).toEqual(good(line));
  });

  it("removes our frames, and thinking that is written as text", () => {
    const answer = `<think>hm\nhm</think><summary>\n<system-${tag}>It is in pool.ts.</system-${tag}>\n</record-${tag}></summary>`;
    expect(scrubbed(answer)).toEqual(good("It is in pool.ts."));
  });

  it("removes the line by which we know our own part", () => {
    expect(scrubbed("It is red.\nTaken from the log, word for word:\n- x")).toEqual(
      good("It is red.", "- x"),
    );
  });
});

describe("judging a summary", () => {
  it.each([
    ["nothing", [], "empty"],
    ["white space", " \n ", "empty"],
    ["thinking alone", [{ type: "thinking", text: "hm" }], "only-thinking"],
    ["thinking that never ends", "<think>hm, where to begin", "only-thinking"],
    ["the instruction", instruction.join("\n"), "instruction"],
    ["headings alone", "## Goal\n## Next\n", "instruction"],
    ["more than there was", "word ".repeat(400), "longer"],
  ] as const)("rejects %s", (_, answer, why) => {
    expect(scrubbed(answer)).toEqual(rejected(why));
  });
});
