import { describe, expect, it } from "vitest";
import { ALL_COMMANDS, completeSlash } from "../../../src/tui/commands/slash-commands.ts";
import { commandStage } from "./support/command-stage.ts";

const checkpoint = (number: number, on: string, text: string) => ({
  number,
  on,
  text,
  place: "here",
  branch: "here",
  session: "s-here",
});
const app = {
  "journeys.rowsHere": [
    checkpoint(5, "prompt", "fix it"),
    checkpoint(4, "step", ""),
    checkpoint(2, "prompt", "read it"),
  ],
  "models.list": [
    { name: "a/one", state: "ready", isCurrent: true },
    { name: "b/two", state: "no-key", isCurrent: false },
  ],
  "sessions.list": [
    { title: "Fix the leak", id: "s-1", place: "elsewhere" },
    { title: "This one", id: "s-here", place: "here" },
  ],
};

async function values(
  before: string,
  how: "typed" | "tab" = "typed",
): Promise<readonly string[] | undefined> {
  const suggested = await completeSlash(commandStage({ app }).context, before, how);
  return suggested?.items.map(({ value }) => value);
}

describe("completing a command", () => {
  it("offers all of them, with what they take and do", async () => {
    const suggested = await completeSlash(commandStage().context, "/", "typed");
    expect(suggested?.prefix).toBe("/");
    expect(suggested?.items).toHaveLength(ALL_COMMANDS.length);
    expect(suggested?.items[0]).toEqual({
      value: "/undo ",
      description: "undo the last prompt or ! command, or the last n of them: files and conversation [n]",
    });
  });

  it("offers what begins with what was typed before what holds it, other names too", async () => {
    expect(await values("/re")).toEqual(["/redo ", "/rewind ", "/restore ", "/resume ", "/tree"]);
    expect(await values("/CHECK")).toEqual(["/checkpoint "]);
    expect(await values("/exit")).toEqual(["/exit"]);
    expect(await values("/xyzzy")).toEqual([]);
  });

  it("offers what a command takes, once something of it was typed or Tab was pressed", async () => {
    expect(await values("/undo ")).toBeUndefined();
    expect(await values("/undo ", "tab")).toEqual(["1", "2"]);
    expect(await values("/diff 2")).toEqual(["2"]);
    expect(await values("/diff 2 ", "tab")).toEqual(["2 5", "2 4", "2 2"]);
    expect(await values("/label fix")).toEqual(["5 "]);
    expect(await values("/model ", "tab")).toEqual(["a/one"]);
    expect(await values("/language z")).toEqual(["zh-CN"]);
    expect(await values("/export ", "tab")).toEqual(["markdown", "json", "bundle"]);
    expect(await values("/load fix the")).toEqual(["s-1"]);
    expect(await values("/permissions a")).toEqual(["accept-edits", "auto", "manual", "plan"]);
  });

  it("offers nothing after a command that takes nothing, or if it cannot be looked up", async () => {
    expect(await values("/tree x")).toBeUndefined();
    expect(await values("/nonsense x")).toBeUndefined();
    const broken = { "models.list": async () => Promise.reject(new Error("offline")) };
    expect(await completeSlash(commandStage({ app: broken }).context, "/model x", "typed")).toBeUndefined();
  });
});
