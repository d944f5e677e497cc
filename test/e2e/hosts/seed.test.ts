import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import {
  claudeScene,
  goTo,
  lastHeard,
  openList,
  prompts,
  published,
  redo,
  rowsOf,
} from "./support/claude-scene.ts";

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
        [RENAME]: [{ text: "Plus and minus." }, { text: "Plus and minus again." }],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    await terminal.waitFor(/^\S+ · host claude · auto · /mu);
    await prompts(terminal, CREATE, "Two functions.");
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    expect(published(scene).map(({ description }) => description)).toEqual([CREATE]);
    await prompts(terminal, EXTEND, "Four functions.");
    expect(scene.read("utils.ts")).toBe(SIMPLE + MORE);

    expect(rowsOf(await openList(terminal))).toEqual([
      "❯ 0 (current)",
      `1 ▸ #4 ${EXTEND} 1 file since`,
      `2 ▸ #1 ${CREATE} 1 file since`,
    ]);
    await goTo(terminal, 1, { number: 4, prompt: EXTEND });
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    expect(rowsOf(await openList(terminal))).toEqual([
      "❯ 0 (current)",
      `1 ▸ #4 ${EXTEND} no changes`,
      `2 ▸ #1 ${CREATE} 1 file since`,
    ]);
    await goTo(terminal, 2, { number: 1, prompt: CREATE });
    expect(scene.read("utils.ts")).toBeUndefined();
    await redo(terminal);
    expect(scene.read("utils.ts")).toBe(SIMPLE);
    await prompts(terminal, RENAME, "Plus and minus.");
    const kept = [`> ${CREATE}`, "Write()", expect.stringMatching(/^= File created/u), "< Two functions."];
    expect(lastHeard(scene)).toEqual([
      ...kept,
      "[The user rewound files to checkpoint 4.]",
      "[The user undid an earlier rewind or backtrack, which also changed files.]",
      `> ${RENAME}`,
    ]);
    expect(published(scene).map(({ description }) => description)).toEqual([RENAME, EXTEND, CREATE]);
    await scene.leave(terminal);

    const again = await scene.openWith("-c");
    await again.waitFor(/ · host claude · auto · /mu);
    expect(rowsOf(await openList(again))).toEqual([
      "❯ 0 (current)",
      `1 ▸ #8 ${RENAME} no changes`,
      `2 ▸ #4 ${EXTEND} no changes`,
      `3 ▸ #1 ${CREATE} 1 file since`,
    ]);
    await goTo(again, 3, { number: 1, prompt: CREATE });
    expect(scene.read("utils.ts")).toBeUndefined();
    await prompts(again, RENAME, "Plus and minus again.");
    expect(lastHeard(scene)).toEqual(["[The user rewound files to checkpoint 1.]", `> ${RENAME}`]);
    await scene.leave(again, "ctrl+d");
  });
});
