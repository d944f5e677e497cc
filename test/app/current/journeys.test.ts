import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn } from "../journeys/open-workshop.ts";
import { ruinLog } from "../support/ruin-log.ts";

describe("the list of checkpoints", () => {
  it("has this session's first, newest first, with steps, labels and what is known of their files", async () => {
    const { journeys, session, put } = await openWorkshop();
    put("a.txt", "one\n");
    await turn(session(), "write\n  b", () => put("b.txt", "b\n"));
    await session().checkpoint("tests pass");
    await session().prompt([{ type: "image", mediaType: "image/png", data: "" } as never]);
    const rows = await journeys.rows();
    expect(
      rows.map(({ number, on, branch, label, text, files }) => ({ number, on, branch, label, text, files })),
    ).toEqual([
      { number: 5, on: "prompt", branch: "here", label: undefined, text: undefined, files: "pending" },
      { number: 4, on: "manual", branch: "here", label: "tests pass", text: undefined, files: "complete" },
      { number: 3, on: "step", branch: "here", label: undefined, text: "write b", files: "complete" },
      { number: 2, on: "step", branch: "here", label: undefined, text: "write b", files: "complete" },
      { number: 1, on: "prompt", branch: "here", label: undefined, text: "write b", files: "complete" },
    ]);
    expect(rows.every(({ session: id, place }) => id === session().id && place === "here")).toBe(true);
  });

  it("says how many other sessions it can read nothing of", async () => {
    const { journeys, session, reopen, home } = await openWorkshop();
    await session().prompt("soon lost");
    const ruined = session().id;
    await reopen();
    expect([await journeys.rowsElsewhere(), journeys.unreadable()]).toMatchObject([[{ session: ruined }], 0]);
    ruinLog(home, ruined);
    expect([await journeys.rowsElsewhere(), journeys.unreadable()]).toEqual([[], 1]);
  });

  it("shows a user command by its text", async () => {
    const { journeys, session } = await openWorkshop();
    const number = await session().checkpoint();
    await session().toolStart("shell-x", "Shell", { input: { command: "make  clean" } });
    await session().toolEnd("shell-x", "ok", "");
    expect(await journeys.rows()).toMatchObject([{ number, on: "command", text: "! make clean" }]);
  });

  it("continues with those of all other sessions by time, without their steps unless these have labels", async () => {
    const seat = await openWorkshop();
    const { journeys, session, put, reopen, home, workspace } = seat;
    const first = session().id;
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    await session().label(3, "nearly");
    await session().retitle("Leaks");
    await reopen();
    const own = await openSession({ home, workspace, resume: "new" });
    await own.prompt("by the library");
    await own.close();
    await session().prompt("now");
    const rows = await journeys.rows();
    expect(
      rows.map(({ session: id, number, place, on, sessionTitle }) => [id, number, place, on, sessionTitle]),
    ).toEqual([
      [session().id, 1, "here", "prompt", undefined],
      [own.id, 1, "elsewhere", "prompt", "by the library"],
      [first, 3, "elsewhere", "step", "Leaks"],
      [first, 1, "elsewhere", "prompt", "Leaks"],
    ]);
  });

  it("shows what was left as left, and costs only what is new when it is opened again", async () => {
    const { journeys, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await turn(session(), "two", () => put("a.txt", "2\n"));
    expect(await journeys.rows()).toHaveLength(6);
    await journeys.rewind({ session: session().id, number: 4, scope: "both" });
    expect((await journeys.rows()).map(({ number, branch }) => [number, branch])).toEqual([
      [6, "left"],
      [5, "left"],
      [4, "here"],
      [3, "here"],
      [2, "here"],
      [1, "here"],
    ]);
  });

  it("says that files were let go where the store has them no more", async () => {
    const { journeys, session, put, home, reopen } = await openWorkshop();
    const { id } = session();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await reopen();
    rmSync(join(home, "snapshots"), { recursive: true });
    await reopen(id);
    expect((await journeys.rows()).map(({ files }) => files)).toEqual(["let-go", "let-go", "let-go"]);
    const place = { session: id, number: 1 };
    expect(await journeys.changedSince(place)).toBeUndefined();
    expect(await journeys.scopes(place)).toEqual({
      scopes: ["conversation"],
      without: expect.objectContaining({ message: "The files for checkpoint 1 are no longer kept." }),
    });
    await expect(journeys.rewind({ ...place, scope: "both" })).rejects.toMatchObject({
      code: "REWIND_REFUSED",
      hint: expect.stringContaining("You can still rewind the conversation alone"),
    });
    expect(await journeys.rewind({ ...place, scope: "conversation" })).toMatchObject({
      scope: "conversation",
      place: expect.objectContaining({ number: 1, text: "one" }),
      differ: 0,
    });
  });

  it("is empty in a session in which nothing happened", async () => {
    expect(await (await openWorkshop()).journeys.rows()).toEqual([]);
  });
});

describe("how many files changed since a row", () => {
  it("counts files, including those that another program changes now, and looks once for each opened list", async () => {
    const { journeys, session, put } = await openWorkshop();
    put("a.txt", "one\n");
    await turn(session(), "write", () => put("deep/b.txt", "b\n"));
    const since = async (number: number) => journeys.changedSince({ session: session().id, number });
    await journeys.rows();
    expect([await since(1), await since(3)]).toEqual([1, 0]);
    put("a.txt", "two\n");
    expect(await since(3)).toBe(0);
    await journeys.rows();
    expect([await since(1), await since(3)]).toEqual([2, 1]);
  });

  it("is unknown if files are not captured", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const { journeys, session } = await openWorkshop(place);
    await session().prompt("one");
    expect(await journeys.changedSince({ session: session().id, number: 1 })).toBeUndefined();
  });

  it("can name another session of the workspace", async () => {
    const { journeys, session, put, reopen } = await openWorkshop();
    const first = session().id;
    await turn(session(), "write", () => put("b.txt", "b\n"));
    await reopen();
    expect(await journeys.changedSince({ session: first, number: 1 })).toBe(1);
  });
});

describe("going back by so many prompts", () => {
  it("leads to the checkpoint before that prompt of the branch", async () => {
    const { journeys, session, put } = await openWorkshop();
    await turn(session(), "one", () => put("a.txt", "1\n"));
    await turn(session(), "two", () => put("a.txt", "2\n"));
    expect(await journeys.undoTarget(1)).toMatchObject({ number: 4, on: "prompt", text: "two" });
    expect(await journeys.undoTarget(2)).toMatchObject({ number: 1, text: "one", files: "complete" });
    await journeys.rewind({ session: session().id, number: 4, scope: "conversation" });
    expect(await journeys.undoTarget(1)).toMatchObject({ number: 1 });
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused for %d", async (prompts) => {
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    await expect(journeys.undoTarget(prompts)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      hint: expect.stringContaining("/undo"),
    });
  });

  it("says how many there are if there are not enough", async () => {
    const { journeys, session } = await openWorkshop();
    await expect(journeys.undoTarget(1)).rejects.toMatchObject({
      code: "CHECKPOINT_UNKNOWN",
      message: "There is nothing to undo on this branch.",
    });
    await session().prompt("one");
    await expect(journeys.undoTarget(2)).rejects.toMatchObject({
      message: "There is only 1 prompt or command on this branch, not 2.",
      hint: "Use /undo 1 to undo all of them, or /rewind to choose a checkpoint.",
    });
  });
});

describe("finding the checkpoint that the user names", () => {
  it("takes a number of this session, a session with a number, and a label", async () => {
    const { journeys, session, reopen } = await openWorkshop();
    const first = session().id;
    await session().prompt("one");
    await session().checkpoint("Caf\u00e9");
    await reopen();
    await session().prompt("two");
    const here = { session: session().id, place: "here", number: 1, text: "two" };
    for (const reference of ["1", " #1", `${session().id}:1`])
      expect(await journeys.find(reference)).toMatchObject(here);
    expect(await journeys.find(`${first.slice(0, -1)}:#1`)).toMatchObject({
      ...{ session: first, place: "elsewhere", number: 1, text: "one", sessionTitle: "one" },
    });
    for (const label of ["Cafe\u0301", " Caf\u00e9 "])
      expect(await journeys.find(label)).toMatchObject({ session: first, number: 2, label: "Caf\u00e9" });
  });

  it("prefers a label in this session, and otherwise the newest one", async () => {
    const { journeys, session, reopen, reported } = await openWorkshop();
    const first = session().id;
    await session().checkpoint("good");
    await reopen();
    const second = session().id;
    await session().checkpoint("good");
    await session().checkpoint("GOOD");
    await reopen();
    await session().prompt("three");
    expect(await journeys.find("good")).toMatchObject({ session: second, number: 1 });
    expect(reported).toEqual([{ code: "label-lookalike", label: "good", other: "GOOD" }]);
    await reopen(first);
    expect(await journeys.find("good")).toMatchObject({ session: first, number: 1 });
  });

  it("is refused for what names no checkpoint", async () => {
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    await journeys.label({ session: session().id, number: 1 }, "start");
    await expect(journeys.find("2")).rejects.toMatchObject({ reason: "checkpoint-unknown" });
    await expect(journeys.find("nosuch:1")).rejects.toMatchObject({ reason: "session-not-found" });
    await expect(journeys.find("-1")).rejects.toMatchObject({ reason: "not-a-checkpoint" });
    await expect(journeys.find("end")).rejects.toMatchObject({
      reason: "label-unknown-here",
      params: { label: "end", known: ["start"] },
    });
  });
});

describe("a checkpoint by hand", () => {
  it("is saved with its files, and named and renamed", async () => {
    const { journeys, session, put } = await openWorkshop();
    put("a.txt", "one\n");
    const seen: string[] = [];
    const number = await journeys.save("  before ", ({ doing }) => seen.push(doing));
    expect(await journeys.rows()).toMatchObject([{ number, label: "before", files: "complete" }]);
    expect(new Set(seen)).toEqual(new Set(["capture"]));
    expect(await journeys.save(undefined)).toBe(number + 1);
    const place = { session: session().id, number };
    await journeys.label(place, "after");
    expect((await journeys.rows()).at(-1)).toMatchObject({ label: "after" });
    await journeys.label(place, "");
    expect((await journeys.rows()).at(-1)).not.toHaveProperty("label");
  });

  it("is distinguished from one that looks like it", async () => {
    const { journeys, session, reported } = await openWorkshop();
    await session().prompt("one");
    const place = { session: session().id, number: 1 };
    await journeys.label(place, "before it");
    await journeys.label(place, "Before it");
    expect(reported).toEqual([]);
    const number = await journeys.save("before it ");
    const looksAlike = { code: "label-lookalike", label: "before it", other: "Before it" };
    expect(reported).toEqual([looksAlike]);
    await journeys.label({ ...place, number }, "");
    await journeys.label({ ...place, number }, "before it");
    expect(reported).toEqual([looksAlike, looksAlike]);
  });

  it("is named in another session too", async () => {
    const { journeys, session, reopen } = await openWorkshop();
    const first = session().id;
    await session().prompt("one");
    await reopen();
    await journeys.label({ session: first, number: 1 }, "old");
    expect(await journeys.rows()).toMatchObject([{ session: first, label: "old" }]);
  });

  it.each(["12", "#3", "k3f9:4", "a\nb"])("is not called %j", async (label) => {
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    const refused = { code: "LABEL_INVALID" };
    await expect(journeys.save(label)).rejects.toMatchObject(refused);
    await expect(journeys.label({ session: session().id, number: 1 }, label)).rejects.toMatchObject(refused);
    expect(await journeys.rows()).toHaveLength(1);
  });

  it("is not found if there is none", async () => {
    const { journeys, session } = await openWorkshop();
    await expect(journeys.label({ session: session().id, number: 7 }, "x")).rejects.toMatchObject({
      code: "CHECKPOINT_UNKNOWN",
    });
    await expect(journeys.scopes({ session: "k3f9x2m7q1" as SessionId, number: 1 })).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
  });
});

describe("while a turn runs", () => {
  it("journeys are refused, and say how it is interrupted", async () => {
    const { journeys, session, busy } = await openWorkshop();
    await session().prompt("one");
    await session().reply({ model: "scripted/one", parts: [textPart("Yes.")] });
    busy("busy");
    const request = { session: session().id, number: 1, scope: "conversation" } as const;
    const works = [
      () => journeys.ready(),
      () => journeys.preview(request),
      () => journeys.rewind(request),
      () => journeys.previewRedo({}),
      () => journeys.redo({}),
      () => journeys.save(undefined),
    ];
    for (const work of works) {
      await expect(work()).rejects.toMatchObject({
        code: "TURN_RUNNING",
        hint: expect.stringContaining("press Esc"),
      });
    }
    expect(await journeys.rows()).toHaveLength(1);
  });
});
describe("undoing prompts", () => {
  it("passes over a prompt without a checkpoint, an agent's calls and checkpoints by hand", async () => {
    const { journeys, session, put } = await openWorkshop();
    const number = await turn(session(), "one", () => put("a.txt", "1\n"));
    // A prompt in an imported or damaged session may have no checkpoint.
    await session().append({ kind: "prompt", parts: [textPart("two")] });
    await session().checkpoint("by hand");
    expect(await journeys.undoTarget(1)).toMatchObject({ number, text: "one" });
    await expect(journeys.undoTarget(2)).rejects.toMatchObject({
      reason: "fewer-prompts",
      params: { wanted: 2, found: 1 },
    });
    await expect(journeys.undoTarget(0)).rejects.toMatchObject({
      reason: "prompts-not-a-number",
      params: { given: 0 },
    });
  });
});

describe("the menu of checkpoints in the terminal", () => {
  it("is noted in the activity log when it is opened", async () => {
    const { journeys, session, home } = await openWorkshop();
    await journeys.menuOpened();
    expect(JSON.parse(readFileSync(join(home, "activity.jsonl"), "utf8"))).toEqual({
      at: expect.any(String),
      did: "rewind-menu-opened",
      in: "terminal",
      session: session().id,
    });
  });
});

describe("a turn that was cut off", () => {
  it("is left as interrupted by the user, once", async () => {
    const { journeys, session, reopen } = await openWorkshop();
    await session().prompt("one");
    await session().step();
    const { id } = session();
    await reopen(id);
    const interrupts = () => session().outline.linesOf("interrupt").length;
    await journeys.leaveCut();
    expect(interrupts()).toBe(1);
    const [line] = session().outline.linesOf("interrupt");
    expect((await session().entries([line as never]))[0]).toMatchObject({ kind: "interrupt", by: "person" });
    await journeys.leaveCut();
    expect(interrupts()).toBe(1);
  });

  it("is not left if it ended by itself", async () => {
    const { journeys, session } = await openWorkshop();
    await turn(session(), "one", () => undefined);
    await journeys.leaveCut();
    expect(session().outline.linesOf("interrupt")).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("commands that a killed run left running", () => {
  it("are named and stopped on request", async () => {
    const { journeys, session } = await openWorkshop();
    expect(await journeys.running()).toEqual([]);
    const child = spawn("sleep", ["60"], { env: { WORLDLINE_MARK: `worldline-${session().id}-1.` } });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    expect(await journeys.running()).toEqual(["sleep 60"]);
    await journeys.stopRunning();
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(await journeys.running()).toEqual([]);
  });
});

describe("a row of another session", () => {
  it("is rewound to in that session, which becomes the current one", async () => {
    const { journeys, session, put, reopen } = await openWorkshop();
    put("a.txt", "one\n");
    const first = session().id;
    const number = await turn(session(), "make it two", () => put("a.txt", "two\n"));
    await session().label(number, "before two");
    await reopen();
    const second = session().id;
    await session().prompt("another");
    const request = { session: first, number, scope: "both" } as const;
    const place = { number, at: expect.any(Number), label: "before two", text: "make it two", on: undefined };
    expect(await journeys.preview(request)).toStrictEqual({
      scope: "both",
      place,
      entries: expect.any(Number),
      tokens: expect.any(Number),
      opens: { session: first, title: "make it two" },
      files: expect.objectContaining({
        steps: [{ path: "a.txt", what: "changed", kind: "file", added: 1, removed: 1 }],
      }),
    });
    expect(session().id).toBe(second);
    expect(await journeys.rewind(request)).toStrictEqual({
      journey: expect.any(String),
      scope: "both",
      place,
      visit: { left: second, opened: { session: first, title: "make it two" } },
      prompt: [textPart("make it two")],
      files: {
        ...{ restored: 1, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
        unrestored: [],
      },
      differ: 0,
    });
    expect(session().id).toBe(first);
  });

  it("is not in reach if the session works in another workspace", async () => {
    const { journeys, session, home, root } = await openWorkshop();
    await session().prompt("here");
    const workspace = join(root, "other");
    mkdirSync(workspace);
    const other = await openSession({ home, workspace });
    await other.prompt("there");
    await other.close();
    await expect(journeys.scopes({ session: other.id, number: 1 })).rejects.toMatchObject({
      reason: "session-not-here",
      params: { session: other.id, workspace },
    });
  });
});

describe("the rows of several sessions", () => {
  it("are the newest program executions, then all others by time, whichever session they are in", async () => {
    const { journeys, session, home, workspace } = await openWorkshop();
    await session().prompt("here");
    await session().step();
    const one = await openSession({ home, workspace });
    const two = await openSession({ home, workspace });
    const execution = await openExecution("exec-1", { home, workspace });
    await one.prompt("first");
    await execution.step("load", () => 1);
    await two.prompt("second");
    await one.prompt("third");
    for (const each of [one, two, execution]) await each.close();
    const told = (await journeys.rows()).map(({ place, on, text }) => [place, on, text]);
    expect(told).toEqual([
      ["here", "step", "here"],
      ["here", "prompt", "here"],
      ["execution", "manual", undefined],
      ["elsewhere", "prompt", "third"],
      ["elsewhere", "prompt", "second"],
      ["elsewhere", "prompt", "first"],
    ]);
  });
});

describe("undoing a prompt that has no checkpoint", () => {
  it("does not undo the prompt before it instead", async () => {
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    await session().append({ kind: "prompt", parts: [textPart("two")] });
    expect(await journeys.undoTarget(1)).toMatchObject({ number: 1, text: "one" });
    await expect(journeys.undoTarget(2)).rejects.toMatchObject({ params: { wanted: 2, found: 1 } });
  });
});
