import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listCheckpoints } from "../../../src/app/checkpoints/checkpoint-list.ts";
import { checkpointRows } from "../../../src/app/checkpoints/checkpoint-rows.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { workshop } from "../../cli/support/workshop.ts";
import { openWorkshop, turn } from "../journeys/open-workshop.ts";
import { damageSnapshots } from "../support/damage-snapshots.ts";

const row = { entry: expect.any(String), at: expect.any(Number), branch: "here" };

/** A session in memory: a prompt, two steps, an automatic checkpoint, and a prompt on another branch. */
async function inMemory() {
  const { workspace } = playground();
  const session = await openSession({ workspace, store: openMemoryStore() });
  onTestFinished(async () => session.close());
  await session.prompt("one");
  await session.step();
  await session.step();
  await session.label(3, "nearly");
  await session.checkpoint();
  const told = { kind: "snapshot", checkpoint: 4 as never, author: "timeline" } as const;
  await session.append({ ...told, state: "none" });
  await session.rewind({ to: 3, scope: "conversation" });
  await session.prompt("two");
  return session;
}

describe("the rows of a session", () => {
  const store = { has: async () => true };

  it("are all of its checkpoints in the current session", async () => {
    const view = await inMemory();
    const common = { ...row, session: view.id, place: "here", files: "none" };
    expect(await checkpointRows({ view, place: "here", files: store })).toStrictEqual([
      { ...common, number: 5, on: "prompt", text: "two", files: "pending" },
      { ...common, number: 4, on: "after", text: "one", branch: "left" },
      { ...common, number: 3, on: "step", text: "one", label: "nearly" },
      { ...common, number: 2, on: "step", text: "one" },
      { ...common, number: 1, on: "prompt", text: "one" },
    ]);
    const [newest] = await checkpointRows({ view, place: "here", files: undefined });
    expect(newest?.files).toBe("none");
  });

  it.each([
    ["elsewhere", [5, 3, 1]],
    ["execution", [5, 1]],
  ] as const)("are those to choose from %s", async (place, numbers) => {
    const view = await inMemory();
    const rows = await checkpointRows({ view, place, files: store, title: "Leaks" });
    expect(rows.map(({ number }) => number)).toEqual(numbers);
    expect(rows.at(-1)).toStrictEqual({
      ...{ ...row, session: view.id, place, files: "none", sessionTitle: "Leaks" },
      ...{ number: 1, on: "prompt", text: "one" },
    });
    expect(rows[0]?.files).toBe("none");
  });
});

describe("the rows of the current session", () => {
  it("say what each checkpoint was made for, its label, and what is known of its files", async () => {
    const { journeys, session, put } = await openWorkshop();
    await turn(session(), "write\n  b", () => put("b.txt", "b\n"));
    const command = await session().checkpoint("before make");
    await session().toolStart("shell-x", "Shell", { input: { command: "make  clean" } });
    await session().toolEnd("shell-x", "ok", "");
    await session().checkpoint(undefined, { author: "timeline" });
    await session().checkpoint();
    await session().checkpoint("named", { author: "timeline" });
    await session().prompt([{ type: "image", mediaType: "image/png", data: "" } as never]);
    const here = { ...row, session: session().id, place: "here", files: "complete" };
    expect(await journeys.rowsHere()).toStrictEqual([
      { ...here, number: 8, on: "prompt", files: "pending" },
      { ...here, number: 7, on: "manual", label: "named" },
      // Checkpoint 6 was made by the user, and checkpoint 5 automatically after the command.
      { ...here, number: 6, on: "manual" },
      { ...here, number: 5, on: "after", text: "! make clean" },
      { ...here, number: command, on: "command", label: "before make", text: "! make clean" },
      { ...here, number: 3, on: "step", text: "write b" },
      { ...here, number: 2, on: "step", text: "write b" },
      { ...here, number: 1, on: "prompt", text: "write b" },
    ]);
  });

  it("cut a long text after 80 characters, and say what each step and automatic checkpoint belongs to", async () => {
    const { journeys, session } = await openWorkshop();
    const long = "\u{1f350}".repeat(100);
    await session().step();
    await session().checkpoint(undefined, { author: "timeline" });
    await session().prompt(long);
    await session().checkpoint(undefined, { author: "timeline" });
    await session().checkpoint();
    await session().toolStart("shell-x", "Shell", { input: { command: long } });
    await session().toolEnd("shell-x", "ok", "");
    await session().step();
    const rows = await journeys.rowsHere();
    const [prompt, shell] = ["\u{1f350}".repeat(80), `! ${"\u{1f350}".repeat(80)}`];
    expect(rows.map(({ number, on, text }) => [number, on, text])).toEqual([
      [6, "step", prompt],
      [5, "command", shell],
      [4, "after", prompt],
      [3, "prompt", prompt],
      // Nothing was asked before the first two.
      [2, "manual", undefined],
      [1, "step", undefined],
    ]);
  });

  it("say that files were not captured, are still in the log alone, or were let go", async () => {
    const { journeys, session } = await openWorkshop();
    for (let number = 1; number <= 4; number += 1) await session().prompt("one");
    const told = { kind: "snapshot", author: "timeline" } as const;
    const snapshot = "0".repeat(64) as never;
    await session().append({ ...told, checkpoint: 1 as never, state: "complete", snapshot });
    await session().append({ ...told, checkpoint: 2 as never, state: "partial" });
    const files = async () => (await journeys.rowsHere()).map(({ files: state }) => state);
    expect(await files()).toEqual(["pending", "none", "none", "let-go"]);
    await session().append({ ...told, checkpoint: 1 as never, state: "none" });
    expect(await files()).toEqual(["pending", "none", "none", "none"]);
  });
});

describe("the rows of other sessions", () => {
  it("leave out steps without a label and automatic checkpoints, and have the session's title", async () => {
    const { journeys, session, put, reopen, home, workspace } = await openWorkshop();
    const first = session().id;
    await turn(session(), "find the leak", () => put("a.txt", "1\n"));
    await session().label(3, "nearly");
    await session().checkpoint(undefined, { author: "timeline" });
    await session().rewind({ to: 3, scope: "conversation" });
    await session().prompt("go on");
    await session().retitle("Leaks");
    const here = { ...row, session: first, place: "elsewhere" };
    await reopen();
    const bare = await openSession({ home, workspace });
    await bare.checkpoint();
    await bare.close();
    expect(await journeys.rowsElsewhere()).toStrictEqual([
      { ...here, session: bare.id, number: 1, on: "manual", files: "none" },
      { ...here, number: 5, on: "prompt", files: "none", sessionTitle: "Leaks", text: "go on" },
      {
        ...here,
        number: 3,
        on: "step",
        files: "complete",
        sessionTitle: "Leaks",
        label: "nearly",
        text: "find the leak",
      },
      { ...here, number: 1, on: "prompt", files: "complete", sessionTitle: "Leaks", text: "find the leak" },
    ]);
    expect(await journeys.find("nearly")).toStrictEqual({
      ...{ ...here, number: 3, on: "step", files: "complete", sessionTitle: "Leaks" },
      ...{ label: "nearly", text: "find the leak" },
    });
    expect(await journeys.find(`${bare.id}:1`)).toStrictEqual({
      ...{ ...here, session: bare.id, number: 1, on: "manual", files: "none" },
    });
  });

  it("are those of this workspace alone, and none of sub-agents", async () => {
    const { journeys, session, home, root, workspace } = await openWorkshop();
    await session().prompt("here");
    mkdirSync(join(root, "other"));
    for (const options of [
      { workspace: join(root, "other") },
      { workspace, task: { session: session().id, call: "c1" } as never },
    ]) {
      const other = await openSession({ home, ...options });
      await other.prompt("elsewhere");
      await other.close();
    }
    expect(await journeys.rowsElsewhere()).toEqual([]);
    expect((await journeys.rows()).map(({ text }) => text)).toEqual(["here"]);
  });
});

describe("the row of a program's execution", () => {
  it("is at the newest successful step that was not deleted", async () => {
    const { journeys, home, workspace, worldline } = await openWorkshop();
    const run = async (id: string, names: readonly string[]) => {
      const execution = await openExecution(id, { home, workspace });
      for (const name of names) await execution.step(name, () => 1);
      await execution.close();
      return execution.session as SessionId;
    };
    const id = await run("exec-1", ["load", "process", "write"]);
    await run("exec-2", []);
    const rows = async () =>
      (await journeys.rowsElsewhere()).map(({ number, execution }) => [number, execution]);
    expect(await journeys.rowsElsewhere()).toStrictEqual([
      {
        ...{ ...row, session: id, number: 3, place: "execution", on: "manual", files: "none" },
        execution: { id: "exec-1", step: "write" },
      },
    ]);
    await worldline("executions delete exec-1 --checkpoint ckpt-exec-1-2 --yes");
    expect(await rows()).toEqual([[2, { id: "exec-1", step: "process" }]]);
    for (const index of [0, 1])
      await worldline(`executions delete exec-1 --checkpoint ckpt-exec-1-${index} --yes`);
    expect(await rows()).toEqual([]);
  });
});

describe("how many files changed since a row", () => {
  it("is counted up to the last known state if the folder is gone", async () => {
    const { journeys, session, put, workspace, reopen } = await openWorkshop();
    const { id } = session();
    await turn(session(), "write", () => put("b.txt", "b\n"));
    rmSync(workspace, { recursive: true });
    expect(await journeys.changedSince({ session: id, number: 1 })).toBe(1);
    expect(await journeys.changedSince({ session: id, number: 3 })).toBe(0);
    mkdirSync(workspace);
    await reopen(id);
  });

  it("is unknown if the row's files were not captured", async () => {
    const { journeys, session, reopen } = await openWorkshop();
    const first = session().id;
    await session().prompt("one");
    expect(await journeys.changedSince({ session: first, number: 1 })).toBeUndefined();
    await reopen();
    expect(await journeys.changedSince({ session: first, number: 1 })).toBeUndefined();
  });

  it("is unknown if a snapshot is damaged", async () => {
    const { journeys, session, put, home, reopen } = await openWorkshop();
    const { id } = session();
    put("pears.txt", "one\n");
    await turn(session(), "write", () => put("pears.txt", "two\n"));
    await reopen(id);
    damageSnapshots(home, "pears.txt");
    expect(await journeys.changedSince({ session: id, number: 1 })).toBeUndefined();
  });
});

describe("checkpoints of the same moment", () => {
  it("are listed by their numbers", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const place = await openWorkshop();
    const { journeys, session, reopen } = place;
    for (let number = 1; number <= 3; number += 1) await session().checkpoint();
    await reopen();
    expect((await journeys.rowsElsewhere()).map(({ number }) => number)).toEqual([3, 2, 1]);
    const { checkpoints } = await listCheckpoints(frameOf(place), { sessions: "all", steps: "hidden" });
    expect(checkpoints.map(({ checkpoint }) => checkpoint.number)).toEqual([3, 2, 1]);
  });
});

describe("a session that this home did not write", () => {
  it("has no rows, whatever workspace it claims", async () => {
    const { journeys, home, root, workspace, worldline } = await openWorkshop();
    const second = join(root, "second");
    const theirs = await openSession({ home: second, workspace });
    await theirs.prompt("trust me");
    await theirs.close();
    const bundle = join(root, "theirs.bundle");
    await worldline(["sessions", "export", theirs.id, "-o", bundle], {
      environment: { WORLDLINE_HOME: second },
    });
    await worldline(["sessions", "import", bundle]);
    expect(existsSync(join(home, "sessions", theirs.id))).toBe(true);
    expect(await journeys.rowsElsewhere()).toEqual([]);
  });
});

describe("the files of the newest checkpoint", () => {
  it("are not being captured if nothing is captured, or if an earlier process made the checkpoint", async () => {
    const place = workshop();
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    const off = await openWorkshop(place);
    await off.session().prompt("one");
    expect((await off.journeys.rowsHere()).map(({ files }) => files)).toEqual(["none"]);
    const { journeys, session } = await openWorkshop();
    await session().prompt("one");
    const started = vi.spyOn(performance, "timeOrigin", "get").mockReturnValue(Date.now() + 60_000);
    onTestFinished(() => started.mockRestore());
    expect((await journeys.rowsHere()).map(({ files }) => files)).toEqual(["none"]);
  });
});
