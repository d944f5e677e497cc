import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { ErrorCode } from "../../../src/record/error.ts";
import { type SessionId, toSeq } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { branchOf, rowsLeftBy } from "../../../src/timeline/outline.ts";
import {
  fillCard,
  fillFiles,
  fillLeft,
  initialTranscript,
  unfilled,
} from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import type { Block } from "../../../src/tui/transcript/block.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { id, tell } from "../../story.ts";

function hearAll(events: readonly AgentEvent[], start: Transcript = EMPTY_TRANSCRIPT): Transcript {
  return events.reduce((transcript, event) => applyEvent(transcript, event, { now: 5_000 }), start);
}

/** The transcript of a story whose entries arrive live. */
function live(...lines: readonly string[]): Transcript {
  return hearAll(tell(...lines).entries.map((entry) => ({ type: "entry", entry })));
}

/** Blocks in short: their kind and their text. */
function inShort(blocks: readonly Block[]): readonly string[] {
  return blocks.map((block) => {
    switch (block.kind) {
      case "prompt":
        return `prompt ${block.text}${block.checkpoint === undefined ? "" : ` #${block.checkpoint}`}`;
      case "text":
      case "thinking":
        return `${block.kind} ${block.text}`;
      case "call":
        return `call ${block.name} ${block.state} ${block.output}`.trim();
      case "card":
        return `card #${block.to} ${block.note}`;
      case "happening":
        return block.happening.what;
      case "files":
        return `files ${block.files?.map(({ path }) => path).join(",") ?? "?"}`;
      case "todos":
        return `todos ${block.items.map(({ text }) => text).join(",")}`;
      case "left":
        return `left ${block.holds === undefined ? "?" : `${block.holds.calls} ${block.holds.messages}`}`;
      case "left-item":
        return `${block.folded === "line" ? "-" : "|"} ${inShort([block.block]).join()}`;
      default:
        return block.kind;
    }
  });
}

const turn = ["cp 1", "prompt fix it", "step 2", "reply I look +Bash(a)", "start a Bash"];

describe("a conversation that is followed live", () => {
  it("shows a reply while it arrives, and has it once when it is there", () => {
    const begun = hearAll(
      [
        { type: "thinking", text: "hm" },
        { type: "text", text: "I " },
        { type: "text", text: "look" },
        { type: "call", call: "a", name: "Bash", text: '{"command":"np' },
        { type: "call", call: "a", name: "Bash", text: 'm test"}' },
      ],
      live("cp 1", "prompt fix it", "step 2"),
    );
    expect(inShort(begun.live)).toEqual(["thinking hm", "text I look", "call Bash asked"]);
    expect(begun.live[2]).toMatchObject({ about: "npm test" });
    const [reply] = tell(...turn).of("reply");
    if (reply === undefined) throw new Error("no reply");
    const there = applyEvent(begun, { type: "entry", entry: reply }, { now: 0 });
    expect([inShort(there.settled), there.live]).toEqual([
      ["prompt fix it #1", "text I look", "call Bash asked"],
      [],
    ]);
  });

  it("joins results to their calls, with the time that they took", () => {
    const ended = live(...turn, "ok a 12 passed");
    expect(ended.settled[2]).toMatchObject({ state: "ok", output: "12 passed", took: 1000 });
    expect(ended.settled[2]).not.toHaveProperty("since");
  });

  it("keeps the end of what a call prints while it runs", () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
    const printing = hearAll(
      lines.map((text) => ({ type: "output", call: "a", text })),
      live(...turn),
    );
    const shown = printing.running.get("a")?.block.output.split("\n") ?? [];
    expect([shown.length, shown[0], shown.at(-2)]).toEqual([201, "line 300", "line 499"]);
    expect(inShort(printing.settled).at(-1)).toBe("call Bash running");
  });

  it("takes what a retry makes void off the screen", () => {
    const retry = {
      type: "retry",
      checkpoint: 2,
      attempt: 1,
      of: 3,
      waitMs: 500,
      code: "MODEL_FAILED",
      message: "no",
    } as const;
    const tried = hearAll([{ type: "text", text: "half" }, retry], live("cp 1", "prompt fix it", "step 2"));
    expect(inShort(tried.live)).toEqual(["retry"]);
    expect(inShort(hearAll([{ type: "text", text: "again" }], tried).live)).toEqual(["text again"]);
  });

  it("shows user commands, which no reply requested", () => {
    expect(inShort(live("start x Shell", "ok x a.txt").settled)).toEqual(["call Shell ok a.txt", "files ?"]);
  });

  it("says below a command which files it changed, whatever a look found before it was captured", () => {
    const ran = live("cp 1", "start x Shell", "ok x a.txt", "cp 2");
    const [wanted] = unfilled(ran, ran.settled);
    expect(wanted).toEqual({ what: "files", key: `files-${id(3)}`, of: id(3) });
    const files = [{ path: "a.txt", change: "deleted" } as const];
    const told = hearAll([{ type: "files", files, more: 0 }], ran);
    expect(inShort(told.settled)).toEqual(["call Shell ok a.txt", "files a.txt"]);
    expect(fillFiles(told, `files-${id(3)}`, undefined)).toBe(told);
    const looked = fillFiles(ran, `files-${id(3)}`, undefined);
    expect(inShort(hearAll([{ type: "files", files, more: 0 }], looked).settled)).toEqual(
      inShort(told.settled),
    );
  });

  it("says at the end of a turn which files it changed", () => {
    const done = live("cp 1", "prompt fix it", "step 2", "reply done");
    expect(inShort(done.settled).at(-1)).toBe("files ?");
    const files = [{ path: "a.ts", change: "changed" } as const];
    expect(inShort(hearAll([{ type: "files", files, more: 0 }], done).settled).at(-1)).toBe("files a.ts");
  });

  it("says nothing of files where the turn changed none", () => {
    const end = {
      type: "turn-end",
      outcome: "done",
      answer: "",
      steps: 1,
      backtracks: 0,
      milliseconds: 1,
    } as const;
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const done = hearAll([{ ...end, usage }], live("cp 1", "prompt fix it", "step 2", "reply done"));
    expect([inShort(done.settled).at(-1), done.turn]).toEqual(["files ", "none"]);
  });

  it("has one line of files if a turn that was cut off continues", () => {
    const cut = live(
      "cp 1",
      "prompt fix it",
      "step 2",
      "reply I look +Bash(a)",
      "cut a stopped",
      "interrupt",
      "step 3",
      "reply done",
    );
    expect(inShort(cut.settled)).toEqual([
      "prompt fix it #1",
      "text I look",
      "call Bash interrupted stopped",
      "interrupt",
      "files ",
      "text done",
      "files ?",
    ]);
  });

  it("says why a turn failed, once", () => {
    const failed = (code: ErrorCode, message: string): AgentEvent => ({
      type: "turn-end",
      outcome: "failed",
      answer: "",
      steps: 1,
      backtracks: 0,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      milliseconds: 1,
      error: { code, message },
    });
    const [prompt] = tell("prompt a").of("prompt");
    if (prompt === undefined) throw new Error("no prompt");
    const { kind: _kind, parts: _parts, estimate: _estimate, ...base } = prompt;
    const entry = { ...base, seq: toSeq(9), kind: "error", code: "MODEL_FAILED", message: "no" } as const;
    const heard = hearAll([{ type: "entry", entry }], live("prompt a", "step 1"));
    const kinds = (...error: [ErrorCode, string]) => inShort(hearAll([failed(...error)], heard).settled);
    expect([kinds("MODEL_FAILED", "no"), kinds("STORE_FULL", "the disk is full")]).toEqual([
      ["prompt a", "error", "go-on"],
      ["prompt a", "error", "error"],
    ]);
  });

  it("marks calls as interrupted that were open when it was read", () => {
    const read = initialTranscript(tell(...turn).entries, "no");
    expect(inShort(read.settled)).toContain("call Bash interrupted");
  });

  it("marks calls as interrupted that will never end", () => {
    expect(inShort(live(...turn, "interrupt").settled)).toContain("call Bash interrupted");
  });

  it("shows todos when they changed", () => {
    expect(inShort(live("todos a,b", "todos a,b", "todos b").settled)).toEqual(["todos a,b", "todos b"]);
  });

  it("shows nothing of steps, notices to the model, snapshots and manual checkpoints", () => {
    expect(live("cp 1 manual", "step 2", "notice psst").settled).toEqual([]);
  });

  it("keeps warnings in their places", () => {
    const warned = hearAll([{ type: "warning", code: "X", message: "careful" }], live("prompt a"));
    expect(inShort(warned.settled)).toEqual(["prompt a", "warning"]);
  });

  it("leaves to the entries what they tell as well", () => {
    const told: readonly AgentEvent[] = [
      { type: "compaction", outcome: "done", reason: "asked", before: 9, after: 3, model: "m" },
      { type: "warning", code: "REPLY_CUT", message: "The reply was cut." },
      { type: "journey", journey: "rewind", scope: "both", to: 1 },
    ];
    expect(hearAll(told).settled).toEqual([]);
  });

  it("skips an entry that it already has", () => {
    const heard = live("prompt a");
    const [entry] = tell("prompt a").of("prompt");
    expect(
      entry === undefined ? undefined : applyEvent(heard, { type: "entry", entry }, { now: 0 }).settled,
    ).toBe(heard.settled);
  });
});

describe("a conversation that goes back", () => {
  const story = [
    "cp 1",
    "prompt fix it",
    "step 2",
    "reply I look +Read(a)",
    "ok a 900 lines",
    "backtrack 2 it is in pool.ts",
  ];

  it("is what lies on the branch, with what was left where it was, and a card", () => {
    expect(inShort(live(...story, "step 3", "reply done").settled)).toEqual([
      "prompt fix it #1",
      "left 1 0",
      "- text I look",
      "| call Read ok 900 lines",
      "card #2 it is in pool.ts",
      "text done",
      "files ?",
    ]);
  });

  const twice = [
    ...["cp 1", "prompt one", "step 2", "reply first answer", "cp 3", "prompt two", "step 4"],
    ...["reply I look +Read(a)", "ok a 9 lines", "backtrack 4 nested", "step 5", "reply second answer"],
    ...["cp 6", "prompt three", "step 7", "reply so +Read(b)", "ok b 2 lines", "backtrack 2 all known"],
  ];

  it("keeps a line for each prompt and each answer, also of a backtrack that another one left", () => {
    expect(inShort(live(...twice, "step 8", "reply third answer").settled)).toEqual([
      "prompt one #1",
      "left 2 0",
      "- text first answer",
      "- prompt two #3",
      "| left 1 0",
      "- - text I look",
      "| | call Read ok 9 lines",
      "| card #4 nested",
      "- text second answer",
      "| files ?",
      "- prompt three #6",
      "- text so",
      "| call Read ok 2 lines",
      "card #2 all known",
      "text third answer",
      "files ?",
    ]);
  });

  it("shows the prompts again, and the latest news, if the log does not have what was left", () => {
    const told = tell(...twice);
    const carried = { prompts: [[textPart("two")], [textPart("three")]], told: ["second answer"] };
    const branch = branchOf(told.outline)
      .map(({ seq }) => told.entry(seq))
      .map((entry) => (entry.kind === "backtrack" ? { ...entry, ...carried } : entry));
    const read = initialTranscript(branch, "no");
    expect(inShort(fillLeft(read, `left-${branch.at(-1)?.id}`, undefined).settled).slice(1)).toEqual([
      "left 0 0",
      "- text second answer",
      "card #2 all known",
      "prompt two",
      "prompt three",
    ]);
  });

  it("keeps what the user left by a redo, and not what they left by a rewind", () => {
    const redone = tell(...story, "step 3", "reply done", "redo 7");
    const branch = branchOf(redone.outline).map(({ seq }) => redone.entry(seq));
    const read = initialTranscript(branch, "no");
    const [wanted] = unfilled(read, read.settled).filter(({ what }) => what === "left");
    expect(wanted).toMatchObject({ what: "left", journey: id(10) });
    const left = redone.of("redo").flatMap((redo) => rowsLeftBy(redone.outline, redo));
    const entries = left.map(({ seq }) => redone.entry(seq));
    const shown = fillLeft(read, wanted?.key ?? "", entries);
    expect(inShort(shown.settled)).toEqual([
      "prompt fix it #1",
      "text I look",
      "call Read ok 900 lines",
      "left 0 0",
      "| left ?",
      "| card #2 it is in pool.ts",
      "- text done",
      "redo",
    ]);
    expect(inShort(live("cp 1", "prompt a", "step 2", "reply b", "rewind 1").settled)).toEqual(["rewind"]);
  });

  it("has the counts of the card from the event, or looked up", () => {
    const card = {
      type: "backtrack",
      to: 2,
      entries: 3,
      tokens: 40,
      prompt: "fix it",
      note: "",
      files: "keep",
    } as const;
    const left = { entries: 3, tokens: 40, prompt: "fix it" };
    const heard = hearAll([card], live(...story)).settled;
    const replayed = live(...story);
    const wanted = unfilled(replayed, replayed.settled);
    expect(wanted).toEqual([{ what: "card", key: id(7), journey: id(7) }]);
    expect(fillCard(replayed, id(7), left).settled).toEqual(heard);
  });

  it("must be read again where it went to before what was read", () => {
    const { entries } = tell("cp 1", "prompt a", "step 2", "reply b", "cp 3", "prompt c", "rewind 1");
    const page = initialTranscript(entries.slice(4, -1), "yes");
    const [rewind] = entries.slice(-1);
    if (rewind === undefined) throw new Error("no rewind");
    expect([page.stale, hearAll([{ type: "entry", entry: rewind }], page).stale]).toEqual(["no", "yes"]);
    expect(live("cp 1", "prompt a", "rewind 1").stale).toBe("no");
  });

  it("shows a rewind after the place that it went to", () => {
    expect(
      inShort(live("cp 1", "prompt a", "step 2", "reply b", "cp 3", "prompt c", "rewind 3").settled),
    ).toEqual(["prompt a #1", "text b", "files ?", "rewind"]);
  });
});

describe("a sub-agent", () => {
  it("is shown below its call while it works, and stays there when the call has its result", () => {
    const session = "s000000002" as SessionId;
    const own = tell("prompt look", "step 1", "reply Well +Grep(g)", "ok g 3 lines");
    const events = own.entries.map((entry): AgentEvent => {
      return { type: "sub-agent", call: "a", session, event: { type: "entry", entry } };
    });
    const working = hearAll(events, live("prompt x", "step 1", "reply go +Task(a)", "start a Task"));
    expect(inShort(working.running.get("a")?.block.below ?? [])).toEqual([
      "text Well",
      "call Grep ok 3 lines",
    ]);
    const [end] = tell("prompt x", "step 1", "reply go +Task(a)", "start a Task", "ok a found").of(
      "tool-end",
    );
    if (end === undefined) throw new Error("no end");
    const ended = hearAll([{ type: "entry", entry: end }], working);
    expect([ended.settled.at(-1), ended.running.size]).toMatchObject([{ state: "ok" }, 0]);
    const last = ended.settled.at(-1);
    expect(inShort(last?.kind === "call" ? last.below : [])).toEqual(["text Well", "call Grep ok 3 lines"]);
  });
});

describe("what must be looked up", () => {
  it("is how much a compaction left, unless it was reported", () => {
    const heard = live("prompt a", "compact 2 it went well");
    const key = id(3);
    expect(unfilled(heard, heard.settled)).toEqual([{ what: "compaction", key, compaction: key }]);
    const told = hearAll(
      [{ type: "compaction", outcome: "done", reason: "asked", before: 9, after: 3, model: "m" }],
      heard,
    );
    expect([unfilled(told, told.settled), told.settled.at(-1)]).toMatchObject([
      [],
      { happening: { what: "compaction", after: 3 } },
    ]);
  });

  it("are the files of turns that have ended, not of the one that runs", () => {
    const { entries } = tell(
      "cp 1",
      "prompt a",
      "step 2",
      "reply b",
      "cp 3",
      "prompt c",
      "step 4",
      "reply d",
    );
    const read = initialTranscript(entries, "no");
    expect(unfilled(read, read.settled).map(({ key }) => key)).toEqual([`files-${id(3)}`, `files-${id(7)}`]);
    const running = applyEvent(read, { type: "text", text: "more" }, { now: 0 });
    expect(unfilled(running, running.settled).map(({ key }) => key)).toEqual([`files-${id(3)}`]);
  });

  it("stays known if it is asked for again", () => {
    const { entries } = tell("cp 1", "prompt a", "step 2", "reply b");
    const filled = fillFiles(initialTranscript(entries, "no"), `files-${id(3)}`, undefined);
    expect(unfilled(filled, filled.settled)).toEqual([]);
  });
});
