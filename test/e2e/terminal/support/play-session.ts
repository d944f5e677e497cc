import { expect } from "vitest";
import type { Language } from "../../../../src/strings/language.ts";
import { stringsFor } from "../../../../src/strings/strings.ts";
import { expectScreen } from "./golden.ts";
import { answer, goneFrom, say } from "./person.ts";
import type { Pty } from "./pty.ts";
import type { Scene } from "./scene.ts";
import { ANSWERS, PROMPTS } from "./session-script.ts";

const FIXED = "return amount - (amount * percent) / 100;";
const BROKEN = "return amount - amount * percent;";

export interface Stage {
  readonly scene: Scene;
  readonly terminal: Pty;
  readonly language: Language;
  /** Presses Esc once or twice, in a single chunk. */
  readonly pressEscape: (times: 1 | 2) => Promise<void>;
}

/** Plays a whole session up to its exit and compares a golden screen for each part. */
export async function playSession(stage: Stage): Promise<void> {
  const { terminal, language } = stage;
  const { screen } = (await stringsFor(language)).terminal;
  await terminal.waitFor(screen.status.snapshots.on);
  await expectScreen(terminal, `session/opened.${language}`);
  await answerAndInterrupt(stage);
  await goBackAndForth(stage);
  await backtrackAndLook(stage);
}

async function answerAndInterrupt({ scene, terminal, language, pressEscape }: Stage): Promise<void> {
  const { dialogs, transcript } = (await stringsFor(language)).terminal;
  // Tool calls, and a permission with its diff.
  say(terminal, PROMPTS.fix);
  await terminal.waitFor(dialogs.permission.title("Edit"));
  await expectScreen(terminal, `session/permission.${language}`);
  await answer(terminal, "1");
  await terminal.waitFor(ANSWERS.fix);
  await terminal.waitFor(transcript.files.changed(1));
  expect(scene.read("src/cart.js")).toContain(FIXED);
  await expectScreen(terminal, `session/answered.${language}`);

  // An interrupt keeps the text streamed so far.
  say(terminal, PROMPTS.chatter);
  await terminal.waitFor(ANSWERS.chatter);
  await pressEscape(1);
  await terminal.waitFor(transcript.interrupts.person);
  await expectScreen(terminal, `session/interrupted.${language}`);
}

/** Rewinds to before the first prompt, with a file that the user changed too, and redoes it. */
async function goBackAndForth({ scene, terminal, language, pressEscape }: Stage): Promise<void> {
  const { screen, dialogs } = (await stringsFor(language)).terminal;
  scene.write("src/cart.js", `${scene.read("src/cart.js")}\n// Mine.\n`);
  await pressEscape(2);
  await terminal.waitFor(/\(current\)|（当前）/u);
  await expectScreen(terminal, `session/checkpoints.${language}`);
  terminal.type("2");
  await terminal.waitFor(dialogs.scope.names.both);
  terminal.type("1");
  await terminal.waitFor(dialogs.preview.choices.keep);
  await expectScreen(terminal, `session/preview.${language}`);
  terminal.type("t");
  await terminal.waitFor(dialogs.preview.choices.take);
  terminal.press("enter");
  await terminal.waitFor(dialogs.travel.restored("#1"));
  expect(scene.read("src/cart.js")).toContain(BROKEN);
  await expectScreen(terminal, `session/rewound.${language}`);

  // The prompt is back in the editor; Esc twice clears it, and redo restores everything.
  await terminal.waitFor(PROMPTS.fix);
  await pressEscape(2);
  await terminal.waitFor(screen.placeholder.slice(0, 12));
  say(terminal, "/redo");
  await terminal.waitFor(dialogs.travel.previewTitles.redo("").trim());
  terminal.press("enter");
  await terminal.waitFor(dialogs.travel.redone("").trim());
  expect(scene.read("src/cart.js")).toContain(FIXED);
  expect(scene.read("src/cart.js")).toContain("// Mine.");
}

/** The agent backtracks; then the rest is compacted and checked. */
async function backtrackAndLook({ terminal, language, pressEscape }: Stage): Promise<void> {
  const { dialogs } = (await stringsFor(language)).terminal;
  say(terminal, PROMPTS.search);
  await terminal.waitFor(ANSWERS.search);
  await expectScreen(terminal, `session/backtracked.${language}`);
  say(terminal, "/compact");
  await terminal.waitFor(/Compacted|压缩/u);
  await expectScreen(terminal, `session/compacted.${language}`);
  say(terminal, "/tree");
  await terminal.waitFor(dialogs.tree.title);
  await expectScreen(terminal, `session/tree.${language}`);
  await pressEscape(1);
  await goneFrom(terminal, dialogs.tree.title);
}
