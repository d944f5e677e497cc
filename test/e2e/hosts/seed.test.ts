import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene, goTo, lastHeard, openList, prompts, published, redo } from "./support/claude-scene.ts";

const CREATE = "Create a file utils.ts with add and subtract functions";
const EXTEND = "Add multiply and divide functions to utils.ts";
const RENAME = "Call them plus and minus";
const SIMPLE =
  "export const add = (a: number, b: number) => a + b;\nexport const subtract = (a: number, b: number) => a - b;\n";
const MORE =
  "export const multiply = (a: number, b: number) => a * b;\nexport const divide = (a: number, b: number) => a / b;\n";
const LAST = "export const subtract = (a: number, b: number) => a - b;\n";

describeWithClaude("two prompts to Claude in the terminal", () => {
  it("are two checkpoints, back to which the file and the conversation go, also after a restart", async () => {
    const scene = await claudeScene({
      script: byPrompt({
        [CREATE]: [calls("Write", { file_path: "utils.ts", content: SIMPLE }), { text: "Two functions." }],
        [EXTEND]: [
          calls("Read", { file_path: "utils.ts" }),
          calls("Edit", { file_path: "utils.ts", old_string: LAST, new_string: LAST + MORE }),
          { text: "Four functions." },
        ],
        [RENAME]: [{ text: "Plus and minus." }],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    await terminal.waitFor(/^\S+ · host claude · auto · /mu);
    await prompts(terminal, CREATE, "Two functions.");
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    expect(published(scene).map(({ description }) => description)).toEqual([CREATE]);
    await prompts(terminal, EXTEND, "Four functions.");
    expect(scene.read("utils.ts")).toBe(SIMPLE + MORE);

    const list = await openList(terminal);
    console.log(list.join("\n"));
    await goTo(terminal, 1, "#4");
    console.log(terminal.screen().join("\n"));
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    await openList(terminal);
    console.log(terminal.screen().join("\n"));
    await goTo(terminal, 1, "#1");
    expect(scene.read("utils.ts")).toBeUndefined();
    await redo(terminal);
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    await prompts(terminal, RENAME, "Plus and minus.");
    console.log(lastHeard(scene));
    await scene.leave(terminal);
  });
});
