import { describe, expect, it } from "vitest";
import { opened, say } from "../support/person.ts";
import { byPrompt, calls, hold } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

const LINES = Array.from({ length: 5_000 }, (_, line) => `- Line ${line + 1} of the answer.`).join("\n");
/** A few times what the editor, the spinner and the status line need; redrawing a whole screen takes more. */
const FEW_LINES = 1_000;

describe("typing below 5,000 lines while the answer continues", () => {
  it("draws what is typed, and not the answer again", async () => {
    const { held, letGo } = hold();
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Say it all": [
          calls("Read", { file_path: "notes.txt" }, LINES),
          { text: "And so on, and on.", hold: held },
        ],
        "And this": [{ text: "Heard." }],
      }),
    });
    await opened(terminal);
    say(terminal, "Say it all");
    await terminal.waitFor(/Line 5000 of the answer\..*And so/su);
    await terminal.settled();
    let typed = "";
    for (const letter of "And this") {
      const before = terminal.bytes.length;
      typed += letter;
      terminal.type(letter);
      await terminal.waitFor(`› ${typed.trimEnd()}`);
      expect(terminal.bytes.length - before).toBeLessThan(FEW_LINES);
    }
    terminal.press("enter");
    await terminal.waitFor("queued: And this");
    letGo();
    await terminal.waitFor("Heard.");
    expect(scene.server?.requests).toHaveLength(3);
  });
});
