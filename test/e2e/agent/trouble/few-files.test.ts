import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { partOf } from "../../../support/part-of.ts";
import { machine } from "../../binary.ts";
import { agentMachine, refusedOf } from "../support.ts";

const FOLDERS = 250;
const FILES_EACH = 20;
const call = (name: string, input: Record<string, string>): ScriptedReply => ({ calls: [{ name, input }] });

describe("the program where it may have few files open", () => {
  it.each(partOf([64, 48], 2))(
    "works, captures and takes back 5,000 files with %i, and loses nothing",
    async (openFiles) => {
      const here = await agentMachine(
        scripted(
          call("Bash", { command: "echo more >> d1/e1/f/x1; rm -r d2; mkdir new; echo new > new/file" }),
          {
            calls: [
              { name: "Read", input: { file_path: "d1/e1/f/x1" } },
              { name: "Grep", input: { pattern: "more", path: "d1" } },
              { name: "Glob", input: { pattern: "**/x3" } },
              { name: "Write", input: { file_path: "by/write.txt", content: "written\n" } },
            ],
          },
          { text: "Done." },
          { text: "Gone on." },
        ),
        { openFiles },
      );
      for (let index = 0; index < FOLDERS; index += 1)
        for (let each = 0; each < FILES_EACH; each += 1)
          here.write(`d${index % 10}/e${index}/f/x${each}`, `one ${index} ${each}\n`);
      const answer = await here.ask("change much");
      expect(answer).toMatchObject({ code: 0, outcome: "done", answer: "Done.", error: null });
      expect(refusedOf(here)).toEqual([]);
      expect([here.read("by/write.txt"), here.read("d2/e2/f/x2")]).toEqual(["written\n", undefined]);
      const checked = await here.data("checkpoint", "after");
      expect(checked).toMatchObject({ files: { state: "complete" } });
      const back = await here.data("rewind", "1", "--scope", "files", "--yes");
      expect(back.files.outcome).toMatchObject({ kept: 0, notRestorable: 0, failed: 0 });
      expect([here.read("d2/e2/f/x2"), here.read("d1/e1/f/x1"), here.read("new/file")]).toEqual([
        "one 2 2\n",
        "one 1 1\n",
        undefined,
      ]);
      expect(await here.data("store", "gc")).toBeDefined();
      expect(await here.ask("go on", "-c")).toMatchObject({
        code: 0,
        answer: "Gone on.",
        session: answer.session,
      });
      expect((await here.data("sessions", "list")).sessions.length).toBeGreaterThan(0);
      expect(await here.worldline(["doctor"])).toMatchObject({ code: 0 });
    },
  );

  it("says what is wrong and what to do where they are too few, and touches nothing", async () => {
    const { worldline, workspace } = machine({}, { openFiles: 32 });
    writeFileSync(join(workspace, "file"), "");
    expect(await worldline(["checkpoint"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "error: This process can open at most 32 files, but Worldline needs at least 48.\nhint: Raise the limit and try again: ulimit -n 1024\n",
    });
    const asData = await worldline(["checkpoint", "--json"]);
    expect(JSON.parse(asData.stdout)).toMatchObject({ error: { code: "TOO_FEW_FILES" } });
    expect(await worldline(["--version"])).toMatchObject({ code: 0, stderr: "" });
  });
});
