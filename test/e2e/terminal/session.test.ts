import { describe, expect, it } from "vitest";
import { languages } from "../../../src/strings/language.ts";
import { stringsFor } from "../../../src/strings/strings.ts";
import { expectScreen } from "./support/golden.ts";
import { ANSWERS, PROMPTS, wholeSession } from "./support/session-script.ts";
import { storyOf } from "./support/story.ts";
import { UNTOUCHED } from "./support/terminal-modes.ts";

const FIXED = "return amount - (amount * percent) / 100;";
const BROKEN = "return amount - amount * percent;";

describe("a whole session in the terminal", () => {
  it.each(languages)("goes there and back again and loses nothing (%s)", async (language) => {
    const { screen, dialogs, transcript } = (await stringsFor(language)).terminal;
    const scene = await storyOf({ language, files: wholeSession.files, script: wholeSession.script() });
    const terminal = scene.open({ started: "shell" });
    const say = (text: string): void => {
      terminal.type(text);
      terminal.press("enter");
    };
    const golden = async (name: string) => expectScreen(terminal, `session/${name}.${language}`);
    await terminal.waitFor(screen.status.snapshots.on);
    await golden("opened");

    // Tools, and a permission with its diff.
    say(PROMPTS.fix);
    await terminal.waitFor(dialogs.permission.title("Edit"));
    await golden("permission");
    terminal.type("1");
    await terminal.waitFor(ANSWERS.fix);
    await terminal.waitFor(transcript.files.changed(1));
    expect(scene.read("src/cart.js")).toContain(FIXED);
    await golden("answered");

    // An interrupt keeps what was said.
    say(PROMPTS.chatter);
    await terminal.waitFor(ANSWERS.chatter);
    terminal.press("escape");
    await terminal.waitFor(transcript.interrupts.person);
    await golden("interrupted");

    // Back before the first prompt, with a file that the person changed too.
    scene.write("src/cart.js", `${scene.read("src/cart.js")}\n// Mine.\n`);
    terminal.press("escape", "escape");
    await terminal.waitFor(/\(current\)|（当前）/u);
    await golden("checkpoints");
    terminal.type("2");
    await terminal.waitFor(dialogs.scope.names.both);
    terminal.type("1");
    await terminal.waitFor(dialogs.preview.choices.keep);
    await golden("preview");
    terminal.type("t");
    await terminal.waitFor(dialogs.preview.choices.take);
    terminal.press("enter");
    await terminal.waitFor(dialogs.travel.restored("#1"));
    expect(scene.read("src/cart.js")).toContain(BROKEN);
    await golden("rewound");

    // The prompt is back in the editor; twice Esc clears it, and redo brings everything back.
    await terminal.waitFor(PROMPTS.fix);
    terminal.press("escape", "escape");
    await terminal.waitFor(screen.placeholder.slice(0, 12));
    say("/redo");
    await terminal.waitFor(dialogs.keys.preview);
    terminal.press("enter");
    await terminal.waitFor(dialogs.travel.redone("").trim());
    expect(scene.read("src/cart.js")).toContain(FIXED);
    expect(scene.read("src/cart.js")).toContain("// Mine.");

    // The agent goes back by itself.
    say(PROMPTS.search);
    await terminal.waitFor(ANSWERS.search);
    await golden("backtracked");

    say("/compact");
    await terminal.waitFor(/Compacted|压缩/u);
    await golden("compacted");
    say("/tree");
    await terminal.waitFor(dialogs.tree.title);
    await golden("tree");
    terminal.press("escape");
    // What is typed at once after an Esc would be one key with it.
    await terminal.waitFor((lines) => !lines.join("\n").includes(dialogs.tree.title), "the tree to be gone");

    say("/exit");
    await terminal.exit();
    expect(terminal.modes()).toEqual(UNTOUCHED);
    const [farewell = "", shell] = terminal.scrollback();
    expect(shell).toBe("back in the shell: 0");
    const [, command = ""] = /worldline (.*)/u.exec(farewell) ?? [];

    const resumed = scene.open({ arguments: command.split(" ") });
    await resumed.waitFor(ANSWERS.search);
    await expectScreen(resumed, `session/resumed.${language}`);
  });
});
