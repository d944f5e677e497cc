import { describe, it } from "vitest";
import { writeLongSession } from "./support/long-session.ts";
import { storyOf } from "./support/story.ts";

describe("a session of 100,000 entries", () => {
  it("opens on its end, and reads what was earlier as one scrolls up", async () => {
    const scene = await storyOf();
    const terminal = scene.open({ arguments: ["-r", await writeLongSession(scene, 20_000)] });
    await terminal.waitFor(/› Question 20000\?.*Answer 20000\./su);
    // Scrolls past the first page that is loaded.
    for (let page = 1; page <= 40; page += 1) {
      const before = terminal.screen().join("\n");
      terminal.press("pageup");
      await terminal.waitFor((lines) => lines.join("\n") !== before, `page ${page}`);
    }
    await terminal.waitFor(/› Question 198[0-4]\d\?/u);
    terminal.press("end");
    await terminal.waitFor("Answer 20000.");

    // The list shows all of its rows and takes keys while it still looks up the changes.
    terminal.type("/rewind");
    terminal.press("enter");
    await terminal.waitFor(/❯ +0 \(current\).* 1 ▸ #39999 .*Question 20000\?/su);
    terminal.press("end");
    await terminal.waitFor(/❯ 20000 ▸ #1 .*Question 1\?/u);
    terminal.press("escape");
    terminal.type("/tree");
    terminal.press("enter");
    await terminal.waitFor(/Question 20000\?/u);
    terminal.press("home");
    await terminal.waitFor(/Question 1\?/u);
    terminal.press("escape");
    terminal.type("/undo");
    terminal.press("enter");
    await terminal.waitFor(/Question 20000\?/u);
  });
});
