import { describe, expect, it } from "vitest";
import { expectScreen } from "./support/golden.ts";
import { answer, goneFrom, say } from "./support/person.ts";
import { byPrompt, calls, goesBack } from "./support/replies.ts";
import { SHOP } from "./support/scene.ts";
import { openWorldline } from "./support/story.ts";

const FILES = { ...SHOP, "server.log": "info GET /cart 200\n".repeat(500) };

const script = () =>
  byPrompt({
    "Fix it": [
      calls("Read", { file_path: "src/cart.js" }),
      calls("Edit", {
        file_path: "src/cart.js",
        old_string: "amount * percent;",
        new_string: "(amount * percent) / 100;",
      }),
      { text: "Fixed." },
    ],
    Look: [
      calls("Read", { file_path: "server.log" }),
      goesBack("The log is all about carts; there is nothing else in it."),
      { text: "Seen." },
    ],
  });

describe.each([40, 160])("a session in %i columns", (columns) => {
  it("asks, goes back and shows the agent's own going back", async () => {
    const { terminal, scene } = await openWorldline({ columns, files: FILES, script: script() });
    const golden = async (name: string): Promise<void> => expectScreen(terminal, `sizes/${name}.${columns}`);
    await terminal.waitFor("0% context");
    say(terminal, "Fix it");
    await terminal.waitFor("Allow Edit?");
    await golden("permission");
    await answer(terminal, "1");
    await terminal.waitFor("1 file changed");
    terminal.press("escape", "escape");
    await terminal.waitFor("Rewind to:");
    await golden("checkpoints");
    terminal.press("down", "enter");
    await terminal.waitFor("Files and conversation");
    terminal.type("1");
    await terminal.waitFor("Files: 0 created, 1 changed");
    await golden("preview");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint: #1");
    expect(scene.read("src/cart.js")).toBe(SHOP["src/cart.js"]);
    terminal.press("escape", "escape");
    await goneFrom(terminal, "─\n› Fix it");
    say(terminal, "Look");
    await terminal.waitFor("Seen.");
    await golden("backtracked");
  });
});
