import { describe, expect, it } from "vitest";
import type { BacktrackBody } from "../../../src/record/entry.ts";
import { toCheckpointNumber } from "../../../src/record/ids.ts";
import { textOf, textPart } from "../../../src/record/parts.ts";
import {
  frame,
  framedNote,
  isFramed,
  markerOf,
  quoteLines,
  readMarker,
  unquoteLines,
} from "../../../src/timeline/context/notices.ts";
import { id, TAG, tell } from "../../story.ts";

const plain: BacktrackBody = {
  kind: "backtrack",
  to: toCheckpointNumber(3),
  from: id(9),
  files: "keep",
  note: "The leak is in pool.ts.",
  prompts: [],
  told: [],
  changed: [],
  running: [],
  times: 1,
  estimate: 0,
};

function sections(body: Partial<BacktrackBody>): string[] {
  const text = textOf(framedNote({ ...plain, ...body }, { tag: TAG }));
  expect(text.startsWith(`<system-${TAG}>`) && text.endsWith(`</system-${TAG}>`)).toBe(true);
  const inside = text.slice(`<system-${TAG}>`.length, -`</system-${TAG}>`.length).split("\n\n");
  return inside.slice(1, -1);
}

describe("the framed note of a backtrack", () => {
  it("says where it came back to, holds the note, and tells the agent to continue from it", () => {
    expect(textOf(framedNote(plain, { tag: TAG }))).toBe(
      [
        `<system-${TAG}>You were further ahead and went back to checkpoint 3. What came after it is gone from your context; this is your own note from there:`,
        "The leak is in pool.ts.",
        `Go on from the note. Do not repeat what it says was done or has failed.</system-${TAG}>`,
      ].join("\n\n"),
    );
  });

  it("repeats what the user asked since, word for word, and names images", () => {
    const prompts = [
      [textPart("use tabs\nplease")],
      [{ type: "image" as const, mediaType: "image/png", data: "" }],
    ];
    expect(sections({ prompts })).toEqual([
      "The leak is in pool.ts.",
      "Since that checkpoint the person wrote, word for word:",
      "use tabs\nplease",
      "(an image, shown below)",
    ]);
  });

  it("lists what the user was shown, what changed on disk and what still runs", () => {
    expect(sections({ told: ["I found it."], changed: ["a.ts", "b.ts"], running: ["npm start"] })).toEqual([
      "The leak is in pool.ts.",
      "Already said to the user, who can still read it; say it again only where your answer needs it:\n- I found it.",
      "Files on disk that are no longer as they were at that checkpoint:\n- a.ts\n- b.ts",
      "Commands that are still running:\n- npm start",
    ]);
  });

  it("says how much more the user was shown than it lists", () => {
    expect(sections({ told: ["I found it."], moreTold: 2 })[1]).toMatch(
      /:\n- I found it\.\n- \(and 2 more messages, left out here\)$/u,
    );
  });

  it("says that the files went back too, and which did not", () => {
    expect(sections({ files: "restore", changed: ["kept.ts"] })).toEqual([
      "The leak is in pool.ts.",
      "The files were taken back to that checkpoint as well.",
      "Except:\n- kept.ts",
    ]);
  });

  it("counts how often it has come back here, from the second time on", () => {
    expect(sections({ times: 1 })).toEqual(["The leak is in pool.ts."]);
    expect(sections({ times: 3 }).at(-1)).toBe("You have come back to this checkpoint 3 times now.");
  });

  it("comes after the checkpoint's message, and is taken back if the user undoes the backtrack", () => {
    const story = tell(
      "prompt a",
      "step 1",
      "reply left",
      "backtrack 1 it failed",
      "step 2",
      "reply r",
      "redo 5",
    );
    expect(story.says()).toEqual([
      "user: a [Checkpoint 1]",
      "assistant: left",
      "user: [The person undid your backtrack from here. The note that you wrote for it no longer holds.]",
    ]);
  });
});

describe("the context up to a checkpoint", () => {
  const ahead = ["reply look +x(a)", "ok a lots", "step 2", "reply deeper +x(b)", "ok b more"];

  it("is the same to the byte before and after a backtrack to it", () => {
    const story = tell("prompt a", "step 1");
    const sent = JSON.stringify(story.context().messages);
    for (const line of [...ahead, "backtrack 1 nothing there", "step 3", "reply r"]) story.add(line);
    const { messages, breakpoints } = story.context();
    const target = breakpoints[0] ?? 0;
    expect(JSON.stringify(messages.slice(0, target + 1))).toBe(sent);
  });

  it("is the same to the byte after a second backtrack to the same place", () => {
    const story = tell("prompt a", "step 1", ...ahead, "backtrack 1 first", "step 3", "reply r", "step 4");
    story.add("backtrack 1 second");
    expect(story.says().slice(0, 1)).toEqual(["user: a [Checkpoint 1]"]);
    expect(story.says()).toHaveLength(2);
    expect(story.says()[1]).toContain("second");
  });

  it("is sent again to the byte by every later step of the branch", () => {
    const story = tell("prompt a", "step 1", ...ahead, "step 3", "reply r", "prompt b", "step 4", "reply s");
    const whole = JSON.stringify(story.context().messages);
    for (const step of story.of("step")) {
      const sent = JSON.stringify(story.context(story.row(step.seq)).messages);
      expect(whole.startsWith(sent.slice(0, -1))).toBe(true);
    }
  });
});

describe("the text of a context, for a model of ours", () => {
  const step = { kind: "step", number: toCheckpointNumber(12) } as const;

  it("has markers, of the session with their tag", () => {
    const marker = markerOf({ ...step, fill: 40 }, TAG);
    expect(readMarker(marker)).toEqual({ tag: TAG, number: 12 });
    expect(readMarker(markerOf(step, "another1"))).toEqual({ tag: "another1", number: 12 });
    expect(isFramed(marker, TAG)).toBe(true);
    expect(isFramed(marker, "another1")).toBe(false);
  });

  it.each([
    "Checkpoint 12",
    "<system-a1>Checkpoint 12</system-b1>",
    "Look: <system-a1>Checkpoint 12</system-a1>",
  ])("has no marker in %j", (text) => {
    expect(readMarker(textPart(text))).toBeUndefined();
  });

  it("has no marker in other frames", () => {
    expect(readMarker(frame("You went back.", TAG))).toBeUndefined();
  });

  it.each(["one\n\ntwo", "> quoted itself", ""])("gives back what was quoted: %j", (text) => {
    expect(unquoteLines(quoteLines(text))).toBe(text);
  });
});
