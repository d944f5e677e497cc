import { describe, expect, it } from "vitest";
import { goneFrom, opened, say } from "../support/person.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, calls } from "../support/replies.ts";
import type { Scene } from "../support/scene.ts";
import { openWorldline, type Story } from "../support/story.ts";

const creates = (name: string) => [
  calls("Write", { file_path: `${name}.txt`, content: `${name}\n` }),
  { text: `There is a file ${name} now.` },
];

const script = () =>
  byPrompt({
    "Make apples": creates("apples"),
    "Make pears": creates("pears"),
    "Make quinces": creates("quinces"),
    "What is there?": [{ text: "You know that." }],
    "And here?": [{ text: "That as well." }],
  });

async function make(terminal: Pty, name: string): Promise<void> {
  say(terminal, `Make ${name}`);
  await terminal.waitFor(`There is a file ${name} now.`);
  await terminal.waitFor(`1 file changed: ${name}.txt`);
  await terminal.settled();
}

/** A conversation that made apples and was then rewound to before that. */
async function afterAnUndo(): Promise<Story> {
  const story = await openWorldline({
    script: script(),
    rows: 40,
    arguments: ["--permission-mode", "auto"],
  });
  const { terminal, scene } = story;
  await opened(terminal);
  await make(terminal, "apples");
  say(terminal, "/undo");
  await terminal.waitFor("Files: 0 created, 0 changed, 1 deleted");
  await go(terminal, "Restored to checkpoint: #1");
  expect(fruits(scene)).toEqual([]);
  // The rewound prompt is back in the editor.
  await terminal.waitFor("› Make apples");
  terminal.press("ctrl+c");
  await goneFrom(terminal, "› Make apples");
  return story;
}

/** Confirms a preview and waits for the result. */
async function go(terminal: Pty, said: string): Promise<void> {
  terminal.press("enter");
  await terminal.waitFor(said);
  await terminal.settled();
}

/** Goes to the end of the only branch whose row in the tree contains these words. */
async function goToTheEnd(terminal: Pty, words: string): Promise<void> {
  say(terminal, "/tree");
  await terminal.waitFor("Session tree");
  say(terminal, `/${words}`);
  await terminal.waitFor(new RegExp(String.raw`❯ [^\n]*${words}[^\n]* from here`, "u"));
  terminal.type("g");
  await terminal.waitFor("Files and conversation");
  terminal.type("1");
  await terminal.waitFor("Enter apply");
}

function fruits(scene: Scene): string[] {
  return ["apples", "pears", "quinces"].filter((name) => scene.read(`${name}.txt`) === `${name}\n`);
}

/** The user's prompts in the latest request. */
function promptsSent({ server }: Scene): string[] {
  const sent = JSON.stringify(server?.requests.at(-1)?.messages);
  return ["Make apples", "Make pears", "Make quinces", "What is there?", "And here?"].filter((each) =>
    sent.includes(each),
  );
}

describe("a redo after new work", () => {
  it("takes none of it away, and the list offers the way back to what was undone", async () => {
    const { terminal, scene } = await afterAnUndo();
    await make(terminal, "pears");
    await make(terminal, "quinces");

    say(terminal, "/redo");
    await terminal.waitFor("Nothing to redo. To return to a branch that you left earlier: /redo list");
    await terminal.settled();
    expect(fruits(scene)).toEqual(["pears", "quinces"]);

    say(terminal, "/redo list");
    await terminal.waitFor(/Return to:\n[^\n]*\(left [^\n]* by a rewind to #1\)/u);
    terminal.press("enter");
    await terminal.waitFor("Files and conversation");
    terminal.type("1");
    await terminal.waitFor("Leaves newer work behind and returns to");
    const preview = await terminal.waitFor("Files: 1 created, 0 changed, 2 deleted");
    for (const step of [/apples\.txt +created/u, /pears\.txt +deleted/u, /quinces\.txt +deleted/u])
      expect(preview.join("\n")).toMatch(step);
    expect(fruits(scene)).toEqual(["pears", "quinces"]);

    await go(terminal, "Redone to:");
    expect(fruits(scene)).toEqual(["apples"]);
    say(terminal, "What is there?");
    await terminal.waitFor("You know that.");
    expect(promptsSent(scene)).toEqual(["Make apples", "What is there?"]);
  });
});

describe("the end of another branch in the tree", () => {
  it("is where going there leads: the conversation and the files as they were", async () => {
    const { terminal, scene } = await afterAnUndo();
    await make(terminal, "pears");
    // Changed after the last checkpoint of its branch, so no rewind leads here.
    say(terminal, "!echo ripe pears > pears.txt");
    await terminal.waitFor("1 file changed: pears.txt +1 -1");

    await goToTheEnd(terminal, "rewound to #1");
    await go(terminal, "Redone to:");
    expect(fruits(scene)).toEqual(["apples"]);
    expect(scene.read("pears.txt")).toBeUndefined();
    say(terminal, "What is there?");
    await terminal.waitFor("You know that.");
    expect(promptsSent(scene)).toEqual(["Make apples", "What is there?"]);
    await terminal.settled();

    await goToTheEnd(terminal, "left by a redo");
    terminal.press("enter");
    // The first redo's line may still be on the screen, so only the files tell when the second is done.
    const files = () => [scene.read("pears.txt"), fruits(scene)];
    await expect.poll(files, { timeout: 30_000 }).toEqual(["ripe pears\n", []]);
    await terminal.settled();
    say(terminal, "And here?");
    await terminal.waitFor("That as well.");
    expect(promptsSent(scene)).toEqual(["Make pears", "And here?"]);
  });
});
