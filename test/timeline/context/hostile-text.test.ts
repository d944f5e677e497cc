import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withStanding } from "../../../src/agent/compaction/material.ts";
import { commandNotice } from "../../../src/agent/turn/run-command.ts";
import { differenceNotice, gitNotice, outcomeNotice } from "../../../src/machine/files/perform.ts";
import type { PathOutcome } from "../../../src/ports/workspace-files.ts";
import type { Entry } from "../../../src/record/entry.ts";
import type { PathBytes, PathChange } from "../../../src/record/files.ts";
import { textPart } from "../../../src/record/parts.ts";
import { loadedNotice } from "../../../src/timeline/context/notices.ts";
import { TAG, type Told, tell } from "../../story.ts";
import { hostileText, spellingsOf } from "../../support/hostile-text.ts";
import { joined, type ReadFrame, readFrames } from "../../support/read-frames.ts";

function replace(story: Told, line: number, fields: object): void {
  story.entries[line - 1] = { ...story.entry(line), ...fields } as Entry;
}

/** A session in the current format; the last line of its story carries foreign text. */
function quoted(...lines: readonly string[]): Told {
  const story = tell(...lines);
  replace(story, 1, { frames: "quoted" });
  return story;
}

function noticed(text: string): Told {
  const story = quoted("prompt a", "step 1", "notice n");
  replace(story, 4, { text });
  return story;
}

/** A name as the file system has it, byte by byte. */
function pathOf(name: string): PathBytes {
  return Buffer.from(name).toString("latin1");
}

const OUTCOMES = [
  { outcome: "restored" },
  { outcome: "restored", detail: "created" },
  { outcome: "restored", detail: "removed" },
  { outcome: "restored", detail: "merged" },
  { outcome: "kept" },
  { outcome: "failed" },
] as const;

function framesOf(story: Told): readonly ReadFrame[] {
  return story.context().messages.flatMap(({ parts }) => readFrames(joined(parts), TAG));
}

/** Every way in which foreign text gets into the context. */
const WAYS: Readonly<Record<string, (text: string) => Told>> = {
  "a prompt": (text) => {
    const story = quoted("prompt a", "step 1", "reply r");
    replace(story, 2, { parts: [textPart(text)] });
    return story;
  },
  "a prompt in two parts": (text) => {
    const story = quoted("prompt a", "step 1", "reply r");
    const middle = Math.floor(text.length / 2);
    replace(story, 2, { parts: [textPart(text.slice(0, middle)), textPart(text.slice(middle))] });
    return story;
  },
  "a reply": (text) => {
    const story = quoted("prompt a", "step 1", "reply r");
    replace(story, 4, { parts: [textPart(text), textPart(text)] });
    return story;
  },
  "a call": (text) => {
    const story = quoted("prompt a", "step 1", "reply +read(a)", "ok a b");
    const call = { type: "tool-call", call: "a", name: text, input: { [text]: [text] }, malformed: text };
    replace(story, 4, { parts: [call] });
    return story;
  },
  "a result": (text) => {
    const story = quoted("prompt a", "step 1", "reply +read(a)", "ok a b", "step 2");
    replace(story, 5, { parts: [...text].map((character) => textPart(character)) });
    return story;
  },
  "a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    replace(story, 5, { note: text });
    return story;
  },
  "a prompt in a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    // Never empty: an empty prompt would become an image.
    replace(story, 5, { prompts: [[textPart(`a ${text}`)], [textPart("b")]] });
    return story;
  },
  "a text that the user was told, in a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    replace(story, 5, { told: [text, "b"], moreTold: 1 });
    return story;
  },
  "a changed file in a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    replace(story, 5, { changed: [text, "b.ts"] });
    return story;
  },
  "a file that was left, in a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    replace(story, 5, { files: "restore", changed: [text] });
    return story;
  },
  "a running command in a note": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "backtrack 1 n");
    replace(story, 5, { running: [text] });
    return story;
  },
  "a command of the user's, with what it printed": (text) => {
    const parts = [textPart(text), textPart(`x${text}`)];
    return noticed(commandNotice(text, { outcome: "ok", exitCode: 0, parts, processes: { endedAt: 0 } }));
  },
  "a file that the user loaded": (text) => noticed(loadedNotice({ file: text, text, what: "file" })),
  "paths that a journey changed": (text) => {
    const path = pathOf(text);
    const outcomes = OUTCOMES.map((outcome) => ({ path, ...outcome }) as PathOutcome);
    return noticed(outcomeNotice("The user took files back.", outcomes) ?? "");
  },
  "paths that differ": (text) => noticed(differenceNotice([{ path: pathOf(text) } as PathChange]) ?? ""),
  "git's branches": (text) => noticed(gitNotice({ gitHead: text }, { gitHead: `x${text}` }) ?? ""),
  "the standing part of a summary": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "compact 1 s");
    const todos = [{ text, status: "open" } as const];
    const prompts = [{ ...story.entry(2), parts: [textPart(`a ${text}`)] } as Entry];
    replace(story, 5, {
      summary: withStanding(text, { todos, changedFiles: [text], prompts, budget: 100_000 }),
    });
    return story;
  },
  "a summary": (text) => {
    const story = quoted("prompt a", "step 1", "reply r", "compact 1 s");
    replace(story, 5, { summary: text });
    return story;
  },
};

describe("foreign text in a session of today", () => {
  describe.each(Object.entries(WAYS))("as %s", (_, tellWith) => {
    const honest = framesOf(tellWith("x")).map(({ own }) => own);

    it("opens and closes nothing, however the tag is spelled", () => {
      for (const text of spellingsOf(TAG)) {
        expect(
          framesOf(tellWith(text)).map(({ own }) => own),
          JSON.stringify(text),
        ).toEqual(honest);
      }
    });

    it("opens and closes nothing, whatever it is", () => {
      fc.assert(
        fc.property(hostileText(TAG), (text) => {
          expect(framesOf(tellWith(text)).map(({ own }) => own)).toEqual(honest);
        }),
        { numRuns: 30, seed: 15 },
      );
    });
  });
});
