import { describe, expect, it } from "vitest";
import { heardIn, lastRequest } from "../support/heard.ts";
import { goneFrom, opened, say } from "../support/person.ts";
import { byPrompt, calls } from "../support/replies.ts";
import { openWorldline } from "../support/story.ts";

describe("what the model receives", () => {
  it("is exactly what was kept, after the conversation went back", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({
        "First of all": [{ text: "The first answer." }],
        "Second of all": [{ text: "The second answer." }],
        "Third of all": [{ text: "The third answer." }],
      }),
    });
    await opened(terminal);
    say(terminal, "First of all");
    await terminal.waitFor("The first answer.");
    await terminal.settled();
    say(terminal, "Second of all");
    await terminal.waitFor("The second answer.");
    await terminal.settled();
    terminal.press("escape", "escape");
    await terminal.waitFor("Rewind to:");
    await terminal.waitFor("Second of all");
    terminal.press("down", "enter");
    await terminal.waitFor("Conversation only");
    terminal.type("2");
    await terminal.waitFor("Enter apply");
    terminal.press("enter");
    await terminal.waitFor(/Restored to checkpoint: .*Second of all/u);
    terminal.press("escape", "escape");
    await goneFrom(terminal, "› Second of all");
    say(terminal, "Third of all");
    await terminal.waitFor("The third answer.");
    const { messages = [] } = lastRequest(scene) ?? {};
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]?.text).toBe("The first answer.");
    expect(heardIn(lastRequest(scene))).not.toContain("econd");
  });

  it("is compacted by itself when the window is nearly full", async () => {
    const { terminal, scene } = await openWorldline({
      files: { "long.txt": "A line of the long file.\n".repeat(1000) },
      script: byPrompt({
        "Read it all": [
          ...Array.from({ length: 6 }, (_, part) =>
            calls("Read", { file_path: "long.txt", offset: 1 + part * 160, limit: 160 }),
          ),
          { text: "It was long." },
        ],
      }),
      environment: {
        WORLDLINE_MODELS: JSON.stringify({
          "anthropic/scripted-model": { window: 16_000, maxOutput: 2_000 },
        }),
      },
    });
    await opened(terminal);
    say(terminal, "Read it all");
    await terminal.waitFor(
      /Compacted from about [\d,]+ to [\d,]+ tokens, because the context was nearly\s+f/u,
    );
    await terminal.waitFor("It was long.");
    expect(scene.server?.requests.every(({ refused }) => refused === undefined)).toBe(true);
  });

  it("goes to the model that was chosen, from the next prompt on", async () => {
    const { terminal, scene } = await openWorldline({
      script: byPrompt({ "Who are you?": [{ text: "I am one." }], "And now?": [{ text: "I am another." }] }),
    });
    await opened(terminal);
    say(terminal, "Who are you?");
    await terminal.waitFor("I am one.");
    await terminal.settled();
    say(terminal, "/model anthropic/another-model");
    await terminal.waitFor("Using anthropic/another-model from the next prompt on.");
    say(terminal, "And now?");
    await terminal.waitFor("I am another.");
    await terminal.waitFor(/^anthropic\/another-model · /mu);
    expect(scene.server?.requests.map(({ model }) => model)).toEqual(["scripted-model", "another-model"]);
  });
});
