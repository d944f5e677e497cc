import type { EntryKind } from "../../../record/entry.ts";

/**
 * Fields that hold an entry in its place or say one word of a closed list. They are never
 * touched: without them the entry could not be read, or would mean something else. A wish that
 * would need it is refused. All other fields hold words.
 */
const keptByKind: Readonly<Record<EntryKind, readonly string[]>> = {
  session: [
    "session",
    "workspace",
    "mode",
    "tag",
    "backtrack",
    "forkedFrom",
    "imported",
    "task",
    "execution",
  ],
  prompt: [],
  step: [],
  reply: ["end", "usage"],
  "tool-start": [],
  "tool-end": ["outcome"],
  notice: ["owner"],
  checkpoint: ["on"],
  snapshot: ["state", "snapshot", "author", "gitHead", "machine"],
  backtrack: ["from", "left", "leftAuthor", "leftGitHead", "files"],
  rewind: ["from", "scope", "left", "leftAuthor", "leftGitHead", "choice"],
  redo: ["journey", "from", "scope", "left", "leftAuthor", "leftGitHead", "revokes"],
  restored: ["journey", "snapshot"],
  compaction: ["firstKept", "pinned", "reason", "usage"],
  todos: [],
  title: [],
  label: ["target"],
  saved: ["status", "decided"],
  "checkpoint-delete": [],
  "execution-finish": [],
  interrupt: ["by"],
  error: [],
  rotated: ["session"],
  host: [],
  interval: ["snapshot", "author", "machine"],
};

const ENVELOPE = ["seq", "id", "parent", "at", "kind", "origin", "forgotten", "foreignKind"];

export function isKept(kind: EntryKind | "foreign", field: string): boolean {
  return ENVELOPE.includes(field) || (kind !== "foreign" && keptByKind[kind].includes(field));
}
