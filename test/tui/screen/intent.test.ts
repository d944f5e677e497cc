import { describe, expect, it } from "vitest";
import { intentOf, type Situation } from "../../../src/tui/screen/screen.ts";

const idle: Situation = {
  phase: "idle",
  waiting: "no",
  doing: undefined,
  editor: "empty",
  editorWants: "no",
  panel: "none",
  scrolled: "no",
  firstScreen: "no",
  previous: undefined,
  now: 10_000,
  doubleEscapeMs: 500,
};

const press = (key: string, situation: Partial<Situation> = {}) =>
  intentOf({ key }, { ...idle, ...situation });

describe("Esc", () => {
  it("interrupts a turn at once, whatever is typed", () => {
    expect(press("escape", { phase: "turn", editor: "text" })).toEqual({ do: "interrupt" });
  });

  it("says what a second one does, and then does it", () => {
    expect(press("escape")).toEqual({ do: "hint", hint: "rewind" });
    expect(press("escape", { previous: { key: "escape", at: 9_600 } })).toEqual({ do: "rewind" });
    expect(press("escape", { editor: "text" })).toEqual({ do: "hint", hint: "clear" });
    expect(press("escape", { editor: "text", previous: { key: "escape", at: 9_600 } })).toEqual({
      do: "clear",
    });
  });

  it("counts as the first again after ui.doubleEscapeMs, or after another key", () => {
    expect(press("escape", { previous: { key: "escape", at: 9_499 } })).toEqual({
      do: "hint",
      hint: "rewind",
    });
    expect(press("escape", { previous: { key: "ctrl+c", at: 9_990 } })).toEqual({
      do: "hint",
      hint: "rewind",
    });
    expect(press("escape", { previous: { key: "escape", at: 9_000 }, doubleEscapeMs: 1_000 })).toEqual({
      do: "rewind",
    });
  });

  it("closes what is open before it means anything else", () => {
    expect(press("escape", { editorWants: "yes" })).toEqual({ do: "edit" });
    expect(press("escape", { panel: "keys" })).toEqual({ do: "panel", panel: "none" });
    expect(press("escape", { waiting: "yes" })).toEqual({ do: "stop-waiting" });
  });

  it("does nothing while the session is opened", () => {
    expect(press("escape", { phase: "opening", waiting: "yes" })).toEqual({ do: "nothing" });
  });
});

describe("Ctrl+C", () => {
  it("interrupts, then clears, then leaves", () => {
    expect(press("ctrl+c", { phase: "turn" })).toEqual({ do: "interrupt" });
    expect(press("ctrl+c", { editor: "text" })).toEqual({ do: "clear" });
    expect(press("ctrl+c")).toEqual({ do: "hint", hint: "leave" });
    expect(press("ctrl+c", { previous: { key: "ctrl+c", at: 8_500 } })).toEqual({ do: "leave" });
    expect(press("ctrl+c", { previous: { key: "ctrl+c", at: 7_999 } })).toEqual({
      do: "hint",
      hint: "leave",
    });
  });

  it("can leave while the session is opened", () => {
    const opening = { phase: "opening", waiting: "yes" } as const;
    expect(press("ctrl+c", { ...opening, previous: { key: "ctrl+c", at: 9_900 } })).toEqual({ do: "leave" });
  });
});

describe("other keys", () => {
  it("leave with Ctrl+D twice where nothing is typed, and delete where something is", () => {
    expect(press("ctrl+d")).toEqual({ do: "hint", hint: "leaveByD" });
    expect(press("ctrl+d", { previous: { key: "ctrl+d", at: 9_900 } })).toEqual({ do: "leave" });
    expect(press("ctrl+d", { editor: "text" })).toEqual({ do: "edit" });
    expect(press("ctrl+d", { phase: "turn" })).toEqual({ do: "nothing" });
  });

  it("choose a first step only on the first screen, with nothing typed", () => {
    expect(press("2", { firstScreen: "yes" })).toEqual({ do: "first-step", step: 2 });
    expect(press("6", { firstScreen: "yes" })).toEqual({ do: "edit" });
    expect(press("2", { firstScreen: "yes", editor: "text" })).toEqual({ do: "edit" });
    expect(press("2")).toEqual({ do: "edit" });
  });

  it("show the keys with ? where nothing is typed, and are letters elsewhere", () => {
    expect(press("?")).toEqual({ do: "panel", panel: "keys" });
    expect(press("?", { panel: "keys" })).toEqual({ do: "panel", panel: "none" });
    expect(press("?", { editor: "text" })).toEqual({ do: "edit" });
  });

  it("continue without the first capture only while the agent waits for it", () => {
    expect(press("ctrl+p", { phase: "turn", doing: "waiting-for-capture" })).toEqual({
      do: "go-on-without-capture",
    });
    expect(press("ctrl+p", { phase: "turn", doing: "thinking" })).toEqual({ do: "edit" });
  });

  it("belong to the editor where it has something open", () => {
    expect(press("pageUp", { editorWants: "yes" })).toEqual({ do: "edit" });
    expect(press("pageUp")).toEqual({ do: "scroll", by: "page-up" });
  });
});
