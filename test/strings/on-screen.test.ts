import { describe, expect, it } from "vitest";
import { WorldlineError } from "../../src/record/error.ts";
import { en } from "../../src/strings/en.ts";
import { commandOnScreen, errorOnScreen } from "../../src/strings/wording.ts";
import { zhCn } from "../../src/strings/zh-cn.ts";

describe("a command for a shell", () => {
  it.each([
    ["redo --list", "/redo list"],
    ["redo k3f9 --scope files", "/redo list"],
    ["checkpoints", "/rewind"],
    ["rewind <number>", "/rewind"],
    ["rewind 12", "/rewind 12"],
    ["rewind k3f9:12 --scope conversation", "/rewind 12 and choose the conversation"],
    ["sessions list --all", "/resume"],
    ["--resume k3f9", "/resume k3f9"],
    ["-r k3f9 --fork", "worldline -r k3f9 --fork"],
    ["checkpoint <label>", "/checkpoint save <label>"],
    ['checkpoint "before it"', "/checkpoint save <label>"],
    ["setup", "/setup"],
    ["setup acme --model <name>", "worldline setup acme --model <name>"],
    ["doctor", "/doctor"],
    ["doctor --fix", "worldline doctor --fix"],
    ["config set a.b true", "/config a.b true"],
    ["models --json", "/model"],
    ["--model ollama/<name>", "/model ollama/<name>"],
    ["sessions delete --empty-trash", "worldline sessions delete --empty-trash"],
  ])("has its equal on the screen, or is typed at a shell: %s", (words, here) => {
    expect(commandOnScreen(words)).toBe(here);
  });
});

describe("an error on the screen", () => {
  const error = new WorldlineError("journey-unknown", { journey: "k3f9" });

  it("is in the language of the screen, with the commands that there are there", () => {
    expect(errorOnScreen(en, error)).toEqual({
      message: "There is no journey k3f9 in this session.",
      hint: "See all journeys: /redo list",
    });
    expect(errorOnScreen(zhCn, error)).toEqual({
      message: "此会话中没有跳转 k3f9。",
      hint: "查看所有跳转：/redo list",
    });
    expect(errorOnScreen(en, new WorldlineError("files-off", {})).hint).toBe("Choose the conversation only.");
  });

  it.each([
    ["has no reason", {}],
    ["has a reason that is not known here", { reason: "from-the-future", params: {} }],
    ["has a reason by which objects have something else", { reason: "constructor", params: {} }],
    ["has other parameters", { reason: "model-unreachable", params: null }],
  ])("is shown in its own words where it %s", (_, made) => {
    const stored = { message: "It failed.", hint: "Wait." };
    expect(errorOnScreen(zhCn, { ...stored, ...made })).toEqual(stored);
  });
});
