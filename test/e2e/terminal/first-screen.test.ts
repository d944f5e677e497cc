import { describe, expect, it } from "vitest";
import { expectScreen } from "./support/golden.ts";
import { openWorldline, storyOf } from "./support/story.ts";
import { UNTOUCHED } from "./support/terminal-modes.ts";
import { describeInTmux, openInTmux } from "./support/tmux.ts";

/**
 * The fifth option of the first screen is drawn, in any language; before that, the session is still being
 * opened.
 */
const READY = /^ +5 +\S/mu;

describe("the terminal without a model", () => {
  it("says what was looked for and what works, and leaves the terminal as it was", async () => {
    const { terminal } = await openWorldline({ started: "shell" });
    await terminal.waitFor(READY);
    expect(terminal.modes()).toMatchObject({ screen: "alternate", bracketedPaste: "on" });
    await expectScreen(terminal, "first-screen");
    terminal.press("ctrl+c");
    terminal.press("ctrl+c");
    await terminal.exit();
    expect(terminal.modes()).toEqual(UNTOUCHED);
    const left = terminal.scrollback();
    const shell = left.indexOf("back in the shell: 0");
    // Nothing was said in the session, so there may be no resume command.
    expect(left.slice(0, shell).filter((line) => !line.includes("worldline"))).toEqual([]);
    expect(left.slice(shell).join(" ")).toMatch(/ icanon .* echo /u);
  });

  it("speaks Chinese where the system does", async () => {
    const { terminal } = await openWorldline({ language: "zh-CN" });
    await terminal.waitFor(READY);
    await expectScreen(terminal, "first-screen.zh-CN");
  });

  it.each([40, 160])("fits into %i columns", async (columns) => {
    const { terminal } = await openWorldline({ columns });
    await terminal.waitFor(READY);
    await expectScreen(terminal, `first-screen.${columns}`);
  });

  it("is redrawn in every size", async () => {
    const { terminal } = await openWorldline({ columns: 120, rows: 40 });
    await terminal.waitFor(READY);
    terminal.resize(80, 24);
    await terminal.waitFor(READY);
    await expectScreen(terminal, "first-screen");
  });
});

describeInTmux("the terminal in tmux", () => {
  it("looks as it does outside", async () => {
    const { terminal } = await openInTmux(await storyOf());
    await terminal.waitFor(READY);
    await expectScreen(terminal, "first-screen");
  });
});
