import { describe, expect, it } from "vitest";
import {
  hasWorkSince,
  type JourneyEntry,
  journeyStates,
  planRedo,
  redoableCount,
  redoableJourney,
  redoScope,
} from "../../src/travel/redo.ts";
import { id, type Told, tell } from "../story.ts";
import { refused } from "./refused.ts";

function journeysOf(story: Told): JourneyEntry[] {
  return [...story.of("backtrack"), ...story.of("rewind"), ...story.of("redo")].sort((a, b) => a.seq - b.seq);
}

function states(story: Told): string[] {
  return journeyStates(journeysOf(story)).map(({ entry, state }) => `${entry.seq} ${state}`);
}

function plan(story: Told, wanted?: number) {
  const journeys = journeysOf(story);
  const request = wanted === undefined ? { journeys } : { journeys, wanted: id(wanted) };
  return planRedo(story.outline, request, {}).moves[0];
}

const twice = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 2", "rewind 1");

describe("planning a redo", () => {
  it("goes back to where the newest journey left from", () => {
    expect(planRedo(twice.outline, { journeys: journeysOf(twice) }, {})).toEqual({
      reason: "redo",
      moves: [
        {
          do: "append",
          parent: id(6),
          body: {
            kind: "redo",
            journey: id(7),
            from: id(7),
            scope: "conversation",
            revokes: "nothing",
          },
        },
      ],
    });
  });

  it("is a stack: the next one undoes the journey before", () => {
    const story = tell(...twice.lines.slice(1), "redo 7");
    expect(plan(story)).toMatchObject({ parent: id(5), body: { journey: id(6) } });
    story.add("redo 6");
    expect(refused(() => plan(story))).toBe(
      "NOTHING_TO_REDO Nothing to redo. To return to a branch that you left earlier, use worldline redo --list",
    );
  });

  it.each([
    ["a prompt", ["cp 3", "prompt c"]],
    ["a step", ["step 3"]],
    ["a manual checkpoint", ["cp 3"]],
    ["a line that is lost", ["lost", "label 1 x"]],
  ])("finds nothing after %s, and takes the older journey by its name alone", (_, lines) => {
    const story = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 2", ...lines);
    expect(refused(() => plan(story))).toMatch(
      /^NOTHING_TO_REDO Nothing to redo\. .*worldline redo --list$/u,
    );
    expect(plan(story, 6)).toMatchObject({ parent: id(5), body: { journey: id(6) } });
  });

  it("does not walk over work that lies between two journeys", () => {
    const story = tell("prompt a", "step 1", "reply r", "backtrack 1 note", "cp 2", "prompt b", "rewind 2");
    expect(plan(story)).toMatchObject({ body: { journey: id(8) } });
    story.add("redo 8");
    expect(refused(() => plan(story))).toContain("NOTHING_TO_REDO");
  });

  it("finds nothing when there was no journey", () => {
    const planned = () => plan(tell("cp 1", "prompt a"));
    expect(refused(planned)).toBe("NOTHING_TO_REDO Nothing to redo. See all journeys: worldline redo --list");
    expect(planned).toThrow(expect.objectContaining({ params: { left: "none" } }));
  });

  it("continues before a journey that was undone, whatever came after that journey", () => {
    const story = tell(...twice.lines.slice(1), "cp 3", "prompt c", "redo 7");
    expect(plan(story)).toMatchObject({ parent: id(5), body: { journey: id(6) } });
  });

  it("finds nothing after a redo whose journey is in another session", () => {
    const fork = tell("cp 1", "prompt a", "rewind 1", "redo 4");
    expect(redoableJourney(fork.outline, fork.of("redo"))).toBeUndefined();
  });

  it("finds nothing where redos undo each other, which no program writes", () => {
    const story = tell("cp 1", "prompt a", "rewind 1", "redo 4", "redo 4");
    const circle = story.of("redo").map((entry) => ({ ...entry, journey: id(6) }));
    expect(redoableJourney(story.outline, circle)).toBeUndefined();
  });

  it("does not go back to a middle place after a jump over it by name", () => {
    const story = tell("cp 1", "prompt a", "cp 2", "prompt b", "rewind 2", "rewind 1", "redo 6");
    expect(refused(() => plan(story))).toContain("NOTHING_TO_REDO");
  });

  it("redoes again what the undo of a redo has taken back", () => {
    const story = tell("cp 1", "prompt a", "rewind 1", "redo 4", "redo 5");
    expect(plan(story)).toMatchObject({ parent: id(3), body: { journey: id(4) } });
  });

  it("counts the redos that can be made one after the other", () => {
    const count = (story: Told) => redoableCount(story.outline, journeysOf(story));
    expect(count(twice)).toBe(2);
    expect(count(tell(...twice.lines.slice(1), "redo 7"))).toBe(1);
    expect(count(tell(...twice.lines.slice(1), "redo 7", "redo 6"))).toBe(0);
    expect(count(tell(...twice.lines.slice(1), "cp 3"))).toBe(0);
  });

  it("takes any journey by its id", () => {
    expect(plan(twice, 6)).toMatchObject({ parent: id(5), body: { journey: id(6) } });
  });

  it("undoes a redo when it is named", () => {
    const story = tell(...twice.lines.slice(1), "redo 7");
    expect(plan(story, 8)).toMatchObject({ parent: id(7), body: { journey: id(8) } });
  });

  it("revokes the note of a backtrack, whose files went back only if the agent asked", () => {
    const story = tell("prompt a", "step 1", "reply r", "backtrack 1 note");
    expect(plan(story)).toMatchObject({ body: { revokes: "note", scope: "conversation" } });
    const [entry] = story.of("backtrack");
    const restored = [{ ...entry, files: "restore" } as JourneyEntry];
    const [move] = planRedo(story.outline, { journeys: restored }, {}).moves;
    expect(move).toMatchObject({ body: { scope: "both" } });
  });

  it("stays in place when the journey moved the files only", () => {
    const [entry] = twice.of("rewind");
    const files = [{ ...entry, scope: "files" } as JourneyEntry];
    const [move] = planRedo(twice.outline, { journeys: files }, {}).moves;
    expect(move).toMatchObject({ parent: id(7), body: { scope: "files" } });
  });

  it("can leave the files where they are, unless there is nothing else", () => {
    const [entry] = twice.of("rewind");
    const request = (scope: string) => ({
      journeys: [{ ...entry, scope } as JourneyEntry],
      scope: "conversation" as const,
    });
    expect(planRedo(twice.outline, request("both"), {}).moves).toMatchObject([
      { body: { scope: "conversation" } },
    ]);
    expect(refused(() => planRedo(twice.outline, request("files"), {}))).toContain("NOTHING_TO_REDO");
  });

  it("can take the files along that the journey left where they were", () => {
    const request = { journeys: journeysOf(twice), scope: "both" } as const;
    expect(planRedo(twice.outline, request, {}).moves).toMatchObject([
      { parent: id(6), body: { scope: "both" } },
    ]);
  });

  it("refuses an unknown journey and one that was undone already", () => {
    expect(refused(() => plan(twice, 3))).toContain("JOURNEY_UNKNOWN There is no journey 000000000003");
    const story = tell(...twice.lines.slice(1), "redo 7");
    expect(refused(() => plan(story, 7))).toContain(
      "NOTHING_TO_REDO Journey 000000000007 was already undone.",
    );
  });

  it("says so when what a journey left is in another session", () => {
    const fork = tell("cp 1", "rewind 1");
    const elsewhere = { ...fork.of("rewind")[0], from: id(77) } as JourneyEntry;
    expect(refused(() => planRedo(fork.outline, { journeys: [elsewhere] }, {}))).toBe(
      "JOURNEY_UNKNOWN Journey 000000000003 cannot be redone: it was made before this session was forked. " +
        "Redo it in the session that this one was forked from.",
    );
  });

  it("refuses rather than guesses when the line that it left from is lost", () => {
    const damaged = tell("cp 1", "prompt a", "rewind 1").without(3);
    expect(refused(() => plan(damaged))).toContain("the line that it started from is damaged.");
  });
});

describe("the scope of a redo", () => {
  const [rewind] = twice.of("rewind") as [JourneyEntry];

  it.each([
    ["both", undefined, "both"],
    ["both", "both", "both"],
    ["both", "conversation", "conversation"],
    ["both", "files", "files"],
    ["conversation", undefined, "conversation"],
    ["conversation", "both", "both"],
    ["conversation", "conversation", "conversation"],
    ["conversation", "files", "files"],
    ["files", undefined, "files"],
    ["files", "both", "files"],
    ["files", "files", "files"],
  ] as const)("of a journey of %s is, when %s is wanted, %s", (scope, wanted, expected) => {
    expect(redoScope({ ...rewind, scope } as JourneyEntry, wanted)).toBe(expected);
  });

  it("cannot be the conversation if the journey moved only the files", () => {
    expect(refused(() => redoScope({ ...rewind, scope: "files" } as JourneyEntry, "conversation"))).toBe(
      `NOTHING_TO_REDO Journey ${rewind.id} changed only files. Redo it with its files.`,
    );
  });
});

describe("work since a line", () => {
  it.each([
    ["after a journey without any is none", ["label 1 x", "title t"], false],
    ["is a prompt after it", ["prompt b"], true],
    ["is a step after it", ["step 2"], true],
    ["is a line that cannot be read", ["lost", "title t"], true],
  ])("%s", (_, lines, expected) => {
    const story = tell("cp 1", "prompt a", "rewind 1", ...lines);
    expect(hasWorkSince(story.outline, 4)).toBe(expected);
  });

  it("does not include the line itself", () => {
    expect(hasWorkSince(tell("cp 1", "prompt a").outline, 3)).toBe(false);
  });
});

describe("the state of journeys", () => {
  it("is open until a redo undid it", () => {
    expect(states(twice)).toEqual(["6 open", "7 open"]);
    expect(states(tell(...twice.lines.slice(1), "redo 7"))).toEqual(["6 open", "7 undone", "8 open"]);
  });

  it("is open again when its redo was undone, and so on along the chain", () => {
    const story = tell("cp 1", "prompt a", "rewind 1", "redo 4");
    expect(states(story)).toEqual(["4 undone", "5 open"]);
    story.add("redo 5");
    expect(states(story)).toEqual(["4 open", "5 undone", "6 open"]);
    story.add("redo 6");
    expect(states(story)).toEqual(["4 undone", "5 open", "6 undone", "7 open"]);
    story.add("redo 7");
    expect(states(story)).toEqual(["4 open", "5 undone", "6 open", "7 undone", "8 open"]);
  });
});
