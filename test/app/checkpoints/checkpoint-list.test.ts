import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  checkpointMenu,
  chosenCheckpoint,
  listCheckpoints,
  publishedFault,
  snapshotOf,
} from "../../../src/app/checkpoints/checkpoint-list.ts";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { openSessionDeps } from "../../../src/app/sessions/store.ts";
import { newOwner, realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { openExecution } from "../../../src/open-execution.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import { type OpenSessionOptions, openSession } from "../../../src/open-session.ts";
import type { Owner } from "../../../src/ports/lease.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { requireCheckpoint } from "../../../src/travel/rewind.ts";
import { tellConversation } from "../../cli/support/conversation.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { agentWorks, workshop } from "../../cli/support/workshop.ts";
import { damageSnapshots } from "../support/damage-snapshots.ts";
import { ruinLog } from "../support/ruin-log.ts";

type Place = ReturnType<typeof workshop>;

/** A workspace with its own session, which has one checkpoint, and a newer session of an agent, which has another. */
async function worked() {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  const { session: own } = await makeCheckpoint(frameOf(shop), "own", "test");
  const agent = await agentWorks(shop, () => shop.put("a.txt", "two\n"), "new");
  return { shop, frame: frameOf(shop), own, agent };
}

/** Lists the checkpoints of the session that was used last, with their files, newest first. */
async function filesListed(place: Place) {
  const { checkpoints } = await listCheckpoints(frameOf(place), { sessions: "one", steps: "shown" });
  return checkpoints.map(({ checkpoint, files }) => [checkpoint.number, files]);
}

async function openedIn(place: Place, options: OpenSessionOptions = {}) {
  const { home, workspace } = place;
  const session = await openSession({ home, workspace, ...options });
  onTestFinished(async () => session.close());
  return session;
}

describe("the list of checkpoints", () => {
  it("has those of the latest session, with their files, and those of the others on request", async () => {
    const { frame, own, agent } = await worked();
    const one = await listCheckpoints(frame, { sessions: "one", steps: "hidden" });
    expect(one.session?.id).toBe(agent);
    expect(one.checkpoints.map(({ view }) => view.id)).toEqual(one.checkpoints.map(() => agent));
    const all = await listCheckpoints(frame, { sessions: "all", steps: "hidden" });
    expect(all).toMatchObject({ all: one.all + 1 });
    expect(all.checkpoints.at(-1)).toMatchObject({
      view: { id: own },
      checkpoint: { number: 1, label: "own" },
      files: { state: "complete" },
    });
  });

  it("has steps only if they are wanted, or have labels", async () => {
    const place = workshop();
    const { home, workspace } = place;
    const older = await tellConversation({ home, workspace });
    const newer = await tellConversation({ home, workspace });
    await place.worldline(["label", `${older}:2`, "leak found"]);
    const listed = async (session: string, steps: "shown" | "hidden") => {
      const frame = frameOf(place);
      const context = { ...frame, common: { ...frame.common, session } };
      const { checkpoints, all } = await listCheckpoints(context, { sessions: "all", steps });
      return { all, rows: checkpoints.map(({ view, checkpoint }) => [view.id, checkpoint.number]) };
    };
    expect(await listed(newer, "hidden")).toEqual({
      all: 5,
      rows: [
        [newer, 4],
        [newer, 1],
        [older, 4],
        [older, 2],
        [older, 1],
      ],
    });
    // The session that was named comes first, even if others were used later.
    expect(await listed(older, "shown")).toEqual({
      all: 10,
      rows: [older, newer].flatMap((id) => [5, 4, 3, 2, 1].map((number) => [id, number])),
    });
  });

  it("says how many files have changed since each checkpoint, up to the last known state", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const session = await openedIn(place, { files: "on" });
    await session.checkpoint("one");
    place.put("b.txt", "two\n");
    await session.checkpoint("two");
    place.put("a.txt", "three\n");
    await session.checkpoint("three");
    await session.close();
    await place.worldline("rewind 2 --scope files --take --yes");
    const complete = { state: "complete", snapshot: expect.stringMatching(/^[0-9a-f]{64}$/u) };
    // The rewind has left the files as they were at the second checkpoint.
    expect(await filesListed(place)).toEqual([
      [3, { ...complete, changedSince: 1 }],
      [2, { ...complete, changedSince: 0 }],
      [1, { ...complete, changedSince: 1 }],
    ]);
  });

  it("has no count for a snapshot that is damaged", async () => {
    const place = workshop();
    place.put("pears.txt", "one\n");
    const session = await openedIn(place, { files: "on" });
    await session.checkpoint("one");
    place.put("pears.txt", "two\n");
    await session.checkpoint("two");
    await session.close();
    damageSnapshots(place.home, "pears.txt");
    const complete = { state: "complete", snapshot: expect.any(String) };
    expect(await filesListed(place)).toEqual([
      [2, { ...complete, changedSince: 0 }],
      [1, complete],
    ]);
  });

  it("says what is known of files that were not captured", async () => {
    const place = workshop();
    const session = await openedIn(place);
    for (const label of ["never", "failed", "partial", "now"]) await session.checkpoint(label);
    const told = { kind: "snapshot", author: "timeline" } as const;
    await session.append({ ...told, checkpoint: 2 as never, state: "none", why: "the disk is full" });
    const snapshot = "0".repeat(64) as never;
    await session.append({ ...told, checkpoint: 3 as never, state: "partial", snapshot, why: "1 file" });
    const known = [
      [3, { state: "gone", snapshot, why: "1 file" }],
      [2, { state: "none", why: "the disk is full" }],
      [1, { state: "none" }],
    ];
    // A program has the session open, so it may still be capturing the newest checkpoint.
    expect(await filesListed(place)).toEqual([[4, { state: "pending" }], ...known]);
    await session.close();
    expect(await filesListed(place)).toEqual([[4, { state: "none" }], ...known]);
    place.write("user", JSON.stringify({ enableFileCheckpointing: false }));
    expect((await filesListed(place))[1]).toEqual([3, { state: "partial", snapshot, why: "1 file" }]);
  });
});

describe("the menu of checkpoints", () => {
  it("has those of all sessions, from which the user chooses, and is noted in the activity log", async () => {
    const { shop, frame, own, agent } = await worked();
    const { session, checkpoints, executions } = await checkpointMenu(frame, { in: "command-line" });
    expect([session?.id, executions]).toEqual([agent, []]);
    const last = checkpoints.at(-1);
    expect(last && chosenCheckpoint(last)).toMatchObject({ view: { id: own }, row: { number: 1 } });
    expect(JSON.parse(readFileSync(join(shop.home, "activity.jsonl"), "utf8"))).toEqual({
      at: expect.any(String),
      did: "rewind-menu-opened",
      in: "command-line",
      session: agent,
    });
  });

  it("has at most 30 rows, without steps, and says how many there are", async () => {
    const place = workshop();
    const session = await openedIn(place);
    for (let number = 1; number <= 31; number += 1) await session.checkpoint();
    await session.prompt("one");
    await session.step();
    await session.close();
    const { checkpoints, all } = await checkpointMenu(frameOf(place), { in: "terminal" });
    const numbers = checkpoints.map(({ checkpoint }) => checkpoint.number);
    expect([all, numbers]).toEqual([32, Array.from({ length: 30 }, (_, index) => 32 - index)]);
  });

  it("has the newest executions of programs that have a step to rewind to", async () => {
    const place = workshop();
    const { home, workspace } = place;
    const run = async (id: string, folder = workspace) => {
      const execution = await openExecution(id, { home, workspace: folder });
      await execution.step(`${id}-1`, () => 1);
      await execution.close();
      return execution;
    };
    await (await openExecution("none", { home, workspace })).close();
    for (const id of ["one", "two", "three", "four", "five", "six"]) await run(id);
    mkdirSync(join(place.root, "other"));
    await run("elsewhere", join(place.root, "other"));
    const { session: ruined } = await run("ruined");
    ruinLog(home, ruined as SessionId);
    const menu = await checkpointMenu(frameOf(place), { in: "terminal" });
    expect(menu).toEqual({ session: undefined, checkpoints: [], all: 0, executions: expect.any(Array) });
    expect(menu.executions.map(({ step }) => step)).toEqual(
      ["six", "five", "four", "three", "two"].map((id) => ({
        execution: id,
        name: `${id}-1`,
        index: 0,
        status: "success",
      })),
    );
    expect(menu.executions[0]?.view.id).toEqual(expect.any(String));
    // No session is named, because there is none to name.
    const noted = JSON.parse(readFileSync(join(home, "activity.jsonl"), "utf8"));
    expect(Object.keys(noted)).toEqual(["at", "did", "in"]);
  });

  it.each([
    ["no session", undefined, "no-checkpoints-yet"],
    ["a session without any", "empty", "no-checkpoints"],
  ])("is not there if there is %s", async (_what, session, reason) => {
    const place = workshop();
    if (session !== undefined) await (await openedIn(place)).close();
    const menu = checkpointMenu(frameOf(place), { in: "command-line" });
    await expect(menu).rejects.toMatchObject({ reason });
  });
});

/** A session with two checkpoints, and the file that lists them. */
async function published() {
  const place = workshop();
  const session = await openedIn(place);
  await session.checkpoint("one");
  await session.prompt("two");
  await session.close();
  const path = join(place.home, "sessions", session.id, "checkpoints", "metadata.json");
  const fault = async (id = session.id, { home } = place) => {
    const { store } = await openSessionDeps(frameOf({ ...place, home }));
    return publishedFault(home, await viewSession(store, id));
  };
  return { ...place, session, path, fault };
}

describe("the published list of checkpoints", () => {
  it("matches the log until somebody changes or removes it", async () => {
    const { path, fault } = await published();
    expect(await fault()).toBeUndefined();
    const right = readFileSync(path, "utf8");
    const damages: Record<string, string> = {
      stale: right.replace("two", "three"),
      unreadable: "{ broken",
    };
    for (const [fault_, text] of Object.entries(damages)) {
      writeFileSync(path, text);
      expect(await fault()).toBe(fault_);
    }
    for (const text of ["null", "[]", "{}", '{ "checkpoints": {} }']) {
      writeFileSync(path, text);
      expect([text, await fault()]).toEqual([text, "unreadable"]);
    }
    for (const checkpoints of [[], [null, 1], JSON.parse(right).checkpoints.slice(0, 1)]) {
      writeFileSync(path, JSON.stringify({ checkpoints }));
      expect(await fault()).toBe(checkpoints.length === 1 ? undefined : "stale");
    }
    rmSync(path);
    expect(await fault()).toBe("missing");
    mkdirSync(path);
    expect(await fault()).toBe("unreadable");
  });

  it("is not missed in a session without checkpoints, a fork, or an imported session", async () => {
    const place = await published();
    const { worldline, data, fault, session, root } = place;
    const { session: fork } = await data("fork --at 1");
    const empty = await openedIn(place);
    await empty.close();
    const bundle = join(root, "a.bundle");
    await worldline(["sessions", "export", session.id, "--format", "bundle", "-o", bundle]);
    const second = { home: join(root, "second") };
    const environment = { WORLDLINE_HOME: second.home };
    await worldline(["sessions", "import", bundle], { environment });
    const without = async (id: SessionId, { home } = place as { readonly home: string }) => {
      rmSync(join(home, "sessions", id, "checkpoints"), { recursive: true, force: true });
      return fault(id, { ...place, home });
    };
    expect([await without(empty.id), await without(fork), await without(session.id, second)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    expect(await without(session.id)).toBe("missing");
  });

  it("is written again by a list, unless a program has the session open", async () => {
    const { path, session, ...place } = await published();
    const right = readFileSync(path, "utf8");
    const alive = newOwner(realProcesses(place.home), systemClock, "test");
    const listedWith = async (owner: Owner | undefined) => {
      const lock = join(place.home, "sessions", session.id, "lock");
      if (owner !== undefined) writeFileSync(lock, JSON.stringify(owner));
      writeFileSync(path, "{ broken");
      await listCheckpoints(frameOf(place), { sessions: "one", steps: "hidden" });
      return readFileSync(path, "utf8");
    };
    expect(await listedWith(alive)).toBe("{ broken");
    expect(await listedWith({ ...alive, pid: 4_194_303, started: "x" })).toBe(right);
    rmSync(join(place.home, "sessions", session.id, "lock"));
    expect(await listedWith(undefined)).toBe(right);
  });
});

describe("the snapshot of a checkpoint", () => {
  it("is there if its files were captured, and otherwise the reason why not", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const session = await openedIn(place, { files: "on" });
    await session.checkpoint("one");
    await session.close();
    const plain = await openedIn(place, { resume: session.id });
    await plain.checkpoint("two");
    const told = { kind: "snapshot", author: "timeline" } as const;
    const snapshot = "0".repeat(64) as never;
    await plain.checkpoint("three");
    await plain.append({ ...told, checkpoint: 3 as never, state: "complete", snapshot });
    const files = await openWorkspaceFiles({ home: place.home, workspace: place.workspace });
    onTestFinished(async () => files.close());
    const at = async (number: number) =>
      snapshotOf({ view: plain, row: requireCheckpoint(plain.outline, number) }, files);
    expect(await at(1)).toEqual({ snapshot: expect.stringMatching(/^[0-9a-f]{64}$/u), state: "complete" });
    await plain.append({
      ...told,
      checkpoint: 2 as never,
      state: "partial",
      snapshot: (await at(1)).snapshot,
    });
    expect(await at(2)).toEqual({ snapshot: (await at(1)).snapshot, state: "partial" });
    await expect(at(3)).rejects.toMatchObject({
      reason: "checkpoint-files-unusable",
      params: { problem: expect.objectContaining({ reason: "files-let-go" }) },
      cause: expect.objectContaining({ reason: "files-let-go" }),
    });
  });
});
