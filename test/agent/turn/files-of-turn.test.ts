import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOfTurn } from "../../../src/agent/turn/files/changed-files.ts";
import type { ChangedFile } from "../../../src/ports/agent-events.ts";
import type { EntryId } from "../../../src/record/ids.ts";
import { type ScriptedReply, scripted } from "../../../src/testing/model-server/script.ts";
import { type Rehearsal, rehearse } from "../recovery/rehearsal.ts";

const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });

function toldIn({ events }: Rehearsal): readonly (readonly ChangedFile[])[] {
  return events.flatMap((event) => (event.type === "files" ? [event.files] : []));
}

async function knownIn({ session, files }: Rehearsal): Promise<readonly unknown[]> {
  const known: unknown[] = [];
  for (const { id } of await session.entriesOf("prompt")) {
    known.push((await filesOfTurn(session, files, id))?.files);
  }
  return known;
}

describe("the files that a turn changed", () => {
  it("are listed again as they were at its end, whatever came between turns", async () => {
    const rehearsal = await rehearse(
      scripted(bash("echo 1 > a.txt"), { text: "one" }, bash("echo 2 > b.txt; rm a.txt"), { text: "two" }),
    );
    const { agent, session, write } = rehearsal;
    await agent.prompt("first");
    write("mine.txt", "1\n");
    await session.checkpoint("mine");
    await agent.run("echo 3 > c.txt", "model");
    await agent.prompt("second");
    const created = (path: string): ChangedFile => ({ path, change: "created", added: 1, removed: 0 });
    const second = [{ path: "a.txt", change: "deleted", added: 0, removed: 1 }, created("b.txt")];
    expect(toldIn(rehearsal)).toEqual([[created("a.txt")], [created("c.txt")], second]);
    expect(await knownIn(rehearsal)).toEqual([[created("a.txt")], second]);
  });

  it("are also listed for a turn on an abandoned branch", async () => {
    const back = { calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "Start over." } }] };
    const rehearsal = await rehearse(
      scripted({ text: "one" }, bash("echo 2 > two.txt"), { text: "two" }, back, { text: "three" }),
    );
    for (const words of ["first", "second", "third"]) await rehearsal.agent.prompt(words);
    expect((await rehearsal.session.entriesOf("backtrack")).length).toBe(1);
    const [, second] = await knownIn(rehearsal);
    expect(second).toEqual([{ path: "two.txt", change: "created", added: 1, removed: 0 }]);
  });

  it("include those of a user command, and are none if it changed nothing", async () => {
    const { agent, session, files, write } = await rehearse(scripted({ text: "one" }));
    write("a.txt", "1\n");
    await agent.run("rm a.txt; echo 2 > b.txt", "model");
    await agent.run("true", "user-only");
    write("mine.txt", "1\n");
    await session.checkpoint("mine");
    await agent.prompt("first");
    const known: unknown[] = [];
    for (const { id } of await session.entriesOf("tool-start")) {
      known.push((await filesOfTurn(session, files, id))?.files);
    }
    expect(known).toEqual([
      [
        { path: "a.txt", change: "deleted", added: 0, removed: 1 },
        { path: "b.txt", change: "created", added: 1, removed: 0 },
      ],
      [],
    ]);
  });

  it("are also those of a turn that was interrupted, and of the part of one that a rewind kept", async () => {
    const rehearsal = await rehearse(
      scripted(bash("echo 1 > a.txt"), bash("echo 2 > b.txt; echo said; sleep 60"), { text: "no" }),
    );
    const { agent, session } = rehearsal;
    agent.on((event) => {
      if (event.type === "output") void agent.interrupt();
    });
    await agent.prompt("first");
    const paths = async () =>
      (await knownIn(rehearsal)).map((files) => (files as ChangedFile[]).map(({ path }) => path));
    expect(await paths()).toEqual([["a.txt", "b.txt"]]);
    await session.rewind({ to: 3, scope: "both" });
    expect(await paths()).toEqual([["a.txt"]]);
  });

  it("are those of one turn alone where the agent went back to before its prompt", async () => {
    const back = (checkpoint_id: number): ScriptedReply => ({
      calls: [{ name: "Backtrack", input: { checkpoint_id, note: "known", files: "keep" } }],
    });
    const rehearsal = await rehearse(
      scripted(bash("echo 1 > a.txt"), { text: "one" }, back(3), back(3), bash("echo 2 > b.txt"), {
        text: "two",
      }),
    );
    const { agent, session, files } = rehearsal;
    await agent.prompt("first");
    await agent.prompt("second");
    const paths = async (id: EntryId | undefined) =>
      (await filesOfTurn(session, files, id as EntryId))?.files.map(({ path }) => path);
    const [first] = await session.entriesOf("prompt");
    const journeys = await session.entriesOf("backtrack");
    const said = journeys.findLast(({ prompts }) => prompts.length > 0);
    expect(toldIn(rehearsal).map((told) => told.map(({ path }) => path))).toEqual([["a.txt"], ["b.txt"]]);
    expect([await paths(first?.id), await paths(said?.id)]).toEqual([["a.txt"], ["b.txt"]]);
  });

  it("are not known if the prompt is on another branch, or its files are gone", async () => {
    const rehearsal = await rehearse(scripted(bash("echo 1 > a.txt"), { text: "one" }, { text: "two" }));
    const { agent, session, files } = rehearsal;
    await agent.prompt("first");
    await session.rewind({ to: 1, scope: "conversation" });
    await agent.prompt("second");
    expect(await knownIn(rehearsal)).toEqual([undefined, []]);
    expect(await filesOfTurn(session, files, "000000000000" as EntryId)).toBeUndefined();
    const [, second] = await session.entriesOf("prompt");
    expect(await filesOfTurn(session, undefined, second?.id as EntryId)).toBeUndefined();
  });

  it("are those outside the workspace too", async () => {
    const rehearsal = await rehearse((_, index) =>
      index === 0
        ? { calls: [{ name: "Write", input: { file_path: outside, content: "1\n" } }] }
        : { text: "done" },
    );
    const outside = join(rehearsal.session.header.workspace, "..", "outside.txt");
    await rehearsal.agent.prompt("first");
    rmSync(outside, { force: true });
    expect(await knownIn(rehearsal)).toEqual([[expect.objectContaining({ change: "created" })]]);
    expect(await knownIn(rehearsal)).toEqual(toldIn(rehearsal));
  });
});
