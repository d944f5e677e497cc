import { describe, it } from "vitest";
import { writeLongSession } from "./support/long-session.ts";
import { storyOf } from "./support/story.ts";

describe("a session of 100,000 entries", () => {
  it("opens on its end, and reads what was earlier as one scrolls up", async () => {
    const scene = await storyOf();
    const terminal = scene.open({ arguments: ["-r", await writeLongSession(scene, 20_000)] });
    await terminal.waitFor(/› Question 20000\?.*Answer 20000\./su);
    // More than what is read at once.
    for (let page = 1; page <= 40; page += 1) {
      const before = terminal.screen().join("\n");
      terminal.press("pageup");
      await terminal.waitFor((lines) => lines.join("\n") !== before, `page ${page}`);
    }
    await terminal.waitFor(/› Question 198[0-4]\d\?/u);
    terminal.press("end");
    await terminal.waitFor("Answer 20000.");
  });
});
