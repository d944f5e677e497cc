import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { say } from "../terminal/support/person.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene, goTo, openList, prompts } from "./support/claude-scene.ts";

const MAKE = "Make a file";
const script = () =>
  byPrompt({
    [MAKE]: [calls("Write", { file_path: "made.txt", content: "made\n" }), { text: "It is made." }],
  });

describeWithClaude("going back with Claude where something is missing", () => {
  it("is not enabled where the setting says so, of which the start warns when a variable contradicts it", async () => {
    const scene = await claudeScene({
      environment: { WORLDLINE_FILE_CHECKPOINTING: "0", CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" },
      script: script(),
    });
    const terminal = scene.open({ arguments: ["--host", "claude"] });
    await terminal.waitFor(
      /^! CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING is on, but enableFileCheckpointing is false\./mu,
    );
    await terminal.waitFor(/ · host claude · auto · .* · files off$/mu);
    say(terminal, MAKE);
    await terminal.waitFor("It is made.");
    await terminal.settled();
    terminal.press("escape", "escape");
    await terminal.waitFor("Rewind to:");
    terminal.type("1");
    const offered = await terminal.waitFor("Files cannot be restored: Checkpoint feature not enabled");
    expect(offered.filter((line) => /^❯? +\d\. /u.test(line) || line.startsWith("❯"))).toEqual([
      "❯ 1. Conversation only  Files stay as they are",
    ]);
    terminal.press("escape");
    await terminal.waitFor("Rewind to:");
    terminal.press("escape");
    await terminal.waitFor("Ask anything");
    await terminal.settled();
    await scene.leave(terminal);
    expect(await scene.run("rewind", "1", "--yes", "--scope", "files")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error: Checkpoint feature not enabled\nhint: Nothing was changed."),
    });
    expect(scene.read("made.txt")).toBe("made\n");
  });

  it("finds no checkpoints at first, and later needs no query that is at work", async () => {
    const scene = await claudeScene({ script: script() });
    const terminal = await scene.openWith("--host", "claude");
    terminal.press("escape", "escape");
    await terminal.waitFor("No checkpoints found.");
    await terminal.settled();
    await prompts(terminal, MAKE, "It is made.");
    await scene.leave(terminal);

    const again = await scene.openWith("-c");
    await openList(again);
    await goTo(again, 1, { number: 1, prompt: MAKE });
    expect(scene.read("made.txt")).toBeUndefined();
    await scene.leave(again);
    expect(scene.server?.requests).toHaveLength(2);
  });
});
