import { describe, expect, it } from "vitest";
import type { OpenedFiles } from "../../src/app/files/files.ts";
import { findJourney, redoRows, redoScopes, settleRedo } from "../../src/app/redo.ts";
import { effectOf } from "../../src/app/rewind.ts";
import { forkSession } from "../../src/machine/journeys/fork.ts";
import { viewSession } from "../../src/machine/open.ts";
import { WorldlineError } from "../../src/record/error.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { contextTokens } from "../../src/timeline/token-count.ts";
import { begin, openSessionDeps } from "../machine/deps.ts";
import { MemoryWorkspace } from "../machine/memory-workspace.ts";
import { turn } from "./journeys/open-workshop.ts";

const error = new WorldlineError("checkpointing-off", {});
const off: OpenedFiles = { state: "off", error };
const touched: OpenedFiles = { state: "unusable", tracked: "touched", error };

/** A session in memory with two turns (from checkpoints 1 and 4) that have changed a file. */
async function played() {
  const files = new MemoryWorkspace();
  const deps = { ...openSessionDeps(), files };
  const session = await begin(deps);
  await turn(session, "first", () => files.write("a.txt", "one\n"));
  await turn(session, "second", () => files.write("a.txt", "two\n"));
  const on: OpenedFiles = { state: "on", files };
  const entries = async () => (await session.journeys()).map(({ entry }) => entry);
  return { deps, session, files, on, entries };
}

describe("finding a journey by its id", () => {
  it("takes the beginning of the id, however it is typed", async () => {
    const { session } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "both" });
    for (const given of [journey, journey.slice(0, 4), ` ${journey.toUpperCase()} `])
      expect(await findJourney(session, given)).toBe(journey);
  });

  it("fails if no journey has the id, or nothing was given", async () => {
    const { session, entries } = await played();
    await session.rewind({ to: 4, scope: "both" });
    expect(await entries()).toHaveLength(1);
    for (const given of ["", " ", "nothing"])
      await expect(findJourney(session, given)).rejects.toMatchObject({
        reason: "journey-named-unknown",
        params: { given },
      });
  });

  it("fails if several journeys have ids with this beginning, and names eight of them", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `abc${index + 10}`);
    const journeys = [...ids, "xyz"].map((id) => ({ entry: { id }, state: "open" }));
    const view = { journeys: async () => journeys } as unknown as Parameters<typeof findJourney>[0];
    await expect(findJourney(view, "abc")).rejects.toMatchObject({
      reason: "journey-named-ambiguous",
      params: { given: "abc", matches: 12, some: ids.slice(0, 8) },
    });
    expect(await findJourney(view, "abc21")).toBe("abc21");
  });
});

describe("settling a redo", () => {
  it("returns what it undoes, where that led to, and the effect on the conversation", async () => {
    const { session, on, entries } = await played();
    const before = contextTokens(session.outline, session.outline.head);
    const { journey } = await session.rewind({ to: 4, scope: "both" });
    const [undone] = await entries();
    expect(undone?.id).toBe(journey);
    const tokensBefore = contextTokens(session.outline, session.outline.head);
    const expected = {
      undone,
      landed: 4,
      scope: "both",
      effect: { left: 3, back: 10, tokensBefore, tokensAfter: before },
    };
    expect(await settleRedo(session, on, { journey: undefined })).toEqual(expected);
    expect(await settleRedo(session, on, { journey, scope: undefined })).toEqual(expected);
    expect(await settleRedo(session, off, { journey, scope: "conversation" })).toEqual({
      ...expected,
      scope: "conversation",
    });
    expect(await settleRedo(session, on, { journey, scope: "files" })).toEqual({
      ...expected,
      scope: "files",
      effect: { left: 0, back: 0, tokensBefore, tokensAfter: tokensBefore },
    });
  });

  it("names the newest checkpoint of the work that it leaves behind", async () => {
    const { session, on } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "conversation" });
    await turn(session, "third", () => undefined);
    expect(await settleRedo(session, on, { journey })).toMatchObject({ newer: { checkpoint: 9 } });
    await expect(settleRedo(session, on, { journey: undefined })).rejects.toMatchObject({
      code: "NOTHING_TO_REDO",
    });
  });

  it("restores only the conversation if there are no files, unless the user wants files", async () => {
    const { session } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "both" });
    expect(await settleRedo(session, off, { journey })).toMatchObject({
      scope: "conversation",
      filesStay: error,
    });
    for (const scope of ["both", "files"] as const)
      await expect(settleRedo(session, off, { journey, scope })).rejects.toBe(error);
    expect(await settleRedo(session, touched, { journey })).toMatchObject({ scope: "both" });
    expect(await settleRedo(session, touched, { journey })).not.toHaveProperty("filesStay");
  });

  it("fails if the undone journey moved only files and there are none", async () => {
    const { session } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "files" });
    await expect(settleRedo(session, off, { journey })).rejects.toBe(error);
  });
});

describe("the effect of a journey on the conversation", () => {
  it("is none for a journey that moves only files", async () => {
    const { session } = await played();
    const { outline } = session;
    const tokens = contextTokens(outline, outline.head);
    const place = outline.at(outline.linesOf("checkpoint")[0] ?? 0) ?? expect.unreachable();
    const none = { left: 0, back: 0, tokensBefore: tokens, tokensAfter: tokens };
    expect(effectOf(outline, place, "files")).toEqual(none);
    const moved = { left: 21, back: 0, tokensBefore: tokens, tokensAfter: contextTokens(outline, place) };
    expect(effectOf(outline, place, "both")).toEqual(moved);
    expect(effectOf(outline, place, "conversation")).toEqual(moved);
  });
});

describe("the journeys that can be undone", () => {
  it("are listed with where undoing each one leads, newest first", async () => {
    const { session } = await played();
    const first = await session.rewind({ to: 4, scope: "conversation" });
    const second = await session.rewind({ to: 1, scope: "files" });
    const third = await session.rewind({ to: 1, scope: "both" });
    await session.redo({ wanted: third.journey });
    const entries = new Map((await session.journeys()).map(({ entry }) => [entry.id, Date.parse(entry.at)]));
    const row = (journey: EntryId) => ({ journey, kind: "rewind", at: entries.get(journey) });
    const rows = await redoRows(session);
    const redo = (await session.journeys()).at(-1)?.entry.id;
    expect(rows).toEqual([
      {
        journey: redo,
        kind: "redo",
        scope: "both",
        place: expect.objectContaining({ number: 1 }),
        to: expect.any(Number),
        at: expect.any(Number),
        order: "by-name",
      },
      {
        ...row(second.journey),
        scope: "files",
        place: expect.objectContaining({ number: 4 }),
        to: 1,
        order: "next",
      },
      {
        ...row(first.journey),
        scope: "conversation",
        place: expect.objectContaining({ number: 6, text: "second" }),
        to: 4,
        order: "by-name",
      },
    ]);
  });

  it("include a copy in a fork only if it moved only files, because the fork has no branch to return to", async () => {
    const { deps, session } = await played();
    await session.rewind({ to: 4, scope: "conversation" });
    await session.rewind({ to: 1, scope: "files" });
    const fork = await viewSession(deps.store, await forkSession(deps, session, {}));
    expect(await fork.journeys()).toHaveLength(2);
    expect(await redoRows(fork)).toMatchObject([{ scope: "files", to: 1 }]);
  });
});

describe("the scopes for undoing a journey", () => {
  it("include files whenever the journey captured those that it left", async () => {
    const { session, on } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "conversation" });
    expect(await redoScopes(session, on, journey)).toEqual({ scopes: ["both", "conversation", "files"] });
    expect(await redoScopes(session, touched, journey)).toEqual({
      scopes: ["both", "conversation", "files"],
    });
    expect(await redoScopes(session, off, journey)).toEqual({ scopes: ["conversation"], without: error });
    const unusable: OpenedFiles = { state: "unusable", error };
    expect(await redoScopes(session, unusable, journey)).toEqual({
      scopes: ["conversation"],
      without: error,
    });
  });

  it("are only the conversation if the files that were left are no longer stored", async () => {
    const { session, files, on } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "both" });
    files.snapshots.clear();
    expect(await redoScopes(session, on, journey)).toEqual({
      scopes: ["conversation"],
      without: expect.objectContaining({ code: "REWIND_REFUSED" }),
    });
    const broken = new Error("broken");
    const failing: OpenedFiles = {
      state: "on",
      files: Object.assign(files, { has: () => Promise.reject(broken) }),
    };
    await expect(redoScopes(session, failing, journey)).rejects.toBe(broken);
  });

  it("are only files if the journey moved only files", async () => {
    const { session, on, files } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "files" });
    files.snapshots.clear();
    for (const opened of [on, off])
      expect(await redoScopes(session, opened, journey)).toEqual({ scopes: ["files"] });
  });
});
