import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  findCheckpoint,
  findFile,
  searchLabel,
  warnOfLookalike,
} from "../../../src/app/checkpoints/find-checkpoint.ts";
import type { Notice } from "../../../src/app/notices.ts";
import { openSessionDeps } from "../../../src/app/sessions/store.ts";
import { openSession } from "../../../src/open-session.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { requireCheckpoint } from "../../../src/travel/rewind.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

const SDK_SESSION = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";
const ONE = "11111111-1111-4111-8111-111111111111";
const TWO = "22222222-2222-4222-8222-222222222222";
const REPLY = "33333333-3333-4333-8333-333333333333";
const LATER = "4a4b4c4d-4444-4444-8444-44444444abcd";

/**
 * A session with two prompts to another agent, a.txt captured before each; and a newer session whose only
 * prompt went to our own agent.
 */
async function prompted() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const write = (text: string): void => writeFileSync(join(workspace, "a.txt"), text);
  const session = await openSession({ home, workspace, files: "on" });
  const host = { kind: "host", host: "claude", hostSession: SDK_SESSION } as const;
  for (const [message, text] of [
    [ONE, "first\n"],
    [TWO, "second\n"],
  ] as const) {
    write(text);
    const { checkpoint } = await session.prompt(`make it ${text}`, { ...host, message });
    await session.capture({ checkpoint, author: "outside" });
    await session.append({ ...host, message: REPLY });
  }
  write("third\n");
  await session.close();
  const younger = await openSession({ home, workspace, resume: "new" });
  await younger.prompt("to our own agent");
  await younger.close();
  return {
    ...place,
    session: session.id,
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
  };
}

describe("a checkpoint that is named by another agent's UUID of its prompt", () => {
  it("is the one that metadata.json names so", async () => {
    const { home, session, data } = await prompted();
    const metadata = join(home, "sessions", session, "checkpoints", "metadata.json");
    const { checkpoints } = JSON.parse(readFileSync(metadata, "utf8"));
    expect(checkpoints).toMatchObject([
      { id: TWO, sessionId: SDK_SESSION, description: "make it second" },
      { id: ONE, sessionId: SDK_SESSION, description: "make it first" },
    ]);
    expect(await data(`rewind ${checkpoints[0].id} --dry-run`)).toMatchObject({ session, to: 2 });
  });

  it("is found by every command, in whichever session it is, also in capitals", async () => {
    const { worldline, data, session, workspace } = await prompted();
    expect((await worldline(`show ${ONE}:a.txt`)).stdout).toBe("first\n");
    expect(await data(`diff ${ONE} ${TWO}`)).toMatchObject({
      before: `${session}:1`,
      after: `${session}:2`,
      changes: [{ path: "a.txt" }],
    });
    expect(await data(`label ${TWO.toUpperCase()} better`)).toMatchObject({ session, number: 2 });
    expect((await worldline(`rewind ${ONE} --scope files --take --yes`)).code).toBe(0);
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("first\n");
  });

  it("is the one of the session that was named, else that of the session last used of those that have it", async () => {
    const { data, session, worldline } = await prompted();
    const forked = (await data(`fork --at ${TWO}`)).session;
    await worldline(`checkpoint --session ${forked}`);
    expect(await data(`rewind ${ONE} --dry-run`)).toMatchObject({ session: forked });
    expect(await data(`rewind ${ONE} --dry-run --session ${session}`)).toMatchObject({ session });
  });

  it.each([
    ["that nobody knows", LATER],
    ["of a message that is no prompt", REPLY],
    ["of that agent's session", SDK_SESSION],
  ])("is refused with what there is, for a UUID %s", async (_what, id) => {
    const { worldline } = await prompted();
    const { code, stderr } = await worldline(`rewind ${id}`);
    expect({ code, stderr }).toEqual({
      code: 42,
      stderr: expect.stringContaining(`No checkpoint is called "${id}" here.`),
    });
  });
});

/** Two sessions of a workspace: the older one has the labels "good", "GOOD" and "fix: parser", the newer one "good". */
async function labelled() {
  const place = playground();
  const { home, workspace } = place;
  const older = await openSession({ home, workspace });
  for (const label of ["good", "GOOD", "fix: parser", undefined]) await older.checkpoint(label);
  // Older versions of Worldline stored labels as they were typed.
  for (const [number, label] of [
    [1, "good"],
    [4, " spaced "],
  ] as const)
    await older.append({ kind: "label", target: requireCheckpoint(older.outline, number).id, label });
  await older.close();
  const newer = await openSession({ home, workspace });
  await newer.checkpoint("start");
  await newer.checkpoint("good");
  await newer.close();
  const reported: Notice[] = [];
  const frame = frameOf(place);
  const listener = { ...frame.listener, report: (notice: Notice) => void reported.push(notice) };
  const contextFor = (session?: string) => ({ ...frame, listener, common: { ...frame.common, session } });
  const { store } = await openSessionDeps(frame);
  /** The session and the number of the checkpoint that the text names, and what was reported. */
  const find = async (text: string, session?: string) => {
    reported.length = 0;
    const { view, row } = await findCheckpoint(contextFor(session), store, text);
    return [view.id, row.number, [...reported]] as const;
  };
  const findPath = async (text: string, session?: string) => {
    const { view, row, path } = await findFile(contextFor(session), store, text);
    return [view.id, row.number, path] as const;
  };
  return { place, older: older.id, newer: newer.id, find, findPath };
}

describe("a checkpoint that the user names", () => {
  it("is in the session last used if it is a number, and in the session of its label otherwise", async () => {
    const { older, newer, find } = await labelled();
    const chosen = { code: "session-chosen", session: { id: newer, title: "", mode: "agent" } };
    const looksAlike = { code: "label-lookalike", label: "good", other: "GOOD" };
    const foundIn = (id: string) => ({ code: "session-found", session: { id, title: "", mode: "agent" } });
    expect(await find("2")).toEqual([newer, 2, [chosen]]);
    expect(await find(" start ")).toEqual([newer, 1, [foundIn(newer)]]);
    expect(await find("good ")).toEqual([newer, 2, [looksAlike, foundIn(newer)]]);
    expect(await find("fix: parser")).toEqual([older, 3, [foundIn(older)]]);
    // Labels of older versions are found by exactly what was stored.
    expect(await find(" spaced ")).toEqual([older, 4, [foundIn(older)]]);
    await expect(find("spaced")).rejects.toMatchObject({
      reason: "label-unknown-here",
      params: { label: "spaced", known: ["start", "good", "GOOD", "fix: parser", " spaced "] },
    });
  });

  it("is found by its label in any form, without a warning that the label looks like itself", async () => {
    const { place, newer, find } = await labelled();
    await place.worldline(["label", "1", "caf\u00e9"]);
    for (const text of ["caf\u00e9", " cafe\u0301 "])
      expect(await find(text)).toEqual([newer, 1, [expect.objectContaining({ code: "session-found" })]]);
    await place.worldline(["label", "2", "Caf\u00e9"]);
    expect((await find("cafe\u0301"))[2][0]).toMatchObject({ code: "label-lookalike", other: "Caf\u00e9" });
  });

  it("is in the session that was named, which must be the same if it is named twice", async () => {
    const { older, newer, find } = await labelled();
    const looksAlike = { code: "label-lookalike", label: "good", other: "GOOD" };
    expect(await find("2", older)).toEqual([older, 2, []]);
    expect(await find("good", older)).toEqual([older, 1, [looksAlike]]);
    expect(await find(`${older}:3`)).toEqual([older, 3, []]);
    expect(await find(`${older.slice(0, -1)}:#3`, older)).toEqual([older, 3, []]);
    await expect(find(`${older}:3`, newer)).rejects.toMatchObject({
      reason: "checkpoint-of-other-session",
      params: { given: `${older}:3`, session: newer },
    });
    await expect(find("start", older)).rejects.toMatchObject({
      reason: "label-unknown-here",
      params: { label: "start", known: ["good", "GOOD", "fix: parser", " spaced "] },
    });
    for (const text of ["5", `${older}:5`])
      await expect(find(text)).rejects.toMatchObject({ reason: "checkpoint-unknown" });
    await expect(find("nosuch:1")).rejects.toMatchObject({ reason: "session-not-found" });
  });
});

describe("a file of a checkpoint that the user names", () => {
  it("is what follows a number, a session with a number, or the longest label", async () => {
    const { place, older, newer, findPath } = await labelled();
    expect(await findPath("1:a.txt")).toEqual([newer, 1, "a.txt"]);
    expect(await findPath("#2:src/a:b\n.txt")).toEqual([newer, 2, "src/a:b\n.txt"]);
    expect(await findPath(`${older}:#3:a.txt`)).toEqual([older, 3, "a.txt"]);
    expect(await findPath("start:a: b.txt")).toEqual([newer, 1, "a: b.txt"]);
    expect(await findPath("fix: parser:a.txt")).toEqual([older, 3, "a.txt"]);
    expect(await findPath("good::a.txt")).toEqual([newer, 2, ":a.txt"]);
    await place.worldline(["label", "1", "start: again"]);
    expect(await findPath("start: again:a.txt")).toEqual([newer, 1, "a.txt"]);
    await place.worldline(["label", "1", "version 2"]);
    expect(await findPath("version 2:a.txt")).toEqual([newer, 1, "a.txt"]);
  });

  it("follows a number even if there is a longer label", async () => {
    const { place, older, findPath } = await labelled();
    for (const [number, label] of ["2:x", `${older}:3:x`, "12:x", `${older}:13:x`].entries())
      await place.worldline(["label", `${older}:${number + 1}`, label]);
    expect(await findPath("2:x:a.txt")).toEqual([older, 2, "x:a.txt"]);
    expect(await findPath(`${older}:3:x:a.txt`)).toEqual([older, 3, "x:a.txt"]);
    for (const text of ["12:x:a.txt", `${older}:13:x:a.txt`])
      await expect(findPath(text)).rejects.toMatchObject({ reason: "checkpoint-unknown" });
  });

  it("is refused where nothing is named, or a checkpoint is unknown", async () => {
    const { findPath } = await labelled();
    for (const text of ["a.txt", ":a.txt", " :a.txt", "start:", ""]) {
      await expect(findPath(text)).rejects.toMatchObject({
        reason: "file-of-checkpoint-unnamed",
        params: { given: text },
      });
    }
    await expect(findPath("none:of:these")).rejects.toMatchObject({
      reason: "label-unknown-here",
      params: { label: "none", known: expect.any(Array) },
    });
    await expect(findPath("9:a.txt")).rejects.toMatchObject({ reason: "checkpoint-unknown" });
    // No other error is passed over: -1 is no checkpoint, whatever follows it.
    await expect(findPath("a:-1:b.txt:c")).rejects.toMatchObject({ reason: "label-unknown-here" });
  });
});

describe("a search for a label", () => {
  it("finds the newest checkpoint of all sessions, by its label or the UUID of its prompt", async () => {
    const { workspace } = playground();
    const begun = async () => openSession({ workspace, store: openMemoryStore() });
    const [one, two] = [await begun(), await begun()];
    const host = { kind: "host", host: "claude", hostSession: SDK_SESSION } as const;
    await one.prompt("first", { ...host, message: LATER });
    await one.append({ ...host, message: REPLY });
    await one.append(host);
    await one.checkpoint("good");
    await new Promise((resolve) => setTimeout(resolve, 2));
    await two.checkpoint("good");
    await two.checkpoint("GOOD");
    const reported: Notice[] = [];
    const silent = { progress: () => undefined, afterWork: () => undefined };
    const listener = { ...silent, report: (notice: Notice) => void reported.push(notice) };
    const search = async (label: string) => {
      reported.length = 0;
      const { newest, known } = await searchLabel({ listener }, [one, two], label);
      return [newest?.view.id, newest?.row.number, known, reported.length];
    };
    const known = ["good", "GOOD"];
    expect(await search(" good ")).toEqual([two.id, 1, known, 1]);
    expect(reported).toEqual([{ code: "label-lookalike", label: "good", other: "GOOD" }]);
    for (const text of [LATER, ` ${LATER.toUpperCase()} `])
      expect(await search(text)).toEqual([one.id, 1, known, 0]);
    // Nothing was found, so there is nothing to be confused with it.
    for (const text of ["Good", " GooD ", REPLY, ONE])
      expect(await search(text)).toEqual([undefined, undefined, known, 0]);
    await one.close();
    await two.close();
  });
});

describe("a label that looks like another one", () => {
  it("is reported, unless the other one is the label that it replaces", () => {
    const labels = new Map([["a" as EntryId, "Before it"]]);
    const reports = (label: string, target?: EntryId) => {
      const reported: Notice[] = [];
      warnOfLookalike({ report: (notice) => void reported.push(notice) }, labels, label, target);
      return reported;
    };
    const notice = { code: "label-lookalike", label: "before it", other: "Before it" };
    expect(reports("before it")).toEqual([notice]);
    expect(reports("before it", "b" as EntryId)).toEqual([notice]);
    expect([reports("before it", "a" as EntryId), reports("Before it"), reports("after it")]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
