import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene, goTo, openList, prompts } from "./support/claude-scene.ts";

const MAKE = "Make a file";
const script = () =>
  byPrompt({ [MAKE]: [calls("Write", { file_path: "made.txt", content: "made\n" }), { text: "It is made." }] });

describeWithClaude("going back with Claude where something is missing", () => {
  it("says that nothing is enabled where settings switch it off, and at the start what contradicts them", async () => {
    const scene = await claudeScene({
      environment: {
        WORLDLINE_FILE_CHECKPOINTING: "0",
        CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1",
      },
      script: script(),
    });
    const terminal = scene.open({ arguments: ["--host", "claude"] });
    await new Promise((r) => setTimeout(r, 2500));
    console.log((await terminal.settled()).join("\n"));
    terminal.type(MAKE);
    terminal.press("enter");
    await terminal.waitFor("It is made.");
    console.log((await terminal.settled()).join("\n"));
    await openList(terminal);
    terminal.type("1");
    await terminal.settled();
    console.log((await terminal.settled()).join("\n"));
    await scene.leave;
    terminal.press("escape");
    await terminal.settled();
    const rewound = await scene.run("rewind", "1", "--yes");
    console.log(rewound);
    terminal.press("escape");
    await terminal.settled();
    console.log(terminal.screen());
    console.log(await scene.run("rewind", "1", "--yes", "--scope", "files"));
  });

  it("has no checkpoints at first, and needs no query at work to go back", async () => {
    const scene = await claudeScene({ script: script() });
    const terminal = await scene.openWith("--host", "claude");
    terminal.press("escape", "escape");
    await terminal.settled();
    console.log((await terminal.settled()).join("\n"));
    await prompts(terminal, MAKE, "It is made.");
    await scene.leave(terminal);
    const again = await scene.openWith("-c");
    const requests = scene.server?.requests.length;
    await openList(again);
    await goTo(again, 1, `#1 ${MAKE}`);
    expect(scene.read("made.txt")).toBeUndefined();
    expect(scene.server?.requests.length).toBe(requests);
    console.log((await again.settled()).join("\n"));
    await scene.leave(again);
  });
});
