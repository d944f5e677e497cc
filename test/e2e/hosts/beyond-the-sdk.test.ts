import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import type { Scene } from "../terminal/support/scene.ts";
import { claudeScene, goTo, openList, prompts, redo } from "./support/claude-scene.ts";

const SHELL = "Make utils.ts with the shell, and tidy up";
const DELEGATE = "Let a sub-agent extend utils.ts";
const TASK = "Append multiply to utils.ts and note it";
const ADD = "export const add = 1;\n";
const MULTIPLY = "export const multiply = 2;\n";
const FILES = {
  "README.md": "# A place\n",
  ".gitignore": ".env\n",
  ".env": "TOKEN=old\n",
  "old/deep/plan.md": "The old plan.\n",
  "old/list.md": "- one\n",
};

function looks(scene: Scene): Readonly<Record<string, unknown>> {
  const paths = [...Object.keys(FILES), "utils.ts", "notes/multiply.md"];
  const files = paths.flatMap((path) => {
    const text = scene.read(path);
    return text === undefined ? [] : [[path, text]];
  });
  const folders = ["old", "old/deep", "notes"].filter((path) => existsSync(join(scene.workspace, path)));
  return { ...Object.fromEntries(files), folders };
}

describeWithClaude("what commands and sub-agents of Claude's did", () => {
  it("goes back and forth with its prompt: files, folders, and what git does not see", async () => {
    const command = `printf '${ADD.trim()}\\n' > utils.ts; rm -r old; echo TOKEN=new > .env`;
    const scene = await claudeScene({
      files: FILES,
      script: byPrompt({
        [SHELL]: [calls("Bash", { command, description: "Make it" }), { text: "Tidy." }],
        [DELEGATE]: [
          calls("Agent", { description: "Extend it", prompt: TASK, subagent_type: "general-purpose" }),
          { text: "It was extended." },
        ],
        [TASK]: [
          calls("Read", { file_path: "utils.ts" }),
          calls("Write", { file_path: "utils.ts", content: ADD + MULTIPLY }),
          calls("Bash", {
            command: "mkdir notes; echo done > notes/multiply.md; rm .env",
            description: "Note",
          }),
          { text: "Appended." },
        ],
      }),
    });
    const before = looks(scene);
    const terminal = await scene.openWith("--host", "claude");
    await prompts(terminal, SHELL, "Tidy.");
    const tidy = looks(scene);
    expect(tidy).toEqual({
      "README.md": FILES["README.md"],
      ".gitignore": ".env\n",
      ".env": "TOKEN=new\n",
      "utils.ts": ADD,
      folders: [],
    });
    await prompts(terminal, DELEGATE, "It was extended.");
    const extended = looks(scene);
    expect(extended).toEqual({
      "README.md": FILES["README.md"],
      ".gitignore": ".env\n",
      "utils.ts": ADD + MULTIPLY,
      "notes/multiply.md": "done\n",
      folders: ["notes"],
    });

    await openList(terminal);
    await goTo(terminal, 1, { number: 4, prompt: DELEGATE });
    expect(looks(scene)).toEqual(tidy);
    await openList(terminal);
    await goTo(terminal, 2, { number: 1, prompt: SHELL });
    expect(looks(scene)).toEqual(before);
    await redo(terminal);
    expect(looks(scene)).toEqual(tidy);
    await redo(terminal);
    expect(looks(scene)).toEqual(extended);
    await scene.leave(terminal);
  });
});
