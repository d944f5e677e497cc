import { describe, expect, it } from "vitest";
import {
  type HistorySearch,
  newer,
  older,
  pressSearch,
  remembered,
  searchHistory,
  searchLines,
} from "../../../src/tui/editor/inputs.ts";
import { readKeys } from "../../../src/tui/terminal/keys.ts";
import { plainLook } from "../support/plain-look.ts";
import { seen } from "./support/typing.ts";

const entries = ["npm test", "fix the leak", "npm run check", "npm test"];

describe("what was typed before", () => {
  it("is walked through backwards, and forward to what one was typing", () => {
    const first = older(entries, undefined, "draft");
    const second = older(entries, first?.place, "npm test");
    expect([first, second]).toEqual([
      { place: { back: 0, draft: "draft" }, text: "npm test" },
      { place: { back: 1, draft: "draft" }, text: "npm run check" },
    ]);
    expect(newer(entries, second?.place)).toEqual(first);
    expect(newer(entries, first?.place)).toEqual({ place: undefined, text: "draft" });
    expect(newer(entries, undefined)).toBeUndefined();
    expect(older(["one"], { back: 0, draft: "" }, "one")).toBeUndefined();
  });

  it("is kept once where it was typed twice in a row", () => {
    expect(remembered(entries, " npm test ")).toEqual(entries);
    expect(remembered(entries, "  ")).toEqual(entries);
    expect(remembered(["a"], "b")).toEqual(["a", "b"]);
  });
});

describe("searching in what was typed", () => {
  const press = (search: HistorySearch, data: string) => {
    const [key] = readKeys(data);
    if (key === undefined) throw new Error("no key");
    return pressSearch(search, key, entries);
  };
  const pressed = (search: HistorySearch, data: string): HistorySearch => {
    const next = press(search, data);
    if (!("search" in next)) throw new Error("it is over");
    return next.search;
  };

  it("finds the newest first, each text once", () => {
    expect(searchHistory(entries, "NPM")).toEqual({
      searched: "NPM",
      matches: ["npm test", "npm run check"],
      chosen: 0,
    });
  });

  it("goes to older ones with Ctrl+R, and stays at the oldest", () => {
    const search = searchHistory(entries, "npm");
    expect([pressed(search, "\x12").chosen, pressed(pressed(search, "\x12"), "\x12").chosen]).toEqual([1, 1]);
  });

  it("narrows with each letter, and widens with Backspace", () => {
    const search = pressed(searchHistory(entries, "npm "), "r");
    expect(search).toEqual({ searched: "npm r", matches: ["npm run check"], chosen: 0 });
    expect(pressed(search, "\x7f").matches).toEqual(["npm test", "npm run check"]);
  });

  it("takes the chosen one with Enter, and leaves with Esc", () => {
    expect(press(searchHistory(entries, "fix"), "\r")).toEqual({ taken: "fix the leak" });
    expect(press(searchHistory(entries, "nothing"), "\r")).toEqual({ left: true });
    expect(press(searchHistory(entries, "fix"), "\x1b")).toEqual({ left: true });
  });

  it("shows the matches above the line that is typed into", () => {
    const lines = searchLines(pressed(searchHistory(entries, "npm"), "\x12"), 60, plainLook());
    expect(lines.map(seen)).toEqual([
      "❯ npm run check",
      "  npm test",
      "history: npm|   2 of 2, Ctrl+R older, Enter takes it",
    ]);
    expect(searchLines(searchHistory([], ""), 60, plainLook()).map(seen)).toEqual([
      "history: |   nothing like that was typed",
    ]);
  });
});
