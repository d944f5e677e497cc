import { describe, expect, it } from "vitest";
import { goneFrom, opened, say } from "../support/person.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, calls } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

const LONG =
  "The second answer begins here, and it is long enough to fill more than a line of the screen.\n\nIts second paragraph says that pears are cheaper.";

/** Three prompts; in the third turn, the agent backtracks to its second step of the first turn. */
const script = () =>
  byPrompt({
    "First of all": [calls("Glob", { pattern: "*" }), { text: "The first answer." }],
    "Second of all": [{ text: LONG }],
    "Third of all": [
      calls("Glob", { pattern: "src/*" }, "I look into the folder."),
      calls("Backtrack", { checkpoint_id: 3, note: "Pears are cheaper.", rationale: "The rest was noise." }),
      { text: "The third answer." },
    ],
  });

async function threePrompts(terminal: Pty): Promise<void> {
  await opened(terminal);
  for (const [prompt, answer] of [
    ["First of all", "The first answer."],
    ["Second of all", "Its second paragraph"],
    ["Third of all", "The third answer."],
  ] as const) {
    say(terminal, prompt);
    await terminal.waitFor(answer);
    await terminal.settled();
  }
}

const TEXTS = [
  "First of all",
  "The first answer.",
  "Second of all",
  "The second answer begins here",
  "Third of all",
  "The third answer.",
] as const;

/** Checks that the texts appear in this order, each exactly once. */
function expectAll(terminal: Pty, texts: readonly string[]): void {
  const lines = terminal.screen();
  const found = texts.map((text) => lines.findIndex((line) => line.includes(text)));
  expect(found, lines.join("\n")).not.toContain(-1);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
}

function expectOnce(terminal: Pty, texts: readonly string[]): void {
  const lines = terminal.screen();
  for (const text of texts)
    expect(
      lines.filter((line) => line.includes(text)),
      lines.join("\n"),
    ).toHaveLength(1);
}

/** Takes the conversation to the first place that the redo list offers. */
async function returnTo(terminal: Pty, place: RegExp): Promise<void> {
  say(terminal, "/redo list");
  await terminal.waitFor(place);
  terminal.press("enter");
  await terminal.waitFor("2. Conversation only");
  terminal.type("2");
  await terminal.waitFor("Enter apply");
  terminal.press("enter");
  await goneFrom(terminal, "Enter apply");
}

describe("a backtrack in the terminal", () => {
  it("leaves no trace if it is not to be shown: the conversation stays as it was", async () => {
    const { terminal, scene } = await openWorldline({
      script: script(),
      rows: 50,
      environment: { WORLDLINE_BACKTRACK_DISPLAY: "off" },
    });
    await threePrompts(terminal);
    const all = [
      ...TEXTS.slice(0, 4),
      "Its second paragraph",
      "Third of all",
      "I look into the folder.",
      "The third",
    ];
    expectAll(terminal, all);
    expect(terminal.screen().join("\n")).not.toMatch(/backtrack|went back|saved/iu);
    say(terminal, "/exit");
    await terminal.exit();
    const resumed = scene.open({ arguments: ["-c"], rows: 50 });
    await resumed.waitFor(/^next +\S/mu);
    await resumed.waitFor("Its second paragraph");
    expectAll(resumed, all);
    expect(resumed.screen().join("\n")).not.toMatch(/backtrack|went back|saved/iu);
  });

  it("can be undone: then what it had left is the conversation again, and what came after it is folded", async () => {
    const { terminal } = await openWorldline({ script: script(), rows: 60 });
    await threePrompts(terminal);
    // The turn continued after the backtrack, so it can only be undone through the list.
    say(terminal, "/redo");
    await terminal.waitFor("Nothing to redo. To return to a branch that you left earlier: /redo list");
    await returnTo(terminal, /❯ 1 #8 Third of all \(left .* by a backtrack to #3\)/u);
    await terminal.waitFor("Redone");
    await terminal.waitFor("Before the redo");
    expectAll(terminal, [
      ...TEXTS.slice(0, 4),
      "Its second paragraph",
      "Third of all",
      "I look into the folder.",
      "Before the redo",
      "The third answer.",
      "Redone",
    ]);
    expectOnce(terminal, ["The first answer.", "The second answer", "› Second of all", "I look into"]);

    // Back again, to where all of this is part of the backtrack's fold.
    await returnTo(terminal, /❯ 1 #9 Third of all \(left .* by a redo to #8\)/u);
    await terminal.waitFor("Redone to: #9");
    await terminal.waitFor("Before the agent went back");
    await terminal.settled();
    expectAll(terminal, [...TEXTS, "Redone"]);
    const [, ...texts] = TEXTS.map((text) => (text === "Third of all" ? `› ${text}` : text));
    expectOnce(terminal, [...texts, "I look into"]);
    expect(terminal.screen().join("\n")).not.toContain("Before the redo");
  });

  it("leaves every prompt and every answer on the screen, each on one line that expands in place", async () => {
    const { terminal, scene } = await openWorldline({ script: script(), rows: 50 });
    await threePrompts(terminal);
    expectAll(terminal, TEXTS);
    expect(terminal.screen().join("\n")).not.toContain("Its second paragraph");

    terminal.press("ctrl+o");
    await terminal.waitFor("Its second paragraph says that pears are cheaper.");
    expectAll(terminal, [
      ...TEXTS.slice(0, 4),
      "Its second paragraph",
      "Third of all",
      "I look into the folder.",
      "src/*",
      "Backtracked to #3",
      "The third answer.",
    ]);
    terminal.press("ctrl+o");
    await terminal.waitFor((lines) => !lines.join("\n").includes("Its second paragraph"), "the fold");
    expectAll(terminal, TEXTS);
    const folded = terminal.screen();

    say(terminal, "/exit");
    await terminal.exit();
    const resumed = scene.open({ arguments: ["-c"], rows: 50 });
    await resumed.waitFor(/^next +\S/mu);
    await resumed.waitFor("The second answer begins here");
    expectAll(resumed, TEXTS);
    const shown = (lines: readonly string[]) => {
      const from = lines.findIndex((line) => line.includes("First of all"));
      return lines.slice(
        from,
        lines.findIndex((line) => line.includes("The third answer.")),
      );
    };
    // The token count is estimated anew, so it may differ.
    const uncounted = (lines: readonly string[]) =>
      shown(lines).map((line) => line.replace(/\d+ tokens/u, "n"));
    expect(uncounted(resumed.screen())).toEqual(uncounted(folded));
    resumed.press("ctrl+o");
    await resumed.waitFor("Its second paragraph says that pears are cheaper.");
  });
});
