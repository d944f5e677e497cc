import { describe, expect, it } from "vitest";
import { en } from "../../../../src/strings/en.ts";
import { previewDialog } from "../../../../src/tui/dialogs/journeys/preview.ts";
import { scopeMenu } from "../../../../src/tui/dialogs/journeys/scope-menu.ts";
import { play, roomOf, zh } from "../played.ts";
import { PREVIEW } from "./rows.ts";

const preview = previewDialog(en, {
  title: "Rewind to #12 find the leak",
  preview: PREVIEW,
  running: ["npm run dev"],
});

describe("the preview of a journey", () => {
  it("says what would happen to each file, conflicts first", () => {
    expect(play(preview, []).lines).toEqual([
      "Rewind to #12 find the leak",
      "2 files were changed by others since: kept unless you choose",
      "Still running (s to stop it): npm run dev",
      "git moved from main to next: it is not touched",
      "Files: 1 created, 1 changed, 1 deleted, 1 kept",
      "Leaves behind, and keeps: 12 entries, 34,000 tokens",
      "> ! notes.md                                                conflict: keep yours",
      "  ! 世界.md                                                 conflict: keep yours",
      "  ~ src/pool.ts                                                   changed +3 -12",
      "  + src/new.ts                                                     created +5 -0",
      "  - old.ts                                                               deleted",
      "  = .env                                                    stays: changed since",
      "Enter go · k keep · t take · m merge · K T M all · Esc back",
    ]);
  });

  it("takes keep, take and merge for the conflict that is chosen, and in capitals for all", () => {
    const none = new Map();
    expect(play(preview, ["enter"]).outcome).toEqual({ answer: { choices: none, running: "leave" } });
    expect(play(preview, ["t", "down", "m", "down", "t", "enter"]).outcome).toEqual({
      answer: {
        choices: new Map([
          ["notes.md", "take"],
          ["世界.md", "merge"],
        ]),
        running: "leave",
      },
    });
    expect(play(preview, ["T", "k", "enter"]).outcome).toEqual({
      answer: {
        choices: new Map([
          ["notes.md", "keep"],
          ["世界.md", "take"],
        ]),
        running: "leave",
      },
    });
  });

  it("offers to stop what still runs", () => {
    expect(play(preview, ["s", "enter"]).outcome).toEqual({
      answer: { choices: new Map(), running: "stop" },
    });
    expect(play(preview, ["s"]).lines[2]).toBe("Will be stopped first (s to let it run): npm run dev");
  });

  it("goes back with Esc", () => {
    expect(play(preview, ["escape"]).outcome).toEqual({ answer: undefined });
  });

  it("fits 40 columns and few rows, in Chinese", () => {
    const chinese = previewDialog(zh, { title: "回退到 #12", preview: PREVIEW, running: [] });
    expect(play(chinese, ["down", "t", "down"], roomOf(40, 9, zh)).lines).toEqual([
      "回退到 #12",
      "有 2 个文件此后被他人改动：默认保留",
      "git 当时在 main，现在在 next：只回退文",
      "件，不动 git",
      "文件：新建 1，修改 1，删除 1，保留 1",
      "  ! 世界.md               冲突：采用旧版",
      "> ~ src/pool.ts              修改 +3 -12",
      "  + src/new.ts                新建 +5 -0",
      "Enter 执行 · k 保留 · t 采用 · m 合并",
    ]);
  });

  it("says why files stay, where only the conversation goes", () => {
    const { files: _files, ...conversation } = PREVIEW;
    const stays = previewDialog(en, {
      title: "Rewind",
      preview: { ...conversation, scope: "conversation", filesStay: "the snapshot was let go" },
      running: [],
    });
    expect(play(stays, []).lines).toEqual([
      "Rewind",
      "Files stay as they are: the snapshot was let go",
      "Leaves behind, and keeps: 12 entries, 34,000 tokens",
      "Enter go · ↑↓ look · Esc back",
    ]);
  });
});

describe("the menu of scopes", () => {
  it("offers what the place allows, and says why files cannot go back", () => {
    const menu = scopeMenu(en, { scopes: ["conversation"], without: "never captured" }, "#12 find the leak");
    expect(play(menu, []).lines).toEqual([
      "Rewind to #12 find the leak",
      "Files cannot go back: never captured",
      "> 1. Conversation only  Files stay as they are now",
      "↑↓ or digit · Enter choose · Esc back",
    ]);
    expect(play(scopeMenu(en, { scopes: ["both", "conversation", "files"] }, "#1"), ["3"]).outcome).toEqual({
      answer: "files",
    });
  });
});
