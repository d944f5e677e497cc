import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { heardIn, lastRequest } from "../support/heard.ts";
import { goneFrom, opened, say } from "../support/person.ts";
import { byPrompt, calls, hold, speaksOn } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("talking in the terminal", () => {
  it("queues prompts that are sent while the agent works, and the model receives them after the results", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Wait a while": [calls("Bash", { command: "while [ ! -e go ]; do sleep 0.05; done; echo it went" })],
        "And then the pears": [{ text: "Both are done." }],
      }),
      arguments: ["--permission-mode", "auto"],
    });
    await opened(terminal);
    say(terminal, "Wait a while");
    await terminal.waitFor("Bash while [");
    say(terminal, "And then the pears");
    await terminal.waitFor("queued: And then the pears");
    scene.write("go", "");
    await terminal.waitFor("Both are done.");
    await goneFrom(terminal, "queued:");
    const [first, second] = scene.server?.requests ?? [];
    expect(heardIn(first)).not.toContain("And then the pears");
    const heard = heardIn(second);
    expect(heard.indexOf("it went")).toBeGreaterThan(0);
    expect(heard.indexOf("And then the pears")).toBeGreaterThan(heard.indexOf("it went"));
  });

  it("takes a prompt back if Esc comes before anything was shown, and the model never receives it", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Sell the shop": [{ hold: new Promise(() => undefined), holdAt: "start" }],
        "Keep the shop": [{ text: "It is kept." }],
      }),
    });
    await opened(terminal);
    say(terminal, "Sell the shop");
    await terminal.waitFor("Thinking");
    await expect.poll(() => scene.server?.requests.length).toBe(1);
    terminal.press("escape");
    await terminal.waitFor(/Stopped before the reply began\. Your prompt is back in the\s+editor\./u);
    await terminal.waitFor("› Sell the shop");
    terminal.press("ctrl+c");
    await goneFrom(terminal, "› Sell the shop");
    say(terminal, "Keep the shop");
    await terminal.waitFor("It is kept.");
    expect(heardIn(lastRequest(scene))).not.toContain("Sell the shop");
  });

  it("tells the model of a command after one !, and not of one after two", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "What was that?": [{ text: "A word." }] }),
    });
    await opened(terminal);
    say(terminal, "!echo heard-$((40 + 2))");
    await terminal.waitFor("heard-42");
    say(terminal, "!!echo unheard-$((40 + 2))");
    await terminal.waitFor("unheard-42");
    say(terminal, "What was that?");
    await terminal.waitFor("A word.");
    expect(heardIn(lastRequest(scene))).toContain("heard-42");
    expect(heardIn(lastRequest(scene))).not.toContain("unheard-42");
  });

  it("sends the image whose path is pasted", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "What is this?": [{ text: "One pixel." }] }),
    });
    await opened(terminal);
    writeFileSync(join(scene.workspace, "a pixel.png"), PIXEL);
    terminal.type("What is this? ");
    terminal.paste(`${join(scene.workspace, "a pixel.png").replaceAll(" ", "\\ ")}`);
    await terminal.waitFor(/\[.*(?:image|png).*\]/iu);
    terminal.press("enter");
    await terminal.waitFor("One pixel.");
    expect(lastRequest(scene)?.messages.map(({ images }) => images)).toEqual([1]);
  });

  it("nests what a sub-agent does under its task", async () => {
    const { held, letGo } = hold();
    const { terminal } = await openWorldline({
      script: byPrompt({
        "Have it counted": [
          calls("Task", { description: "Count the fruit", prompt: "Count what is in prices.json" }),
          { text: "There are two kinds." },
        ],
        "Count what is in prices.json": [
          calls("Read", { file_path: "src/prices.json" }),
          { text: "Apples and pears.", hold: held, holdAt: "start" },
        ],
      }),
      arguments: ["--permission-mode", "auto"],
    });
    await opened(terminal);
    say(terminal, "Have it counted");
    await terminal.waitFor(/^◐ Task Count the fruit.*^ +\S? ?Read src\/prices\.json/msu);
    letGo();
    await terminal.waitFor("There are two kinds.");
    await goneFrom(terminal, "Read src/prices.json");
    terminal.press("ctrl+o");
    await terminal.waitFor("Apples and pears.");
  });

  it("retries a provider that fails, says so, and continues", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "Try hard": [
          ...Array.from({ length: 3 }, () => ({
            misbehave: { do: "status" as const, status: 500, headers: { "retry-after": "0" } },
          })),
          { text: "At last." },
        ],
      }),
    });
    await opened(terminal);
    say(terminal, "Try hard");
    await terminal.waitFor("Retrying in ");
    await terminal.waitFor("At last.");
    expect(scene.server?.requests).toHaveLength(4);
  });

  it("keeps the reply so far when Ctrl+C interrupts, if Esc does not come through", async () => {
    const { terminal } = await openWorldline({
      script: byPrompt({
        "Go on and on": [speaksOn("It began in the orchard, and then it went on for ever.")],
      }),
    });
    await opened(terminal);
    say(terminal, "Go on and on");
    await terminal.waitFor("It began in");
    terminal.press("ctrl+c");
    await terminal.waitFor("Interrupted. All work up to this point is kept.");
    await terminal.waitFor("It began in");
  });
});
