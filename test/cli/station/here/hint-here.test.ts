import { describe, expect, it } from "vitest";
import { hintHere, withHintsHere } from "../../../../src/cli/station/here/hint-here.ts";
import { WorldlineError } from "../../../../src/record/error.ts";
import { playground } from "../../support/command-line.ts";
import { stationAt } from "../support/station-at.ts";

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
    expect(hintHere(hint)).toBe(here);
  });

  it("is told so by whatever is asked of the station", async () => {
    const { station } = await stationAt(playground());
    await expect(station.journeys.redo({})).rejects.toMatchObject({
      code: "NOTHING_TO_REDO",
      hint: expect.not.stringContaining("worldline"),
    });
    const other = new TypeError("a fault");
    const part = withHintsHere({ fail: async () => Promise.reject(other), open: "yes" });
    await expect(part.fail()).rejects.toBe(other);
    expect(part.open).toBe("yes");
    const known = new WorldlineError("INPUT_INVALID", "No.", { hint: "Say yes." });
    await expect(withHintsHere({ fail: async () => Promise.reject(known) }).fail()).rejects.toBe(known);
  });
});
