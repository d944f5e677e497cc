import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isLiving } from "../../living.ts";
import { comparable } from "./support/golden.ts";
import { storyOf } from "./support/story.ts";
import { UNTOUCHED } from "./support/terminal-modes.ts";
import { describeInTmux, openInTmux } from "./support/tmux.ts";

const standIn = fileURLToPath(new URL("./support/stand-in.mjs", import.meta.url));
const program = [process.execPath, standIn] as const;
const opened = async () => storyOf({ program: [...program] });

describe("a program in the pseudo-terminal of the tests", () => {
  it("shows the lines that are seen, wide characters in as many columns as they take", async () => {
    const terminal = (await opened()).open({ columns: 60, rows: 8 });
    await terminal.waitFor("60x8");
    expect(await terminal.settled()).toEqual([
      "Worldline stand-in",
      "session a1b2c3d4e5 since 12:34:56, 3.2s",
      "中文 and 👩‍👩‍👧 and 🇩🇪 and ❤️ end",
      'said: ""',
      "60x8",
      "",
      "",
      ">",
    ]);
    const columns = terminal.painted()[2]?.map(({ text, column }) => `${column}:${text}`);
    expect(columns).toEqual([
      "0:中",
      "2:文",
      "4: and",
      "9:👩‍👩‍👧",
      "11: and",
      "16:🇩🇪",
      "18: and",
      "23:❤️",
      "25: end",
    ]);
    expect(terminal.painted()[4]).toEqual([
      { text: "60x8", column: 0, columns: 4, style: { background: "#282a36", dim: "on" } },
    ]);
    expect(terminal.cursor()).toEqual({ row: 7, column: 2 });
  });

  it("receives keys, pastes and a new size", async () => {
    const terminal = (await opened()).open();
    await terminal.waitFor("80x24");
    terminal.type("hé");
    terminal.press("escape", "escape");
    await terminal.waitFor(String.raw`said: "hé\u001b\u001b"`);
    terminal.paste("two\nlines");
    await terminal.waitFor(String.raw`\u001b[200~two\nlines\u001b[201~`);
    terminal.resize(100, 30);
    await terminal.waitFor("100x30");
  });

  it("leaves a terminal as it found it, with only what it printed last", async () => {
    const terminal = (await opened()).open({ started: "shell" });
    await terminal.waitFor("80x24");
    expect(terminal.modes()).toEqual({
      ...UNTOUCHED,
      screen: "alternate",
      cursor: "hidden",
      bracketedPaste: "on",
      kittyKeyboard: 1,
    });
    terminal.press("ctrl+c");
    terminal.press("ctrl+c");
    expect(await terminal.exit()).toEqual({ code: 0, signal: 0 });
    expect(terminal.modes()).toEqual(UNTOUCHED);
    expect(terminal.scrollback().slice(0, 2)).toEqual([
      "worldline --resume a1b2c3d4e5",
      "back in the shell: 0",
    ]);
    expect(terminal.scrollback().join(" ")).toMatch(/ icanon .* echo /u);
  });

  it("speaks kitty's keyboard when the terminal does", async () => {
    const terminal = (await opened()).open({ keyboard: "kitty" });
    await terminal.waitFor("80x24");
    terminal.press("escape");
    await terminal.waitFor(String.raw`said: "\u001b[27u"`);
  });

  it("is ended with everything that it started", async () => {
    const scene = await storyOf({ program: ["sh", "-c", "setsid sleep 600 & echo pid $!; sleep 600"] });
    const terminal = scene.open();
    const [first = ""] = await terminal.waitFor(/pid \d+/u);
    await scene.close();
    expect([terminal.pid, Number(first.slice(4))].map(isLiving)).toEqual([false, false]);
  });

  it("fails with the whole screen when it ends before what was waited for", async () => {
    const scene = await storyOf({ program: ["sh", "-c", "echo something else; exit 3"] });
    await expect(scene.open().waitFor("the wanted")).rejects.toThrow(
      /it ended before the wanted; ended with \{"code":3,"signal":0\}.*\n│something else/u,
    );
  });

  it("is compared without what differs from run to run", async () => {
    const terminal = (await opened()).open({ columns: 60, rows: 8 });
    await terminal.waitFor("60x8");
    expect(comparable((await terminal.settled()).slice(0, 2))).toBe(
      "Worldline stand-in\nsession iiiiiiiiii since 00:00:00, 0s\n",
    );
  });
});

describeInTmux("a program in the tmux of the tests", () => {
  it("is seen and typed at through a client, and known to tmux", async () => {
    const { terminal, sendKeys, capture } = await openInTmux(await opened(), { columns: 70, rows: 20 });
    await terminal.waitFor("70x20");
    await sendKeys("Escape", "Escape");
    await terminal.waitFor(String.raw`said: "\u001b\u001b"`);
    terminal.type("中");
    await terminal.waitFor(String.raw`said: "\u001b\u001b中"`);
    expect(await capture()).toContain(String.raw`said: "\u001b\u001b中"`);
    terminal.resize(50, 12);
    await terminal.waitFor("50x12");
  });
});
