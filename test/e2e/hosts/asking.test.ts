import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { answer, joined, say } from "../terminal/support/person.ts";
import { byPrompt, calls, type Steps } from "../terminal/support/replies.ts";
import { claudeScene, lastHeard, prompts } from "./support/claude-scene.ts";

const bash = (command: string): Steps[number] => calls("Bash", { command, description: "Do it" });

/** Backtracks to where the previous step began. */
const goesBack =
  (note: string): Steps[number] =>
  (request) => {
    const seen = [...JSON.stringify(request.messages).matchAll(/>Checkpoint (\d+), context/gu)];
    return calls("mcp__worldline__Backtrack", { checkpoint_id: Number(seen.at(-2)?.[1]), note });
  };

const NOTE = "lines.txt holds numbers only; look elsewhere";

/** The lines of a permission card, title first. */
function boxOn(screen: readonly string[]): readonly string[] {
  return screen
    .filter((line) => /^[╭│]/u.test(line))
    .flatMap((line) => /[^╭│╮─ ].*[^╭│╮─ ]/u.exec(line) ?? []);
}

describeWithClaude("Claude in the terminal", () => {
  it("asks before a command, is told why not, and does not ask again for what is allowed for the session", async () => {
    const scene = await claudeScene({
      environment: { WORLDLINE_PERMISSIONS_MODE: "manual" },
      script: byPrompt({
        "Make three": [
          bash("touch one.txt"),
          bash("echo 2 >> two.txt"),
          bash("echo 2 >> two.txt"),
          { text: "As you say." },
        ],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    say(terminal, "Make three");
    await terminal.waitFor("Allow Bash?");
    await answer(terminal, "4");
    await terminal.waitFor("What should the agent do instead?");
    say(terminal, "One is too few");
    await terminal.waitFor(/Allow Bash\?\s+echo 2/u);
    await answer(terminal, "2");
    await terminal.waitFor("As you say.");
    expect([scene.read("one.txt"), scene.read("two.txt")]).toEqual([undefined, "2\n2\n"]);
    expect(lastHeard(scene)).toEqual([
      "> Make three",
      "Bash()",
      "= ! Denied: One is too few",
      "Bash()",
      "= (Bash completed with no output)",
      "Bash()",
      "= (Bash completed with no output)",
    ]);
    await scene.leave(terminal);
  });

  it("shows a command to its end and the rule whole in 40 columns, and a change as the file has it", async () => {
    const scene = await claudeScene({
      files: { "README.md": "# A place to work in\n", "quotes.txt": "say “hello”\n" },
      environment: { WORLDLINE_PERMISSIONS_MODE: "manual" },
      script: byPrompt({
        "Change it": [
          bash(`touch one.txt${" ".repeat(300)}; touch ../two.txt`),
          calls("Read", { file_path: "README.md" }),
          calls("Edit", { file_path: "README.md", old_string: "not in it", new_string: "x" }),
          // The SDK treats other quotation marks as equal, so the diff shown would differ from what is
          // replaced.
          calls("Read", { file_path: "quotes.txt" }),
          calls("Edit", { file_path: "quotes.txt", old_string: '"hello"', new_string: "x" }),
          calls("Edit", {
            file_path: "README.md",
            old_string: "A place",
            new_string: `A room${" ".repeat(90)}x`,
          }),
          { text: "As you say." },
        ],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    say(terminal, "Change it");
    terminal.resize(40, 30);
    const whole =
      /touchone\.txt⋯300spaces⋯;touch\.\.\/two\.txt.*session:Bash\(touchone\.txt⋯300spaces⋯;touch\.\.\/two\.txt\)3\.No/u;
    await terminal.waitFor((lines) => whole.test(joined(lines)), "all of the command and the rule");
    await answer(terminal, "3");
    // The SDK itself refuses the first edit, so no permission is asked for it.
    await terminal.waitFor(
      (lines) => joined(lines).includes("-#Aplacetoworkin"),
      "the line as the file has it",
    );
    expect(joined(terminal.screen())).toContain("+#Aroom⋯90spaces⋯xtoworkin");
    await answer(terminal, "3");
    await terminal.waitFor("As you say.");
    expect(scene.read("quotes.txt")).toBe("say “hello”\n");
    await scene.leave(terminal);
  });

  it("goes back by itself with a note, which a card shows and redo undoes", async () => {
    const scene = await claudeScene({
      script: byPrompt({
        "Find the error": [
          bash("seq 1 3 > lines.txt; cat lines.txt"),
          goesBack(NOTE),
          { text: "It is elsewhere." },
        ],
        "And now?": [{ text: "Now we go on." }],
      }),
    });
    const terminal = await scene.openWith("--host", "claude");
    await prompts(terminal, "Find the error", "It is elsewhere.");
    const [, ...card] = boxOn(terminal.screen());
    expect(card).toEqual([
      expect.stringMatching(/^Left \d+ entries, about \d+ tokens$/u),
      "Back to: Find the error",
      "Note to itself:",
      NOTE,
      "Undo this backtrack: /redo list",
    ]);
    expect(lastHeard(scene)).toEqual([
      "> Find the error",
      "[You were further ahead and went back to checkpoint 2.]",
    ]);
    // Claude has answered since, so the backtrack is undone by its row in the list.
    say(terminal, "/redo");
    await terminal.waitFor("Nothing to redo. To return to a branch that you left earlier: /redo list");
    say(terminal, "/redo list");
    await terminal.waitFor(/Return to:.*backtrack to #2/su);
    terminal.press("enter");
    await terminal.waitFor(/Return to #3 Find the error.*2\. Conversation only/su);
    terminal.type("2");
    await terminal.waitFor("Enter apply");
    terminal.press("enter");
    await terminal.waitFor("Redone to: #3 Find the error");
    await terminal.settled();
    expect(boxOn(terminal.screen())).toEqual([]);
    await prompts(terminal, "And now?", "Now we go on.");
    const heard = lastHeard(scene);
    expect([heard.slice(0, 4), heard.slice(-2)]).toEqual([
      ["> Find the error", "Bash()", "= 1\n2\n3", "mcp__worldline__Backtrack()"],
      ["[The person undid your backtrack from here.]", "> And now?"],
    ]);
    await scene.leave(terminal);
  });
});
