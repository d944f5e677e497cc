import { describe, expect, it } from "vitest";
import { tomorrow, withAgent } from "./agent-scene.ts";
import { looksOf } from "./looks.ts";
import { scene } from "./scene.ts";

describe("a redo after new work", () => {
  it("finds nothing and removes nothing; by name it shows what it leaves, asks, and can be undone", async () => {
    const { sh, workspace, checkpoint, rewind, redo, worldline, json } = scene();
    sh("printf one > file");
    await checkpoint();
    sh("printf two > file");
    const left = looksOf(workspace);
    const { journey } = await rewind(1);
    sh("printf a > new-1");
    await checkpoint();
    sh("printf b > new-2");
    await checkpoint();
    const newer = looksOf(workspace);

    const refused = await worldline(["redo"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/error: Nothing to redo\.\n *hint: .*worldline redo --list/u);
    expect(looksOf(workspace)).toEqual(newer);

    // There is no terminal to ask on, so the redo needs --yes.
    const asked = await worldline(["redo", journey, "--take"]);
    expect(asked).toMatchObject({ code: 42, stdout: "" });
    expect(asked.stderr).toMatch(/^ {2}delete +new-2\b/mu);
    expect(asked.stderr).toContain("Undo the rewind to #1? This leaves #3 behind.");
    expect(asked.stderr).toContain("--yes");
    expect(looksOf(workspace)).toEqual(newer);

    const preview = await json(["redo", journey, "--dry-run"]);
    expect(preview).toMatchObject({ changed: false, undone: journey, newer: { checkpoint: 3 } });
    expect(looksOf(workspace)).toEqual(newer);

    const { journey: redone } = await redo(journey, "--take", "--yes");
    expect(looksOf(workspace)).toEqual(left);
    await redo(redone, "--yes");
    expect(looksOf(workspace)).toEqual(newer);
  });

  it("walks forward one by one where nothing lies between, and then finds nothing", async () => {
    const { sh, workspace, checkpoint, rewind, redo, worldline } = scene();
    const states = ["one", "two", "three"];
    for (const text of states) {
      sh(`printf ${text} > file`);
      await checkpoint();
    }
    await rewind(2);
    await rewind(1);
    expect(sh("cat file")).toBe("one");
    await redo();
    expect(sh("cat file")).toBe("two");
    await redo();
    expect(sh("cat file")).toBe("three");
    const before = looksOf(workspace);
    expect(await worldline(["redo"])).toMatchObject({ code: 1 });
    expect(looksOf(workspace)).toEqual(before);
  });

  it("keeps what was edited by hand between the undo and the redo", async () => {
    const { sh, checkpoint, rewind, redo } = scene();
    sh("printf one > file; printf one > other");
    await checkpoint();
    sh("printf two > file; printf two > other");
    await rewind(1);
    sh("printf 'by hand' > file; printf 'by hand' > own");
    const { files } = await redo();
    expect(sh("cat file own other")).toBe("by handby handtwo");
    expect(files.outcome).toMatchObject({ restored: 1, kept: 2, failed: 0 });
  });

  it("of an agent's backtrack does not undo the work of the prompts after it, also after a restart", async () => {
    await withAgent(async (today) => {
      await today.prompt("find it");
      const to = await today.step("printf dead-end > dead-end");
      await today.session.requestBacktrack("call", { to, note: "not there", files: "restore" });
      expect(await today.session.endStep()).toMatchObject({ status: "carried-out" });
      await today.step("printf right > right");
      await today.prompt("and more");
      await today.step("printf more > more");
      await tomorrow(today, async ({ session, sh }) => {
        await expect(session.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
        expect(sh("cat right more")).toBe("rightmore");
        const to = (await session.prompt("third")).checkpoint;
        await session.capture({ checkpoint: to, author: "outside" });
        await session.rewind({ to, scope: "both" });
        await session.redo();
        await expect(session.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
        expect(sh("cat right more")).toBe("rightmore");
        const [backtrack] = await session.journeys();
        if (backtrack === undefined) throw new Error("there is no journey");
        await session.redo(backtrack.entry.id);
        expect(sh("cat dead-end; ls")).toBe("dead-enddead-end\n");
      });
    });
  });
});
