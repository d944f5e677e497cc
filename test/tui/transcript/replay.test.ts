import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { branchOf, rowsLeftBy } from "../../../src/timeline/outline.ts";
import {
  fillLeft,
  initialTranscript,
  prependPage,
  unfilled,
} from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import type { Block } from "../../../src/tui/transcript/block.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { type Told, tell } from "../../story.ts";

type Act = "say" | "look" | "fail" | "interrupt" | "todo" | "back" | "shell" | "title" | "compact" | "prompt";

const acts = fc.array(
  fc.constantFrom<Act>(
    "say",
    "look",
    "fail",
    "interrupt",
    "todo",
    "back",
    "shell",
    "title",
    "compact",
    "prompt",
  ),
  { maxLength: 25 },
);

/** A session as an agent would write it. */
function story(done: readonly Act[]): Told {
  const lines = ["cp 1", "prompt begin", "step 2"];
  let next = 3;
  for (const [index, act] of done.entries()) {
    const call = `c${index}`;
    switch (act) {
      case "say":
        lines.push(`reply said ${index}`);
        break;
      case "look":
        lines.push(`reply looking +Bash(${call})`, `start ${call} Bash`, `ok ${call} seen`, `step ${next++}`);
        break;
      case "fail":
        lines.push(`reply trying +Read(${call})`, `denied ${call} no`, `step ${next++}`);
        break;
      case "interrupt":
        lines.push(`reply cut +Bash(${call})`, `start ${call} Bash`, "interrupt", `step ${next++}`);
        break;
      case "todo":
        lines.push(`todos item${index % 2}`);
        break;
      case "back":
        lines.push(`backtrack 2 note ${index}`, `step ${next++}`);
        break;
      case "shell":
        lines.push(`start ${call} Shell`, `ok ${call} listed`);
        break;
      case "title":
        lines.push(`title t${index}`);
        break;
      case "compact":
        lines.push("compact 3 it went well");
        break;
      case "prompt":
        lines.push(`cp ${next++}`, `prompt again ${index}`, `step ${next++}`);
        break;
      default:
        act satisfies never;
    }
  }
  return tell(...lines);
}

/** The events that precede an entry: pieces of a reply, output of a call. */
function deltas(entry: Entry): readonly AgentEvent[] {
  if (entry.kind === "reply") {
    return entry.parts.flatMap((part): AgentEvent[] => {
      if (part.type === "tool-call") return [{ type: "call", call: part.call, name: part.name, text: "{}" }];
      return Array.from(part.text, (text): AgentEvent => ({ type: "text", text }));
    });
  }
  if (entry.kind !== "tool-end") return [];
  const doing = { what: "tool", call: entry.call, name: "x", about: "" } as const;
  return [
    { type: "doing", doing },
    { type: "output", call: entry.call, text: "printing" },
  ];
}

const END: AgentEvent = {
  type: "turn-end",
  outcome: "done",
  answer: "",
  steps: 1,
  backtracks: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  milliseconds: 1,
};

function heardLive({ entries }: Told): Transcript {
  const events = entries.flatMap((entry) => [...deltas(entry), { type: "entry", entry } as const]);
  return [...events, END].reduce(
    (transcript, event) => applyEvent(transcript, event, { now: 9 }),
    EMPTY_TRANSCRIPT,
  );
}

function branchEntries(told: Told): readonly Entry[] {
  return branchOf(told.outline, told.outline.head).map(({ seq }) => told.entry(seq));
}

/** Fills in what the backtracks left, including nested ones. */
function withLeft(told: Told, read: Transcript): Transcript {
  const [wanted] = unfilled(read, read.settled).filter(({ what }) => what === "left");
  if (wanted?.what !== "left") return read;
  const journey = told.of("backtrack").find(({ id }) => id === wanted.journey);
  if (journey === undefined) throw new Error(`no backtrack ${wanted.journey}`);
  const left = rowsLeftBy(told.outline, journey).map(({ seq }) => told.entry(seq));
  return withLeft(told, fillLeft(read, wanted.key, left));
}

/** Without the changed files, which are looked up when a session is read again. */
function withoutFiles(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => (block.kind === "files" ? { ...block, files: undefined } : block));
}

describe("a conversation that is read again", () => {
  it("law: it is what was shown live", () => {
    fc.assert(
      fc.property(acts, (done) => {
        const told = story(done);
        const shown = heardLive(told);
        const read = withLeft(told, initialTranscript(branchEntries(told), "no"));
        expect(withoutFiles(shown.settled)).toEqual(withoutFiles(read.settled));
        expect([shown.live, shown.running.size]).toEqual([[], 0]);
      }),
    );
  });

  it("law: it is the same by pages, wherever they are cut", () => {
    fc.assert(
      fc.property(acts, fc.array(fc.nat(100), { maxLength: 5 }), (done, cuts) => {
        const entries = branchEntries(story(done));
        const places = [...new Set(cuts.map((cut) => cut % (entries.length + 1)))].sort((a, b) => b - a);
        let end = entries.length;
        let read = initialTranscript(entries.slice(places[0] ?? 0), "yes");
        end = places[0] ?? 0;
        for (const place of [...places.slice(1), 0]) {
          read = prependPage(read, entries.slice(place, end), place === 0 ? "no" : "yes");
          end = place;
        }
        expect(read.settled).toEqual(initialTranscript(entries, "no").settled);
      }),
    );
  });

  it("passes over results whose calls are on a page that is not loaded", () => {
    const { entries } = tell(
      "prompt a",
      "step 1",
      "reply look +Read(a)",
      "ok a 9 lines",
      "step 2",
      "reply done",
    );
    expect(initialTranscript(entries.slice(4), "yes").settled.map(({ kind }) => kind)).toEqual(["text"]);
  });
});
