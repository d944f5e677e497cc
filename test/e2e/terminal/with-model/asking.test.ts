import { describe, expect, it } from "vitest";
import { heardIn, lastRequest } from "../support/heard.ts";
import { answer, goneFrom, joined, opened, say } from "../support/person.ts";
import { byPrompt, calls } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

const write = (file: string) => calls("Write", { file_path: file, content: "written\n" });

describe("what asks in the terminal", () => {
  it("tells the model why a permission was refused", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "Write it down": [write("pears.txt"), { text: "Then I will ask you first." }] }),
    });
    await opened(terminal);
    say(terminal, "Write it down");
    await terminal.waitFor("Allow Write?");
    await answer(terminal, "4");
    await terminal.waitFor("What should the agent do instead?");
    say(terminal, "Pears are not for writing down");
    await terminal.waitFor("Then I will ask you first.");
    expect(heardIn(lastRequest(scene))).toContain("Pears are not for writing down");
    expect(scene.read("pears.txt")).toBeUndefined();
  });

  it("shows the end of a padded command and the whole rule, however narrow the screen is", async () => {
    const command = `touch one.txt${" ".repeat(500)}; touch ../two.txt`;
    const bash = calls("Bash", { command, description: "List files" });
    const edit = calls("Edit", { file_path: "notes.txt", old_string: "not in it", new_string: "x" });
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "Look around": [edit, bash, { text: "As you say." }] }),
    });
    await opened(terminal);
    // Typed before the question appears, so it must not count as an answer.
    say(terminal, "Look around");
    terminal.type("1");
    for (const columns of [80, 40, 20]) {
      terminal.resize(columns, 24);
      const whole =
        /AllowBash\?touchone\.txt⋯500spaces⋯;touch\.\.\/two\.txt.*2\.Yes,forthissession:Bash\(touchone\.txt⋯500spaces⋯;touch\.\.\/two\.txt\)3\.No/u;
      await terminal.waitFor((lines) => whole.test(joined(lines)), `all of it in ${columns} columns`);
    }
    terminal.resize(80, 24);
    await answer(terminal, "3");
    await terminal.waitFor("As you say.");
    expect(heardIn(lastRequest(scene))).toMatch(/have not read it.*The user declined\./su);
    expect([scene.read("one.txt"), scene.read("../two.txt")]).toEqual([undefined, undefined]);
  });

  it("is not asked again for what is allowed for this session", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Write two": [write("src/one.txt"), write("src/two.txt"), { text: "Both are written." }],
      }),
    });
    await opened(terminal);
    say(terminal, "Write two");
    await terminal.waitFor("2. Yes, for this session: Edit(src/**)");
    await answer(terminal, "2");
    await terminal.waitFor("Both are written.");
    expect([scene.read("src/one.txt"), scene.read("src/two.txt")]).toEqual(["written\n", "written\n"]);
    say(terminal, "/permissions");
    await terminal.waitFor("Allowed for this session");
  });

  it("shows the model's questions as menus, and accepts free text", async () => {
    const question = (header: string, multiSelect: boolean) => ({
      question: `Which ${header}?`,
      header,
      options: [
        { label: "Apples", description: "red" },
        { label: "Pears", description: "green" },
      ],
      multiSelect,
    });
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Ask me": [
          calls("AskUser", {
            questions: [question("fruit", false), question("kinds", true), question("more", false)],
          }),
          { text: "Thank you." },
        ],
      }),
    });
    await opened(terminal);
    say(terminal, "Ask me");
    await terminal.waitFor("fruit (1/3)");
    await answer(terminal, "2");
    await terminal.waitFor("kinds (2/3)");
    await answer(terminal, "1");
    terminal.type("2");
    await terminal.waitFor("[x] Pears");
    terminal.press("enter");
    await terminal.waitFor("more (3/3)");
    await answer(terminal, "3");
    await terminal.waitFor("Type your answer.");
    say(terminal, "Quinces, ripe ones");
    await terminal.waitFor("Thank you.");
    const heard = heardIn(lastRequest(scene));
    expect(heard).toMatch(
      /Which fruit\?.*Pears.*Which kinds\?.*Apples, Pears.*Which more\?.*Quinces, ripe ones/su,
    );
  });

  it("goes through the modes with Shift+Tab, and from a plan to its work", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Plan it": [
          calls("ExitPlanMode", { plan: "# The plan\n\n1. Write pears.txt" }),
          calls("ExitPlanMode", { plan: "# The better plan\n\n1. Write pears.txt once" }),
          write("pears.txt"),
          { text: "As planned." },
        ],
      }),
    });
    await opened(terminal);
    await terminal.waitFor("· manual ·");
    terminal.press("shift+tab");
    await terminal.waitFor("· accept edits ·");
    terminal.press("shift+tab");
    await terminal.waitFor("· plan ·");
    say(terminal, "Plan it");
    await terminal.waitFor("Carry out this plan?");
    await answer(terminal, "4");
    await terminal.waitFor("What should change?");
    say(terminal, "Only once");
    await terminal.waitFor("The better plan");
    expect(heardIn(lastRequest(scene))).toContain("Only once");
    await terminal.waitFor("2. Yes, edit files without asking");
    await answer(terminal, "2");
    await terminal.waitFor("As planned.");
    await terminal.waitFor("· accept edits ·");
    expect(scene.read("pears.txt")).toBe("written\n");
    terminal.press("shift+tab", "shift+tab");
    await terminal.waitFor("· manual ·");
    await goneFrom(terminal, "Carry out this plan?");
  });

  it("begins auto mode only by its name, confirmed once in each session", async () => {
    const push = calls("Bash", { command: "git push" });
    const { terminal } = await openWorldline({
      environment: { WORLDLINE_PERMISSIONS_MODE: "auto" },
      script: byPrompt({
        "Push it": [push, { text: "Not pushed." }],
        "Push now": [push, { text: "It was run." }],
      }),
    });
    await terminal.waitFor("Use auto mode in this session?");
    await answer(terminal, "n");
    await opened(terminal);
    await terminal.waitFor("· manual ·");
    say(terminal, "Push it");
    await terminal.waitFor("Allow Bash?");
    await answer(terminal, "3");
    await terminal.waitFor("Not pushed.");
    say(terminal, "/mode auto");
    await terminal.waitFor("run any command (such as");
    terminal.type("y");
    await terminal.waitFor("· auto ·");
    say(terminal, "Push now");
    await terminal.waitFor("It was run.");
    terminal.press("shift+tab");
    await terminal.waitFor("· manual ·");
    say(terminal, "/permissions auto");
    await terminal.waitFor("· auto ·");
    say(terminal, "/clear");
    await terminal.waitFor("Use auto mode in this session?");
    await answer(terminal, "2");
    await terminal.waitFor("· manual ·");
  });

  it("begins in auto mode where the command line says so, and confirms it where a plan is answered with it", async () => {
    const { terminal, scene } = await openWorldline({
      arguments: ["--permission-mode", "auto"],
      script: byPrompt({
        "Plan it": [
          calls("ExitPlanMode", { plan: "# The plan\n\n1. Write pears.txt" }),
          write("pears.txt"),
          { text: "As planned." },
        ],
      }),
    });
    await opened(terminal);
    await terminal.waitFor("· auto ·");
    say(terminal, "/clear");
    await terminal.waitFor("Use auto mode in this session?");
    await answer(terminal, "n");
    await terminal.waitFor("· manual ·");
    terminal.press("shift+tab", "shift+tab");
    await terminal.waitFor("· plan ·");
    say(terminal, "Plan it");
    await terminal.waitFor("Carry out this plan?");
    await answer(terminal, "3");
    await terminal.waitFor("Use auto mode in this session?");
    await answer(terminal, "n");
    await terminal.waitFor("Carry out this plan?");
    expect(scene.read("pears.txt")).toBeUndefined();
    await answer(terminal, "3");
    await terminal.waitFor("Use auto mode in this session?");
    await answer(terminal, "y");
    await terminal.waitFor("As planned.");
    await terminal.waitFor("· auto ·");
  });
});
