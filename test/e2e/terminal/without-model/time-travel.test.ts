import { describe, expect, it } from "vitest";
import { goneFrom, opened, say } from "../support/person.ts";
import { openWorldline, type Story } from "../support/story.ts";

const FILES = { ".gitignore": ".env\n", ".env": "SECRET=1\n", "notes.txt": "one\n" };

/** A session in which a command has deleted an ignored file and changed another one. */
async function afterACommand(): Promise<Story> {
  const story = await openWorldline({ files: FILES });
  await opened(story.terminal);
  say(story.terminal, "!rm .env; echo two > notes.txt; echo said so");
  await story.terminal.waitFor("2 files changed: .env deleted -1, notes.txt +1 -1");
  return story;
}

describe("the timeline without a model", () => {
  it("answers free text with one honest line, and an unknown command with another", async () => {
    const { terminal } = await openWorldline();
    await opened(terminal);
    say(terminal, "Fix the discount");
    await terminal.waitFor("No model connected. Press 5 and Enter to connect a model; ! runs a command.");
    say(terminal, "/fortnight");
    await terminal.waitFor("Unknown command /fortnight. /help lists all commands.");
    terminal.press("ctrl+c");
    await goneFrom(terminal, "› /fortnight");
    say(terminal, "/rewnd");
    await terminal.waitFor("Unknown command /rewnd. Did you mean /rewind?");
  });

  it("brings back an ignored file that a command deleted", async () => {
    const { terminal, scene } = await afterACommand();
    await terminal.waitFor("said so");
    expect(scene.read(".env")).toBeUndefined();
    terminal.press("escape", "escape");
    await terminal.waitFor("2 files since");
    terminal.type("1");
    await terminal.waitFor("Files only");
    terminal.type("3");
    await terminal.waitFor("Files: 1 created, 1 changed, 0 deleted");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint: #1");
    expect([scene.read(".env"), scene.read("notes.txt")]).toEqual([FILES[".env"], FILES["notes.txt"]]);
  });

  it("shows what changed since a checkpoint", async () => {
    const { terminal } = await afterACommand();
    say(terminal, "/diff 1");
    const shown = await terminal.waitFor("Since checkpoint #1");
    expect(shown).toEqual(expect.arrayContaining(["-SECRET=1", "-one", "+two"]));
    terminal.press("escape");
    await goneFrom(terminal, "Since checkpoint #1");
    say(terminal, "/diff one");
    await terminal.waitFor("/diff takes up to two checkpoint numbers");
  });

  it("makes checkpoints, and names them", async () => {
    const { terminal } = await afterACommand();
    say(terminal, "/checkpoint save before the storm");
    await terminal.waitFor('Checkpoint #3 "before the storm"');
    say(terminal, "/label calm");
    await terminal.waitFor("Label of #3: calm");
    say(terminal, "/label 1 the beginning");
    await terminal.waitFor("Label of #1: the beginning");
    terminal.press("escape", "escape");
    await terminal.waitFor("Rewind to:");
    await terminal.waitFor(
      (lines) => /calm/u.test(lines.join("\n")) && /the beginning/u.test(lines.join("\n")),
    );
  });

  it("undoes a command, and redoes it", async () => {
    const { terminal, scene } = await afterACommand();
    say(terminal, "/undo 2");
    await terminal.waitFor("There is only 1 prompt or command on this branch, not 2.");
    say(terminal, "/undo");
    await terminal.waitFor("Files: 1 created, 1 changed, 0 deleted");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint: #1");
    expect(scene.read(".env")).toBe(FILES[".env"]);
    say(terminal, "/redo");
    await terminal.waitFor("Files: 0 created, 1 changed, 1 deleted");
    terminal.press("enter");
    await terminal.waitFor("Redone to:");
    expect(scene.read(".env")).toBeUndefined();
  });

  it("says that there is nothing more to undo", async () => {
    const { terminal } = await openWorldline();
    await opened(terminal);
    say(terminal, "/undo 9");
    await terminal.waitFor("There is nothing to undo on this branch.");
    say(terminal, "/undo none");
    await terminal.waitFor(/1 or more, not\s+"none"/u);
    say(terminal, "/redo");
    await terminal.waitFor("Nothing to redo.");
  });

  it("shows a tree whose places can be looked at, labelled, gone to and forked", async () => {
    const { terminal, scene } = await afterACommand();
    say(terminal, "!echo three > notes.txt");
    await terminal.waitFor("1 file changed: notes.txt +1 -1");
    say(terminal, "/tree");
    await terminal.waitFor("Session tree");
    terminal.press("up");
    terminal.press("enter");
    await terminal.waitFor(/^#1 ! rm .*^ {2}said so$.*Esc back/msu);
    terminal.press("escape");
    await terminal.waitFor("Session tree");
    terminal.type("l");
    await terminal.waitFor("Label for #1");
    say(terminal, "second");
    await terminal.waitFor("● #1 [second] ! rm .env");
    terminal.type("g");
    await terminal.waitFor("Files and conversation");
    terminal.type("1");
    await terminal.waitFor("Enter apply");
    terminal.press("enter");
    await terminal.waitFor("Restored to checkpoint: #1 [second]");
    expect([scene.read(".env"), scene.read("notes.txt")]).toEqual([FILES[".env"], FILES["notes.txt"]]);

    say(terminal, "/tree");
    await terminal.waitFor("Session tree");
    await terminal.waitFor("#3 ! echo three > notes.txt");
    terminal.type("f");
    await terminal.waitFor(/Now in the fork \w+\./u);
  });
});
