import { describe, expect, it } from "vitest";
import { heardIn, lastRequest } from "../support/heard.ts";
import { goneFrom, opened, say } from "../support/person.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, calls, speaksOn } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

const BACK = "Queued messages are back in the editor.";

async function queue(terminal: Pty, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    say(terminal, text);
    await terminal.waitFor(`queued: ${text}`);
  }
}

/** The text between the editor's two borders, without blank lines. */
function inEditor(screen: readonly string[]): readonly string[] {
  const isBorder = (line: string): boolean => /─{10}$/u.test(line);
  const last = screen.findLastIndex(isBorder);
  const first = screen.slice(0, last).findLastIndex(isBorder);
  return screen
    .slice(first + 1, last)
    .map((line) => line.replace(/^›/u, "").trim())
    .filter((line) => line !== "");
}

describe("input that was queued", () => {
  it("goes back to the editor in order when the turn is stopped, in front of what is being typed", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Tell me a story": [speaksOn("Once upon a time")],
        "Count the pears": [{ text: "Two." }],
      }),
      rows: 40,
    });
    await opened(terminal);
    say(terminal, "Tell me a story");
    await terminal.waitFor("Once upo");
    await queue(terminal, "Count the pears", "!echo ran-$((40 + 2))", "Then the apples");
    terminal.type("half a thou");
    await terminal.waitFor("half a thou");
    terminal.press("escape");
    await terminal.waitFor(BACK);
    const screen = await terminal.settled();
    expect(screen.join("\n")).not.toContain("queued:");
    expect(inEditor(screen)).toEqual([
      "Count the pears",
      "!echo ran-$((40 + 2))",
      "Then the apples",
      "half a thou",
    ]);
    expect(scene.server?.requests).toHaveLength(1);

    // Sent again, each line keeps its role: prompts go to the turn, and the command runs once the turn has
    // ended.
    terminal.press("enter");
    await terminal.waitFor("ran-42");
    await expect.poll(() => heardIn(lastRequest(scene))).toContain("half a thou");
    expect(heardIn(scene.server?.requests[1])).toContain("Count the pears");
    expect(heardIn(scene.server?.requests[1])).not.toContain("!echo");
    expect(heardIn(lastRequest(scene))).not.toContain("!echo");
  });

  it("goes back when the model fails, and no command of it runs", async () => {
    const { terminal, scene } = await openWorldline({
      script: (request) =>
        heardIn(request).includes("Wait a while") && request.messages.length < 2
          ? calls("Bash", { command: "while [ ! -e go ]; do sleep 0.05; done" })
          : { misbehave: { do: "status", status: 401 } },
      arguments: ["--permission-mode", "auto"],
    });
    await opened(terminal);
    say(terminal, "Wait a while");
    await terminal.waitFor("Bash while [");
    await queue(terminal, "!touch ran");
    scene.write("go", "");
    await terminal.waitFor(BACK);
    expect(inEditor(await terminal.settled())).toEqual(["!touch ran"]);
    await goneFrom(terminal, "queued:");
    expect(scene.read("ran")).toBeUndefined();
  });

  it("goes back when the step limit ends the turn", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Wait a while": [
          calls("Bash", { command: "while [ ! -e go ]; do sleep 0.05; done" }),
          { text: "Done." },
        ],
      }),
      arguments: ["--permission-mode", "auto", "--max-steps", "1"],
    });
    await opened(terminal);
    say(terminal, "Wait a while");
    await terminal.waitFor("Bash while [");
    await queue(terminal, "!touch ran");
    scene.write("go", "");
    await terminal.waitFor(BACK);
    expect(inEditor(await terminal.settled())).toEqual(["!touch ran"]);
    expect(scene.read("ran")).toBeUndefined();
  });

  it("goes back together with the prompt that is taken back", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "Sell the shop": [{ hold: new Promise(() => undefined), holdAt: "start" }] }),
    });
    await opened(terminal);
    say(terminal, "Sell the shop");
    await terminal.waitFor("Thinking");
    await expect.poll(() => scene.server?.requests.length).toBe(1);
    await queue(terminal, "Count the pears", "!touch ran");
    terminal.press("escape");
    await terminal.waitFor(BACK);
    expect(inEditor(await terminal.settled())).toEqual(["Sell the shop", "Count the pears", "!touch ran"]);
    expect(scene.read("ran")).toBeUndefined();
  });

  it("goes back when a running command is stopped", async () => {
    const { terminal, scene } = await openWorldline({ script: byPrompt({}) });
    await opened(terminal);
    say(terminal, "!echo started; sleep 60");
    await terminal.waitFor(/^\s*started/mu);
    await queue(terminal, "Count the pears", "!touch ran");
    terminal.press("escape");
    await terminal.waitFor(BACK);
    expect(inEditor(await terminal.settled())).toEqual(["Count the pears", "!touch ran"]);
    expect(scene.read("ran")).toBeUndefined();
    expect(scene.server?.requests).toHaveLength(0);
  });

  it("is named on the user's own screen when they leave with it", async () => {
    const { terminal } = await openWorldline({
      script: byPrompt({ "Tell me a story": [speaksOn("Once upon a time")] }),
    });
    await opened(terminal);
    say(terminal, "Tell me a story");
    await terminal.waitFor("Once upo");
    await queue(terminal, "Count the pears", "!touch ran");
    say(terminal, "/exit");
    await terminal.exit();
    const left = terminal.scrollback().join("\n");
    expect(left).toContain("Not sent");
    expect(left).toContain("Count the pears");
    expect(left).toContain("!touch ran");
  });
});
