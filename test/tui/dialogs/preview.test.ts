import { describe, expect, it } from "vitest";
import type { FilesPreviewed } from "../../../src/app/journeys/journey-types.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { en } from "../../../src/strings/en.ts";
import { previewDialog } from "../../../src/tui/dialogs/preview.ts";
import { scopeMenu } from "../../../src/tui/flows/rewind.ts";
import { play, roomOf, zh } from "./played.ts";
import { PREVIEW } from "./rows.ts";

const preview = previewDialog(en, {
  title: "Rewind to #12 find the leak",
  preview: PREVIEW,
  running: ["npm run dev"],
});

function shown(files: Pick<FilesPreviewed, "steps" | "conflicts" | "kept">) {
  const preview = { ...PREVIEW, files: { ...REST, ...files } };
  return previewDialog(en, { title: "Rewind", preview, running: [] });
}

const REST = {
  during: [],
  deletions: 0,
  consent: "given",
  git: { was: "main", now: "next" },
  tracked: "everything",
} as const;

function stated(message: string): WorldlineError {
  return new WorldlineError("stated", { code: "REWIND_REFUSED", message });
}

describe("the preview of a journey", () => {
  it("says what would happen to each file, conflicts first", () => {
    expect(play(preview, []).lines).toEqual([
      "Rewind to #12 find the leak",
      "2 files changed outside this session: kept unless you choose otherwise",
      "Still running (may change files again): npm run dev",
      "git moved from main to next (git itself does not change)",
      "Files: 1 created, 1 changed, 1 deleted, 3 kept",
      "Leaves this branch (12 entries, 34,000 tokens, kept in /tree)",
      "> ! notes.md                                                conflict: keep yours",
      "  ! 世界.md                                                 conflict: keep yours",
      "  ~ src/pool.ts                                                   changed +3 -12",
      "  + src/new.ts                                                     created +5 -0",
      "  - old.ts                                                               deleted",
      "  = .env                        kept: captured neither at the checkpoint nor now",
      "Enter apply · k keep · t take · m merge · K T M all · s stop commands · Esc back",
    ]);
  });

  it("names the other agent that takes files back, its limits, and what cannot be undone", () => {
    const through = {
      name: "Claude Agent SDK",
      limits: ["overwrites", "folders"],
      undo: "not-captured",
    } as const;
    const files = { ...REST, steps: [], conflicts: [], kept: [], through };
    const dialog = previewDialog(en, { title: "Rewind", preview: { ...PREVIEW, files }, running: [] });
    expect(play(dialog, []).lines.slice(2, 6)).toEqual([
      "Restored from the Claude Agent SDK's own checkpoints (snapshots.engine):",
      "- outside edits to these files are overwritten",
      "- folders stay",
      "Files are not captured here, so redo cannot restore their current state.",
    ]);
  });

  it("says that conflicts are taken where that is what happens", () => {
    const conflict = {
      path: "imp.db",
      what: "changed",
      kind: "file",
      choice: "take",
      merge: "clean",
    } as const;
    expect(play(shown({ steps: [], conflicts: [conflict], kept: [] }), []).lines).toEqual(
      expect.arrayContaining([
        "1 file changed outside this session: overwritten unless you choose otherwise",
        expect.stringContaining("imp.db"),
      ]),
    );
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

  it("takes keep and take in capitals also for what changed while commands ran", () => {
    const during = [{ path: "src/pool.ts", commands: "`make`" }];
    const files = { ...REST, steps: PREVIEW.files?.steps ?? [], conflicts: [], kept: [], during };
    const dialog = previewDialog(en, { title: "Rewind", preview: { ...PREVIEW, files }, running: [] });
    const choices = (...keys: readonly string[]) => play(dialog, [...keys, "enter"]).outcome;
    const answer = (choice: "keep" | "take") => ({
      answer: { choices: new Map([["src/pool.ts", choice]]), running: "leave" },
    });
    expect([choices("K"), choices("K", "T"), choices("K", "M")]).toEqual([
      answer("keep"),
      answer("take"),
      answer("keep"),
    ]);
  });

  it("counts files as they would be with the current choices, and never folders", () => {
    const counts = (...keys: readonly string[]) => play(preview, keys).lines[4];
    expect([counts("t"), counts("T"), counts("M"), counts("T", "K")]).toEqual([
      "Files: 1 created, 2 changed, 1 deleted, 2 kept",
      "Files: 1 created, 2 changed, 2 deleted, 1 kept",
      "Files: 1 created, 3 changed, 1 deleted, 1 kept",
      "Files: 1 created, 1 changed, 1 deleted, 3 kept",
    ]);
    const folder = { path: "lib", what: "created", kind: "folder" } as const;
    const file = { path: "lib/a.ts", what: "created", kind: "file" } as const;
    const { lines } = play(shown({ steps: [folder, file], conflicts: [], kept: [] }), []);
    expect(lines.slice(2, 5)).toEqual([
      "Files: 1 created, 0 changed, 0 deleted",
      "Leaves this branch (12 entries, 34,000 tokens, kept in /tree)",
      "> + lib/                                                                 created",
    ]);
  });

  it("numbers its rows where not all are seen, and goes through them by page", () => {
    const steps = Array.from({ length: 146 }, (_, index) => {
      return { path: `f${index + 1}`, what: "deleted", kind: "file" } as const;
    });
    const long = shown({ steps, conflicts: [], kept: [] });
    const at = (...keys: readonly string[]) => play(long, keys, roomOf(40, 12)).lines[0]?.split(" ").at(-1);
    expect([at(), at("end"), at("end", "home"), at("pageDown"), at("pageDown", "pageUp")]).toEqual([
      "1/146",
      "146/146",
      "1/146",
      "7/146",
      "1/146",
    ]);
  });

  it("says that another session is opened, and leaves tokens out where there are more of them there", () => {
    const { files: _files, tokens: _tokens, ...other } = PREVIEW;
    const opens = { session: "s2" as SessionId, title: "the other work" };
    const visit = { ...other, scope: "conversation", opens } as const;
    expect(play(previewDialog(en, { title: "Rewind", preview: visit, running: [] }), []).lines).toEqual([
      "Rewind",
      "Switches to another session: the other work (this one is kept)",
      "Leaves this branch (12 entries, kept in /tree)",
      "Enter apply · ↑↓ scroll · Esc back",
    ]);
  });

  it("begins with what was chosen before", () => {
    const from = { choices: new Map([["notes.md", "take"]] as const), running: "stop" } as const;
    const again = previewDialog(en, { title: "Rewind", preview: PREVIEW, running: ["npm run dev"], from });
    expect(play(again, ["enter"]).outcome).toEqual({ answer: from });
  });

  it("offers to stop what still runs", () => {
    expect(play(preview, ["s", "enter"]).outcome).toEqual({
      answer: { choices: new Map(), running: "stop" },
    });
    const { lines } = play(preview, ["s"]);
    expect(lines[2]).toBe("Will be stopped first: npm run dev");
    expect(lines.join("\n")).toContain("s keep them running");
  });

  it("goes back with Esc", () => {
    expect(play(preview, ["escape"]).outcome).toEqual({ answer: undefined });
  });

  it("fits 40 columns and few rows, in Chinese", () => {
    const chinese = previewDialog(zh, { title: "回退到 #12", preview: PREVIEW, running: [] });
    expect(play(chinese, ["down", "t", "down"], roomOf(40, 9, zh)).lines).toEqual([
      "回退到 #12                           3/6",
      "有 2 个文件此后被他人或在另一会话中改",
      "动：默认保留",
      "git 当时在 main，现在在 next：只回退文",
      "件，不动 git",
      "  ! 世界.md     冲突：用检查点的内容覆盖",
      "> ~ src/pool.ts              修改 +3 -12",
      "  + src/new.ts                新建 +5 -0",
      "Enter 执行 · k 保留 · t 采用 · Esc 返回",
    ]);
  });

  it("says why files stay, where only the conversation goes", () => {
    const { files: _files, ...conversation } = PREVIEW;
    const stays = previewDialog(en, {
      title: "Rewind",
      preview: { ...conversation, scope: "conversation", filesStay: stated("the snapshot was let go") },
      running: [],
    });
    expect(play(stays, []).lines).toEqual([
      "Rewind",
      "Files stay as they are: the snapshot was let go",
      "Leaves this branch (12 entries, 34,000 tokens, kept in /tree)",
      "Enter apply · ↑↓ scroll · Esc back",
    ]);
  });
});

describe("the menu of scopes", () => {
  it("offers what the place allows, and says why files cannot go back", () => {
    const menu = scopeMenu(
      en,
      { scopes: ["conversation"], without: stated("never captured") },
      "Rewind to #12 find the leak",
    );
    expect(play(menu, []).lines).toEqual([
      "Rewind to #12 find the leak",
      "Files cannot be restored: never captured",
      "> 1. Conversation only  Files stay as they are",
      "↑↓ or digit · Enter select · Esc back",
    ]);
    const nothing = scopeMenu(
      en,
      { scopes: [], without: stated("never captured") },
      "Rewind to #12 find the leak",
    );
    expect(play(nothing, []).lines).toEqual([
      "Rewind to #12 find the leak",
      "Files cannot be restored: never captured",
      "There is nothing to rewind here.",
      "Esc back",
    ]);
    expect(play(nothing, ["enter"]).outcome).toEqual({ answer: undefined });
    expect(play(scopeMenu(en, { scopes: ["both", "conversation", "files"] }, "#1"), ["3"]).outcome).toEqual({
      answer: "files",
    });
  });
});
