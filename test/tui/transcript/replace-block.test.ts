import { describe, expect, it } from "vitest";
import { addBlock, prependPage, replaceBlock } from "../../../src/tui/transcript/apply-entry.ts";
import type { Block } from "../../../src/tui/transcript/block.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { tell } from "../../story.ts";

const answer = (key: string, text: string): Block => ({
  kind: "answer",
  key,
  asked: "find",
  text,
  form: "plain",
});

function said(...texts: readonly string[]): Transcript {
  return texts.reduce(
    (transcript, text) => addBlock(transcript, (key) => answer(key, text)),
    EMPTY_TRANSCRIPT,
  );
}

describe("a block that is put in the place of its earlier state", () => {
  it("takes that block's position, and changes no other", () => {
    const grown = replaceBlock(said("one", "two"), answer("said-1", "one\nmore"));
    expect(grown.settled).toEqual([answer("said-1", "one\nmore"), answer("said-2", "two")]);
  });

  it("is still there when everything is built again", () => {
    const grown = replaceBlock(said("one"), answer("said-1", "one\nmore"));
    const rebuilt = prependPage(grown, tell("cp 1", "prompt fix it").entries, "no");
    expect(rebuilt.settled.map(({ key }) => key)).toEqual([rebuilt.settled[0]?.key, "said-1"]);
    expect(rebuilt.settled.at(-1)).toEqual(answer("said-1", "one\nmore"));
  });

  it("is nothing where there was none", () => {
    expect(replaceBlock(said("one"), answer("said-9", "x")).settled).toEqual([answer("said-1", "one")]);
  });
});
