import { describe, expect, it } from "vitest";
import { comparable } from "../support/golden.ts";
import { answer, opened, say } from "../support/person.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, calls, hold } from "../support/replies.ts";
import { openWorldline, storyOf } from "../support/story.ts";

const TALE = [
  "# A tale",
  "",
  "It has **bold** words, `code`, and a paragraph that is long enough to be broken in every window that is not as wide as a wall.",
  "",
  ...Array.from({ length: 30 }, (_, line) => `- item ${line + 1}, 中文 and 👩‍👩‍👧`),
  "",
  "```js",
  "export const answer = 42; // whatever the question was, and however long this line of code may become in the end",
  "```",
  "",
  "The end.",
].join("\n");

/** The final screen of a window that went through these widths while the answer streamed. */
async function told(...widths: readonly number[]): Promise<string> {
  const { held, letGo } = hold();
  const [first = 80, ...rest] = widths;
  const { terminal, scene } = await openWorldline({
    script: byPrompt({ "Tell me a tale": [{ text: TALE, hold: held }] }),
    columns: first,
    rows: 30,
  });
  await terminal.waitFor("0% context");
  say(terminal, "Tell me a tale");
  await terminal.waitFor("A tale");
  for (const columns of rest) {
    terminal.resize(columns, 30);
    await terminal.settled();
  }
  letGo();
  await terminal.waitFor("The end.");
  await terminal.waitFor((lines) => !lines.join("\n").includes("Thinking"), "the end of the turn");
  const screen = comparable(await terminal.settled());
  await scene.close();
  return screen;
}

const ESCAPE = "\u001B";
const COLOUR = new RegExp(String.raw`${ESCAPE}\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[\d;]*m`, "u");
const fixing = () =>
  byPrompt({
    "Fix it": [
      calls("Read", { file_path: "notes.txt" }),
      calls(
        "Edit",
        { file_path: "notes.txt", old_string: "pears", new_string: "quinces" },
        "**Now** for `it`:",
      ),
      { text: "```js\nconst fixed = true;\n```\n\n- Fixed." },
    ],
  });

/** A session with a permission, a rewind and the tree. */
async function walk(terminal: Pty): Promise<void> {
  await opened(terminal);
  say(terminal, "Fix it");
  await terminal.waitFor("Allow Edit?");
  await answer(terminal, "1");
  await terminal.waitFor("Fixed.");
  await terminal.waitFor("1 file changed");
  terminal.press("escape", "escape");
  await terminal.waitFor("Rewind to:");
  terminal.press("down", "enter");
  await terminal.waitFor("Files and conversation");
  terminal.type("1");
  await terminal.waitFor("Enter apply");
  terminal.press("enter");
  await terminal.waitFor("Restored to checkpoint:");
  terminal.press("ctrl+c");
  say(terminal, "/tree");
  await terminal.waitFor("Session tree");
}

describe("what is drawn", () => {
  it("is the same after the window was narrow and wide in the middle of an answer", async () => {
    const [resized, wide] = [await told(160, 40, 160), await told(160)];
    expect(resized).toBe(wide);
  });

  it("is the same in a window that became narrow as in one that was", async () => {
    const [resized, narrow] = [await told(160, 40), await told(40)];
    expect(resized).toBe(narrow);
  });

  it("has no colors where NO_COLOR is set, and has them elsewhere", async () => {
    const scene = await storyOf({ script: fixing(), environment: { NO_COLOR: "1" } });
    const terminal = scene.open();
    await walk(terminal);
    expect(terminal.bytes).not.toMatch(COLOUR);
    const { terminal: coloured } = await openWorldline();
    await opened(coloured);
    expect(coloured.bytes).toMatch(COLOUR);
  });
});
