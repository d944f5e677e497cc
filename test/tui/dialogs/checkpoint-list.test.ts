import { describe, expect, it, vi } from "vitest";
import type { CheckpointRow } from "../../../src/app/checkpoints/checkpoint-rows.ts";
import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import { zhCn } from "../../../src/strings/zh-cn.ts";
import { type CheckpointListState, checkpointList } from "../../../src/tui/dialogs/checkpoint-list.ts";
import { drawIn, play, roomOf, zh } from "./played.ts";
import { CHECKPOINTS, checkpoint, EXECUTION } from "./rows.ts";

function list(rows: readonly CheckpointRow[] = CHECKPOINTS, strings: Strings = en) {
  return checkpointList(strings, { rows, changedSince: async ({ number }) => number, title: "Rewind to:" });
}

const elsewhere = CHECKPOINTS[5];

describe("the list of checkpoints", () => {
  it("begins at row 0, the current place, so that Enter changes nothing", () => {
    expect(play(list(), ["enter"]).outcome).toEqual({ answer: undefined });
    expect(play(list(), ["0"]).outcome).toEqual({ answer: undefined });
    expect(play(list(), ["escape"]).outcome).toEqual({ answer: undefined });
  });

  it("shows rows, places, times and texts, with other sessions in a separate group", () => {
    expect(play(list(), []).lines).toEqual([
      "Rewind to:",
      "> 0 (current)",
      "  1 + #12 3 min ago  find the leak in 世界 pool.ts                             …",
      "  2   #3  10 min ago [good] (other branch)                     conversation only",
      "  3   #2  10 min ago ! npm test                                                …",
      "Other sessions in this workspace",
      "  4   zelsewhere:7 10 min ago other work                                       …",
      "Enter rewind · → steps · / filter · 0 or Esc cancel",
    ]);
  });

  it("fits 40 columns, in Chinese too", () => {
    expect(play(list(CHECKPOINTS, zh), ["down", "down"], roomOf(40, 20, zh)).lines).toEqual([
      "Rewind to:",
      "  0 (current)",
      "  1 + #12 3 min ago find the leak in … …",
      "> 2   #3 10 min ago [good] （已离开的… -",
      "  3   #2 10 min ago ! npm test         …",
      "本工作区的其他会话",
      "  4   zels:7 10 min ago other work     …",
      "Enter 前往 · → 步骤 · / 筛选",
      "0/Esc 取消",
    ]);
  });

  it("has executions of programs between this session's rows and those of others, in both languages", () => {
    const rows = [...CHECKPOINTS.slice(0, 5), EXECUTION, ...CHECKPOINTS.slice(5)];
    expect(play(list(rows), []).lines.slice(4)).toEqual([
      "  3   #2  10 min ago ! npm test                                                …",
      "Program executions in this workspace",
      "  4   10 min ago Restore exec-123, step data_processing                        …",
      "Other sessions in this workspace",
      "  5   zelsewhere:7 10 min ago other work                                       …",
      "Enter rewind · → steps · / filter · 0 or Esc cancel",
    ]);
    expect(play(list(rows, zhCn), [], roomOf(80, 20, zhCn)).lines.slice(5, 7)).toEqual([
      "本工作区中程序的执行",
      "  4   10 分钟前 恢复 exec-123，步骤 data_processing                            …",
    ]);
    // The rows of executions do not unfold.
    expect(play(list(rows), ["down", "down", "down", "down"]).lines.at(-1)).toBe(
      "Enter restore · / filter · 0 or Esc cancel",
    );
    expect(play(list(rows), ["4"]).outcome).toEqual({ answer: EXECUTION });
    expect(play(list(rows), ["/", "e", "x", "e", "c", "enter"]).outcome).toEqual({ answer: EXECUTION });
  });

  it("chooses a row by its number, also below the heading", () => {
    expect(play(list(), ["4"]).outcome).toEqual({ answer: elsewhere });
    expect(play(list(), ["end", "enter"]).outcome).toEqual({ answer: elsewhere });
    expect(play(list(), ["down", "down", "down", "down", "enter"]).outcome).toEqual({ answer: elsewhere });
  });

  it("is there at once, and has those of other sessions below when they were read", async () => {
    const here = CHECKPOINTS.filter(({ place }) => place === "here");
    const others = CHECKPOINTS.filter(({ place }) => place === "elsewhere");
    const changedSince = async () => 0;
    const dialog = checkpointList(en, {
      rows: here,
      elsewhere: async () => others,
      changedSince,
      title: "Where?",
    });
    expect(drawIn(dialog, dialog.start, roomOf(80)).at(-2)).toBe(
      "Reading the other sessions in this workspace…",
    );
    let state = dialog.start;
    dialog.background?.((change) => {
      state = change(state);
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(drawIn(dialog, state, roomOf(80)).slice(-3, -1)).toEqual([
      "Other sessions in this workspace",
      expect.stringContaining("other work"),
    ]);
    const failing = async () => Promise.reject(new Error("unreadable"));
    const alone = checkpointList(en, { rows: here, elsewhere: failing, changedSince, title: "Where?" });
    let without = alone.start;
    alone.background?.((change) => {
      without = change(without);
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(drawIn(alone, without, roomOf(80)).at(-2)).toBe("Could not read the other sessions; see /doctor");
  });

  it("says how many sessions could not be read, and chooses a row of another session in a filter", () => {
    const some = checkpointList(en, {
      rows: CHECKPOINTS,
      unreadable: () => 2,
      changedSince: async () => 0,
      title: "Where?",
    });
    expect(play(some, []).lines.at(-2)).toBe("2 sessions could not be read; see /doctor");
    const filtered = play(some, ["/", "'other work'"]).lines;
    expect(filtered.slice(2, 4)).toEqual([
      "Other sessions in this workspace",
      "> 1   zelsewhere:7 10 min ago other work                                       …",
    ]);
    const elsewhere = CHECKPOINTS.at(-1);
    expect(play(some, ["/", "'other work'", "enter"]).outcome).toEqual({ answer: elsewhere });
    expect(play(some, ["/", "'other work'", "escape", "enter"]).outcome).toEqual({ answer: elsewhere });
    expect(play(some, ["/", "'#14'", "escape", "enter"]).outcome).toEqual({ answer: CHECKPOINTS[2] });
  });

  it("unfolds what was made after a command below it", () => {
    const rows = [
      checkpoint(3, { on: "after", text: "! rm a" }),
      checkpoint(2, { on: "command", text: "! rm a" }),
    ];
    const dialog = checkpointList(en, { rows, changedSince: async () => 0, title: "Where?" });
    expect(play(dialog, []).lines.slice(1, 3)).toEqual([
      expect.stringMatching(/^> 0 /u),
      expect.stringMatching(/^ {2}1 \+ #2 10 min ago ! rm a {2}/u),
    ]);
    expect(play(dialog, ["down", "right"]).lines.slice(2, 4)).toEqual([
      expect.stringMatching(/^> 1 - #2 10 min ago ! rm a {2}/u),
      expect.stringMatching(/^ {2}2 {3}L #3 10 min ago after ! rm a {2}/u),
    ]);
  });

  it("unfolds steps in the order they were made, and folds them again", () => {
    const unfolded = play(list(), ["down", "right"]).lines.map((line) => line.slice(0, 16).trimEnd());
    expect(unfolded.slice(2, 6)).toEqual([
      "> 1 - #12 3 min",
      "  2   L #13 2 mi",
      "  3   L #14 1 mi",
      "  4   #3  10 min",
    ]);
    expect(play(list(), ["down", "space", "down", "down", "enter"]).outcome).toEqual({
      answer: CHECKPOINTS[0],
    });
    const folded = play(list(), ["down", "right", "down", "left"]).lines;
    expect(folded.slice(1, 4).map((line) => line.slice(0, 9))).toEqual([
      "  0 (curr",
      "> 1 + #12",
      "  2   #3 ",
    ]);
  });

  it("opens again where the user was, on a step too", () => {
    const again = checkpointList(en, {
      rows: CHECKPOINTS,
      changedSince: async () => 0,
      title: "Rewind to:",
      ...(CHECKPOINTS[1] === undefined ? {} : { chosen: CHECKPOINTS[1] }),
    });
    expect(play(again, ["enter"]).outcome).toEqual({ answer: CHECKPOINTS[1] });
  });

  it("filters, and then has the first that was found chosen", () => {
    expect(play(list(), ["/", "'leak'", "enter"]).outcome).toEqual({ answer: CHECKPOINTS[2] });
    expect(play(list(), ["/", "'#13'", "enter"]).outcome).toEqual({ answer: CHECKPOINTS[1] });
    expect(play(list(), ["/", "'nothing'"]).lines.slice(1, 3)).toEqual([
      "/ nothing_",
      "No checkpoints found.",
    ]);
  });

  it("keeps the chosen row in sight of many, where rows are few", () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      checkpoint(200 - index, { text: `prompt ${200 - index}` }),
    );
    const { lines } = play(list(many), ["end", "pageUp"], roomOf(40, 6));
    expect(lines.filter((line) => line.startsWith(">"))).toHaveLength(1);
    expect(lines).toHaveLength(6);
  });

  it("fills in what changed since, the chosen row first, and stops when it is left", async () => {
    const asked: number[] = [];
    const dialog = checkpointList(en, {
      rows: CHECKPOINTS,
      changedSince: async ({ number }) => {
        asked.push(number);
        if (number === 2) throw new Error("cannot be said");
        return number;
      },
      title: "Rewind to:",
    });
    let state: CheckpointListState = { ...dialog.start, list: { ...dialog.start.list, chosen: 3 } };
    const beside = dialog.background?.((change) => {
      state = change(state);
      if (asked.length === 3) beside?.end();
    });
    beside?.onState(state);
    await vi.waitFor(() => expect(asked).toEqual([2, 3, 12]));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(asked).toEqual([2, 3, 12]);
    expect(drawIn(dialog, state, roomOf(40)).slice(2, 5)).toEqual([
      "  1 + #12 3 min ago find the leak i… ±12",
      "  2   #3 10 min ago [good] (other bra… -",
      "> 3   #2 10 min ago ! npm test",
    ]);
  });

  it("looks up only what is near the chosen row of 20,000, and lets keys through in between", async () => {
    const asked: number[] = [];
    const rows = Array.from({ length: 20_000 }, (_, index) => checkpoint(20_000 - index, { text: "again" }));
    const changedSince = async ({ number }: { number: number }) => asked.push(number);
    const dialog = checkpointList(en, { rows, changedSince, title: "Rewind to:" });
    let state = dialog.start;
    const beside = dialog.background?.((change) => {
      state = change(state);
    });
    beside?.onState(state);
    await new Promise((resolve) => setImmediate(resolve));
    // A key is handled after the first answer, long before the last one.
    expect(asked.length).toBeLessThan(10);
    const pressed = dialog.press(state, { key: "end" }, roomOf());
    if ("answer" in pressed) throw new Error("left");
    state = pressed.state;
    beside?.onState(state);
    await vi.waitFor(() => expect(state.changed.has("here:100")).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked.length).toBeLessThan(120);
    expect(drawIn(dialog, state, roomOf()).at(-2)).toMatch(/^> 20000 .*files since$/u);
  });
});
