import { describe, expect, it } from "vitest";
import { languages } from "../../../src/strings/language.ts";
import { expectScreen } from "./support/golden.ts";
import { say } from "./support/person.ts";
import { playSession } from "./support/play-session.ts";
import { ANSWERS, wholeSession } from "./support/session-script.ts";
import { storyOf } from "./support/story.ts";
import { UNTOUCHED } from "./support/terminal-modes.ts";
import { describeInTmux, openInTmux } from "./support/tmux.ts";

describe("a whole session in the terminal", () => {
  it.each(languages)("goes there and back again and loses nothing (%s)", async (language) => {
    const scene = await storyOf({ language, files: wholeSession.files, script: wholeSession.script() });
    const terminal = scene.open({ started: "shell" });
    const pressEscape = async (times: 1 | 2): Promise<void> =>
      terminal.press(...Array.from({ length: times }, () => "escape"));
    await playSession({ scene, terminal, language, pressEscape });

    say(terminal, "/exit");
    await terminal.exit();
    expect(terminal.modes()).toEqual(UNTOUCHED);
    const [farewell = "", shell] = terminal.scrollback();
    expect(shell).toBe("back in the shell: 0");
    const [, command = ""] = /worldline (.*)/u.exec(farewell) ?? [];

    const resumed = scene.open({ arguments: command.split(" ") });
    await resumed.waitFor(ANSWERS.search);
    // The recap; its last line names the next step.
    await resumed.waitFor(/^(?:next|下一步) +\S/mu);
    await expectScreen(resumed, `session/resumed.${language}`);
  });
});

describeInTmux("a whole session in tmux", () => {
  it("looks as it does outside, and leaves the pane to the shell", async () => {
    const scene = await storyOf({ files: wholeSession.files, script: wholeSession.script() });
    const { terminal, sendKeys, capture } = await openInTmux(scene, { started: "shell" });
    const pressEscape = async (times: 1 | 2): Promise<void> =>
      sendKeys(...Array.from({ length: times }, () => "Escape"));
    await playSession({ scene, terminal, language: "en", pressEscape });

    say(terminal, "/exit");
    await terminal.waitFor("back in the shell: 0");
    const [farewell, shell, ...rest] = await capture();
    expect([farewell, shell]).toEqual([
      expect.stringMatching(/^Resume with: worldline -r \w+$/u),
      "back in the shell: 0",
    ]);
    expect(rest.join(" ")).toMatch(/ icanon .* echo /u);
  });
});
