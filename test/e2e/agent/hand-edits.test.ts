import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { agentMachine } from "./support.ts";

const COMMAND = "touch ready; until [ -e go ]; do sleep 0.05; done; echo tool > tool.txt";
const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
const edit: ScriptedReply = {
  calls: [{ name: "Write", input: { file_path: "made.txt", content: "made\n" } }],
};

/**
 * A turn that writes a file and runs a command, during which two files are edited by hand, one of them with
 * vim.
 */
async function editedMeanwhile() {
  const here = await agentMachine(scripted(edit, bash(COMMAND), { text: "Done." }), {
    files: { "notes.txt": "one\n", "draft.txt": "one\n" },
  });
  const turn = here.ask("go");
  while (here.read("ready") === undefined) await delay(20);
  here.write("notes.txt", "one\nmine\n");
  here.write(".draft.txt.swp", "vim");
  here.write("draft.txt", "one\ndraft\n");
  here.write("go", "");
  expect(await turn).toMatchObject({ code: 0, outcome: "done" });
  return here;
}

describe("a rewind over a command while which files were edited by hand", () => {
  it("lists both groups before it does anything, with the diff, and why the rest is kept", async () => {
    const here = await editedMeanwhile();
    const { stdout } = await here.worldline(["rewind", "1", "--scope", "files", "--dry-run"]);
    const named = `\`${COMMAND.slice(0, 40)}…\``;
    expect(stdout).toContain(
      `Files changed while ${named} ran will also be reverted, but may contain your own edits:`,
    );
    expect(stdout).toContain("  notes.txt\n    @@ -1,1 +1,2 @@\n     one\n    +mine\n");
    expect(stdout).toContain(
      `kept  draft.txt  (treated as your edit, because an editor has it open (.draft.txt.swp); changed while ${named} ran)`,
    );
    const { files } = await here.data("rewind", "1", "--scope", "files", "--dry-run");
    expect(files.steps.map(({ path, group }: { path: string; group: string }) => [path, group])).toEqual([
      ["go", "during"],
      ["made.txt", "tools"],
      ["notes.txt", "during"],
      ["ready", "during"],
      ["tool.txt", "during"],
    ]);
    expect(files.kept).toMatchObject([
      { path: ".draft.txt.swp", why: "outside", sign: { sign: "editor-file" } },
      { path: "draft.txt", why: "outside", sign: { sign: "swap-file", file: ".draft.txt.swp" } },
    ]);
    const during = files.during.find(({ path }: { path: string }) => path === "notes.txt");
    expect(during).toMatchObject({ calls: [{ about: COMMAND }], fate: "restored" });
    expect(during.diff).toContain("+mine");
  });

  it("follows the same rule with --yes, and takes the rest with --take", async () => {
    const here = await editedMeanwhile();
    await here.data("rewind", "1", "--scope", "files", "--yes");
    expect(["notes.txt", "draft.txt", ".draft.txt.swp", "tool.txt", "made.txt"].map(here.read)).toEqual([
      ...["one\n", "one\ndraft\n", "vim", undefined, undefined],
    ]);
    await here.data("redo", "--yes");
    expect(["notes.txt", "draft.txt"].map(here.read)).toEqual(["one\nmine\n", "one\ndraft\n"]);
    await here.data("rewind", "1", "--scope", "files", "--yes", "--take");
    expect(["notes.txt", "draft.txt"].map(here.read)).toEqual(["one\n", "one\n"]);
  });
});
