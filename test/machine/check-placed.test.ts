import { describe, expect, it } from "vitest";
import type { Draft } from "../../src/record/entry.ts";
import type { EntryId, SessionId } from "../../src/record/ids.ts";
import { begin, kinds, openSessionDeps, refusal, step } from "./deps.ts";

const nobody = "zzzzzzzzzzzz" as EntryId;

/** Entries that callers might pass in, each of which would corrupt the session. */
const spoilers: readonly (readonly [string, Draft, string])[] = [
  [
    "a second beginning",
    {
      kind: "session",
      version: 1,
      session: "abcdefghjk" as SessionId,
      workspace: "/",
      mode: "agent",
      system: "",
      tag: "t",
      backtrack: "on",
      numbersFrom: 0,
    },
    "only the session itself writes them",
  ],
  [
    "a file's beginning",
    { kind: "rotated", file: 99, session: "abcdefghjk" as SessionId, version: 1 },
    "only the session itself writes them",
  ],
  ["a label for nothing", { kind: "label", target: nobody, label: "x" }, "there is no entry"],
  [
    "a compaction from nowhere",
    {
      kind: "compaction",
      summary: "s",
      firstKept: nobody,
      pinned: [],
      reason: "asked",
      tokensBefore: 1,
      kept: 1,
    },
    "there is no entry",
  ],
  [
    "an entry that has a place",
    { kind: "title", title: "x", seq: 2, id: nobody } as unknown as Draft,
    "it already has a place in the log",
  ],
];

describe("what a program hands in", () => {
  it.each(spoilers)("is refused when it is %s, and the session continues", async (_what, draft, why) => {
    const session = await begin(openSessionDeps());
    await session.prompt("a");
    const before = await kinds(session);
    expect(await refusal(session.append(draft))).toContain(why);
    expect(await kinds(session)).toEqual(before);
    await session.prompt("b");
    await session.close();
  });

  it("is refused when it leaves the branch without a journey", async () => {
    const session = await begin(openSessionDeps());
    const { entry } = await session.prompt("a");
    await step(session, "done");
    const act = session.write([{ draft: { kind: "title", title: "x" }, parent: entry }]);
    expect(await refusal(act)).toContain("only a journey can follow");
  });
});
