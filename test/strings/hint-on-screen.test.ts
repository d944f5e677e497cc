import { describe, expect, it } from "vitest";
import { hintOnScreen } from "../../src/strings/hint-on-screen.ts";

describe("a hint for a shell", () => {
  it.each([
    ["See all journeys: worldline redo --list", "See all journeys: /redo list"],
    ["Choose another one: worldline checkpoints", "Choose another one: /rewind"],
    [
      "Give one: worldline rewind <number>. See them: worldline checkpoints",
      "Give one: /rewind. See them: /rewind",
    ],
    ["Now: worldline rewind k3f9:12 --scope conversation", "Now: /rewind 12, and the conversation alone"],
    ["See them all: worldline sessions list --all", "See them all: /resume"],
    ["Go there first: worldline --resume k3f9", "Go there first: /resume k3f9"],
    ["In a copy: worldline -r k3f9 --fork", "In a copy: worldline -r k3f9 --fork"],
    ["By: worldline checkpoint <label>", "By: /checkpoint save <label>"],
    ["Run `worldline setup` with a new key, or set X.", "Run `/setup` with a new key, or set X."],
    ["In a shell: worldline setup acme --model <name>", "In a shell: worldline setup acme --model <name>"],
    ["Finish it first: worldline doctor --fix", "Finish it first: worldline doctor --fix"],
    ["See what is wrong: worldline doctor", "See what is wrong: /doctor"],
    ["Switch it on: worldline config set a.b true", "Switch it on: /config a.b true"],
    [
      "Use a model on this machine (`--model ollama/<name>`)",
      "Use a model on this machine (`/model ollama/<name>`)",
    ],
    ["Give a folder within it: --workspace <folder>", "Give a folder within it."],
    ["Take the conversation alone: --scope conversation", "Take the conversation alone."],
  ])("names what does the same on the screen: %s", (hint, here) => {
    expect(hintOnScreen(hint)).toBe(here);
  });
});
