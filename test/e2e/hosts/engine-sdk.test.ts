import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { say } from "../terminal/support/person.ts";
import { claudeScene, goTo, openList, prompts } from "./support/claude-scene.ts";

const BOTH = "Write one with the tool, one with the shell";

describeWithClaude("snapshots.engine sdk in the terminal", () => {
  it("goes back by rewindFiles, shows its limits and what stays, and says what is wrong where its data is gone", async () => {
    const scene = await claudeScene({
      environment: { WORLDLINE_SNAPSHOTS_ENGINE: "sdk" },
      script: byPrompt({
        [BOTH]: [
          calls("Write", { file_path: "README.md", content: "by the tool\n" }),
          calls("Read", { file_path: "README.md" }),
          calls("Write", { file_path: "README.md", content: "by the tool\n" }),
          calls("Bash", { command: "echo by the shell > shell.txt", description: "Write" }),
          { text: "Both are there." },
        ],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    await prompts(terminal, BOTH, "Both are there.");
    expect(scene.read("README.md")).toBe("by the tool\n");
    const dry = await scene.run("rewind", "1", "--dry-run");
    console.log(dry);
    await openList(terminal);
    terminal.type("1");
    await terminal.waitFor("Files and conversation");
    terminal.type("3");
    await terminal.settled();
    console.log((await terminal.settled()).join("\n"));
    await new Promise((r) => setTimeout(r, 1500));
    console.log((await terminal.settled()).join("\n"));
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint:");
    console.log((await terminal.settled()).join("\n"));
    console.log(scene.read("README.md"), scene.read("shell.txt"));
    say(terminal, "/redo");
    await terminal.waitFor("Redo: forward to");
    console.log((await terminal.settled()).join("\n"));
    terminal.press("enter");
    await terminal.waitFor("Forward again to:");
    console.log((await terminal.settled()).join("\n"));
    console.log(scene.read("README.md"), scene.read("shell.txt"));
    rmSync(join(scene.config, "file-history"), { recursive: true });
    await openList(terminal);
    terminal.type("1");
    await terminal.waitFor("Files and conversation");
    terminal.type("3");
    await new Promise((r) => setTimeout(r, 2500));
    console.log((await terminal.settled()).join("\n"));
    terminal.press("enter");
    await new Promise((r) => setTimeout(r, 2500));
    console.log((await terminal.settled()).join("\n"));
    console.log(scene.read("README.md"), scene.read("shell.txt"));
    await scene.leave(terminal);
  });
});
