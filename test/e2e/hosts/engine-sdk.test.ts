import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import type { Pty } from "../terminal/support/pty.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene, openList, prompts, redo } from "./support/claude-scene.ts";

const BOTH = "Write one with the tool, one with the shell";
const BEFORE = "# As it was\n";
const AFTER = "# By the tool\n";
const LIMITS = [
  "Restored from the Claude Agent SDK's own checkpoints (snapshots.engine):",
  "outside edits to these files are overwritten",
  "changes made by commands stay, except in files that the agent's editing tools also wrote",
  "changes made by sub-agents stay",
  "folders stay",
];

/** Opens the file preview of the newest prompt. */
async function previewFiles(terminal: Pty): Promise<readonly string[]> {
  await openList(terminal);
  terminal.type("1");
  await terminal.waitFor("Files only");
  terminal.type("3");
  return terminal.waitFor("↑↓ scroll");
}

describeWithClaude("going back with snapshots.engine sdk", () => {
  it("goes by rewindFiles, shows its limits and what stays, and says what is wrong where its data is gone", async () => {
    const scene = await claudeScene({
      environment: { WORLDLINE_SNAPSHOTS_ENGINE: "sdk" },
      files: { "README.md": BEFORE },
      script: byPrompt({
        [BOTH]: [
          calls("Write", { file_path: "README.md", content: AFTER }),
          calls("Bash", { command: "echo by the shell > shell.txt", description: "Write" }),
          { text: "Both are there." },
        ],
      }),
    });
    const files = (): unknown => [scene.read("README.md"), scene.read("shell.txt")];
    const terminal = await scene.openWith("--host", "claude");
    await prompts(terminal, BOTH, "Both are there.");
    const dry = await scene.run("rewind", "1", "--dry-run");
    expect(dry.code).toBe(0);
    expect(dry.stdout.split("\n").map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        ...LIMITS,
        "change  README.md  +1 -1",
        expect.stringMatching(/^kept {2}shell\.txt {2}\(not in the agent's own file checkpoints/u),
        "Nothing was changed: this was a dry run.",
      ]),
    );

    const preview = (await previewFiles(terminal)).map((line) => line.replace(/^- /u, ""));
    expect(preview).toEqual(
      expect.arrayContaining([
        ...LIMITS,
        expect.stringMatching(/^❯ ~ README\.md +changed \+1 -1$/u),
        expect.stringMatching(/^ {2}= shell\.txt kept: not in the agent's own file checkpoints/u),
      ]),
    );
    terminal.press("enter");
    await terminal.waitFor(
      /Restored to checkpoint: #1 .* · files: 1 restored, 1 kept\s+· shell\.txt: kept, /su,
    );
    expect(files()).toEqual([BEFORE, "by the shell\n"]);
    await redo(terminal);
    expect(files()).toEqual([AFTER, "by the shell\n"]);

    rmSync(join(scene.config, "file-history"), { recursive: true });
    await previewFiles(terminal);
    terminal.press("enter");
    await terminal.waitFor(`Restore failed: #1 ${BOTH} · files: 1 kept, 1 failed`);
    await terminal.waitFor(/could not restore any files:\s+its\s+backup\s+data\s+is\s+missing/u);
    await terminal.waitFor(/Worldline\s+has\s+its\s+own\s+snapshot\s+for\s+checkpoint\s+1/u);
    expect(files()).toEqual([AFTER, "by the shell\n"]);
    await scene.leave(terminal);
    expect(await scene.run("rewind", "1", "--yes", "--scope", "files")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Restore failed: #1 .*its backup data is missing/su),
    });
    const own = await scene.run("rewind", "1", "--yes", "--setting", "snapshots.engine=worldline");
    expect(own.code).toBe(0);
    expect(files()).toEqual([BEFORE, undefined]);
  });
});
