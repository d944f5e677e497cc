import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/machine/session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { refusal, reply, says } from "../deps.ts";
import { beginWithFiles, lastOf, promptWith, stepThat, type World } from "./workspace.ts";

async function twoSteps(): Promise<World & { readonly to: number }> {
  const world = await beginWithFiles();
  const { session, files } = world;
  files.write("a", "one");
  await promptWith(session, "go");
  const to = await stepThat(session, () => files.write("a", "two"));
  await stepThat(session, () => files.write("b", "new"));
  return { ...world, to };
}

async function backtrack(session: Session, to: number, files: "keep" | "restore") {
  await session.reply({ model: "m", parts: reply("", "back") });
  const answer = await session.requestBacktrack("back", { to, note: "dead end", files });
  return answer.status === "filed" ? session.endStep() : answer;
}

const NO_ROOM = {
  why: "The files could not be restored. There is no room.",
  reason: "backtrack-files-not-restored",
  params: { problem: { reason: "stated", params: { code: "STORE_FULL", message: "There is no room." } } },
};

describe("a backtrack with files", () => {
  it("takes the files back with the agent, and redo brings both back", async () => {
    const { session, files, to } = await twoSteps();
    const before = files.told;
    const end = await backtrack(session, to, "restore");
    expect(end).toMatchObject({ status: "carried-out", to, files: { restored: 1, removed: 1, kept: 0 } });
    expect(files.told).toEqual({ a: "one" });
    expect(await lastOf(session, "backtrack")).toMatchObject({
      files: "restore",
      leftAuthor: "timeline",
      changed: [],
    });
    expect((await says(session)).at(-1)).toContain("The files were taken back to that checkpoint as well.");
    expect(session.outline.linesOf("notice")).toEqual([]);
    await session.redo();
    expect(files.told).toEqual(before);
  });

  it("names what it could not take back", async () => {
    const { session, files, to } = await twoSteps();
    await session.capture({ checkpoint: to + 1, author: "timeline" });
    files.write("b", "by hand");
    await promptWith(session, "I changed b");
    await session.step();
    await backtrack(session, to, "restore");
    expect(files.told).toEqual({ a: "one", b: "by hand" });
    expect(await lastOf(session, "backtrack")).toMatchObject({ changed: ["b"] });
  });

  it("reports a file that changed at the last moment", async () => {
    const { session, files, to } = await twoSteps();
    files.onJournal = async () => files.write("a", "by hand, just now");
    expect(await backtrack(session, to, "restore")).toMatchObject({
      files: { restored: 0, removed: 1, kept: 1 },
    });
    expect((await lastOf(session, "notice"))?.text).toMatch(/^Not all files could be restored\..*- "a"$/su);
  });

  it("that keeps the files says which have changed since", async () => {
    const { session, files, to } = await twoSteps();
    const before = files.told;
    expect(await backtrack(session, to, "keep")).toMatchObject({ status: "carried-out" });
    expect(files.told).toEqual(before);
    const entry = await lastOf(session, "backtrack");
    expect(entry).toMatchObject({ changed: ["a", "b"], leftAuthor: "timeline" });
    expect(await files.has(entry?.left as NonNullable<typeof entry>["left"] & string)).toBe(true);
  });

  it.each(["keep", "restore"] as const)(
    "says that git has moved on, and did not go back (%s)",
    async (how) => {
      const { session, files } = await beginWithFiles();
      files.gitHead = "main 1";
      files.write("a", "one");
      await promptWith(session, "go");
      const to = await stepThat(session, () => files.write("a", "two"));
      files.gitHead = "topic 2";
      await stepThat(session, () => files.write("b", "new"));
      await backtrack(session, to, how);
      expect((await lastOf(session, "notice"))?.text).toBe(
        'Git had "main 1" checked out at this point, and has "topic 2" checked out now. The git checkout was not changed.',
      );
      expect((await says(session)).at(-1)).toContain("The git checkout was not changed.");
    },
  );

  it("is refused where the checkpoint has no files, in words that help", async () => {
    const { session } = await twoSteps();
    const to = await session.step();
    expect(await backtrack(session, to, "restore")).toMatchObject({
      status: "refused",
      message: `Checkpoint ${to} has no files to restore. Go back with files: "keep", and undo the changes yourself.`,
    });
  });

  it("is dropped where the workspace cannot be captured, and nothing changes", async () => {
    const { session, files, to } = await twoSteps();
    const before = files.told;
    await session.reply({ model: "m", parts: reply("", "back") });
    await session.requestBacktrack("back", { to, note: "dead end", files: "restore" });
    files.failing = new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    expect(await session.endStep()).toEqual({
      status: "dropped",
      ...NO_ROOM,
    });
    expect(files.told).toEqual(before);
    expect(session.outline.linesOf("backtrack")).toEqual([]);
  });

  it("that is stopped at the last moment says so to the agent, which believed that it would go back", async () => {
    const { session, files, to } = await twoSteps();
    const before = files.told;
    files.onJournal = async () => void (await session.append({ kind: "notice", text: "meanwhile" }));
    const why = "The session changed while its files were being checked.";
    expect(await backtrack(session, to, "restore")).toEqual({
      status: "dropped",
      why,
      reason: "session-went-on",
      params: {},
    });
    expect(files.told).toEqual(before);
    expect(session.outline.linesOf("backtrack")).toEqual([]);
    expect((await says(session)).at(-1)).toContain(
      `The backtrack to checkpoint ${to} was not carried out:\n> ${why}`,
    );
  });

  it("that the log could not take yet is not reported as dropped", async () => {
    const { deps, session, files, to } = await twoSteps();
    files.onJournal = async () => {
      deps.failing = { times: 8, code: "STORE_FULL" };
    };
    expect(await refusal(backtrack(session, to, "restore"))).toContain("STORE_FULL");
    deps.failing.times = 0;
    await session.flush();
    expect(await lastOf(session, "restored")).toMatchObject({ restored: 0 });
    expect(session.outline.linesOf("notice")).toEqual([]);
  });

  it.each(["keep", "restore"] as const)("keeps what it left only when it is made (%s)", async (how) => {
    const { session, files, to } = await twoSteps();
    const lefts = () =>
      files.kept.filter(({ keptFor }) => "journey" in keptFor && keptFor.journey === "left");
    const { capture } = files;
    files.capture = async (request) => {
      await session.endTurn();
      return capture.call(files, request);
    };
    expect(await backtrack(session, to, how)).toMatchObject({ status: "dropped" });
    expect(lefts()).toEqual([]);
    files.capture = capture;
    await session.step();
    await backtrack(session, to, how);
    expect(lefts().map(({ snapshot }) => snapshot)).toEqual([(await lastOf(session, "backtrack"))?.left]);
  });

  it("that cannot keep what it leaves is dropped before the agent learns that it goes back", async () => {
    const { session, files, to } = await twoSteps();
    files.keep = async () => {
      throw new WorldlineError("stated", { code: "STORE_FULL", message: "There is no room." });
    };
    expect(await backtrack(session, to, "restore")).toEqual({ status: "dropped", ...NO_ROOM });
    expect(await lastOf(session, "tool-end")).toMatchObject({ outcome: "error" });
  });
});
