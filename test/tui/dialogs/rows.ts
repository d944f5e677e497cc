import type { CheckpointRow } from "../../../src/app/checkpoints/checkpoint-rows.ts";
import type { JourneyPreview } from "../../../src/app/journeys/journey-types.ts";
import type { TreeRow } from "../../../src/app/queries/query-types.ts";
import type { EntryId, SessionId } from "../../../src/record/ids.ts";
import { NOW } from "./played.ts";

const MINUTE = 60_000;

export function checkpoint(number: number, more: Partial<CheckpointRow> = {}): CheckpointRow {
  return {
    session: "here" as SessionId,
    number,
    entry: `e${number}` as EntryId,
    place: "here",
    at: NOW - 10 * MINUTE,
    on: "prompt",
    branch: "here",
    files: "complete",
    ...more,
  };
}

/** Newest first: two steps of #12, a label on another branch, a command, and a row of another session. */
export const CHECKPOINTS: readonly CheckpointRow[] = [
  checkpoint(14, { on: "step", at: NOW - MINUTE }),
  checkpoint(13, { on: "step", at: NOW - 2 * MINUTE }),
  checkpoint(12, { text: "find the leak in 世界 pool.ts", at: NOW - 3 * MINUTE }),
  checkpoint(3, { on: "manual", branch: "left", label: "good", files: "let-go" }),
  checkpoint(2, { on: "command", text: "! npm test" }),
  checkpoint(7, { session: "zelsewhere" as SessionId, place: "elsewhere", text: "other work" }),
];

/** The row of an execution whose newest successful step ends at #4 of its session. */
export const EXECUTION: CheckpointRow = checkpoint(4, {
  session: "program" as SessionId,
  place: "execution",
  on: "manual",
  execution: { id: "exec-123", step: "data_processing" },
});

export const PREVIEW: JourneyPreview = {
  scope: "both",
  place: { number: 12, at: NOW, text: "find the leak" },
  entries: 12,
  tokens: 34_000,
  files: {
    steps: [
      { path: "src/pool.ts", what: "changed", kind: "file", added: 3, removed: 12 },
      { path: "src/new.ts", what: "created", kind: "file", added: 5, removed: 0 },
      { path: "old.ts", what: "deleted", kind: "file" },
    ],
    conflicts: [
      { path: "notes.md", what: "changed", kind: "file", choice: "keep", merge: "clean" },
      { path: "世界.md", what: "deleted", kind: "file", choice: "keep", merge: "clean" },
    ],
    kept: [
      { path: "notes.md", fate: "kept", why: { why: "outside" } },
      { path: "世界.md", fate: "kept", why: { why: "outside" } },
      { path: ".env", fate: "kept", why: { why: "not-captured" } },
    ],
    during: [],
    deletions: 1,
    consent: "given",
    git: { was: "main", now: "next" },
    tracked: "everything",
  },
};

function treeRow(entry: string, text: string, more: Partial<TreeRow> = {}): TreeRow {
  return {
    entry: entry as EntryId,
    what: { kind: "prompt", text },
    at: NOW,
    rails: [],
    hang: "along",
    branch: "here",
    isHead: false,
    ...more,
  };
}

/** A tree with two other branches attached to #1, and the path to the head below them. */
export const TREE: readonly TreeRow[] = [
  treeRow("a", "begin", { number: 1, go: { by: "rewind", to: 1 } }),
  treeRow("b", "first try", { hang: "fork", branch: "left" }),
  treeRow("c", "", {
    what: { kind: "end", by: "backtrack", to: 1, entries: 4 },
    number: 2,
    rails: ["open"],
    branch: "left",
    go: { by: "redo", journey: "j7" as EntryId },
  }),
  treeRow("d", "second try", { hang: "last", branch: "left" }),
  treeRow("e", "third try"),
  treeRow("f", "done", { number: 5, label: "best", isHead: true, go: { by: "staying" } }),
];
