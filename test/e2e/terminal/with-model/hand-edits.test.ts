import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { answer, goneFrom, opened, say } from "../support/person.ts";
import { byPrompt, calls } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

describe("hand edits in the terminal", () => {
  it("made while a question is open are not counted as the agent's, and /undo leaves them alone", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Run it": [calls("Bash", { command: "echo tool > tool.txt" }), { text: "It ran." }],
      }),
    });
    await opened(terminal);
    say(terminal, "Run it");
    await terminal.waitFor("Allow Bash?");
    writeFileSync(join(scene.workspace, "mine.txt"), "by hand\n");
    await delay(300);
    await answer(terminal, "1");
    await terminal.waitFor("It ran.");
    const screen = await terminal.waitFor("tool.txt new +1");
    expect(screen.join("\n")).not.toContain("mine.txt");
    say(terminal, "/undo");
    await terminal.waitFor("Enter apply");
    await terminal.waitFor("1 kept");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint");
    expect([scene.read("tool.txt"), scene.read("mine.txt")]).toEqual([undefined, "by hand\n"]);
  });

  it("made while a command runs are shown with their diff, and kept if the user says so", async () => {
    const command = "until [ -e go ]; do sleep 0.1; done; echo tool > tool.txt";
    const { terminal, scene } = await openWorldline({
      files: { "notes.txt": "one\n", "draft.txt": "one\n" },
      script: byPrompt({ "Run it": [calls("Bash", { command }), { text: "It ran." }] }),
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "Run it");
    await terminal.waitFor("Allow Bash?");
    await answer(terminal, "1");
    await goneFrom(terminal, "Allow Bash?");
    await delay(500);
    writeFileSync(join(scene.workspace, "notes.txt"), "one\nmine\n");
    writeFileSync(join(scene.workspace, ".draft.txt.swp"), "vim");
    writeFileSync(join(scene.workspace, "draft.txt"), "one\ndraft\n");
    writeFileSync(join(scene.workspace, "go"), "");
    await terminal.waitFor("It ran.");
    say(terminal, "/undo");
    await terminal.waitFor("Enter apply");
    const shown = (await terminal.waitFor("+mine")).join("\n");
    expect(shown).toContain("Changed while `until [ -e go ]");
    expect(shown).toMatch(/draft\.txt .*conflict: keep yours/u);
    expect(shown).toContain("treated as your edit, because an editor has it open (.draft.txt.swp)");
    // The rows are the two kept files with their reasons, a heading, `go` with its diff, and notes.txt with
    // its diff.
    for (
      let row = 0;
      row < 12 && !/^❯ ~ notes\.txt/mu.test(screenOf(await terminal.waitFor("notes.txt")));
      row += 1
    ) {
      terminal.press("down");
      await delay(100);
    }
    terminal.type("k");
    await terminal.waitFor("kept, as you chose");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint");
    expect([scene.read("notes.txt"), scene.read("draft.txt")]).toEqual(["one\nmine\n", "one\ndraft\n"]);
    expect([scene.read("go"), scene.read("tool.txt")]).toEqual([undefined, undefined]);
  });
});

function screenOf(lines: readonly string[]): string {
  return lines.join("\n");
}
