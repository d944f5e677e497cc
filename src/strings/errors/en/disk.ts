import type { DiskFailure, DiskRefusal, NamedStored, SingleStored, Stored } from "../facts.ts";
import { error, type Problem, type Wording } from "../texts.ts";

/** The errors of the disk, and of the home folder on it. */
export const disk = {
  "write-no-room": error(
    "STORE_FULL",
    ({ stored, errno }: Pick<DiskFailure, "stored" | "errno">) =>
      `${storedThing(stored)} could not be written: there is no room (${errno ?? UNKNOWN}).`,
    (_, { command }) =>
      `Nothing that was written before is lost. Make room on the disk (${command("store gc")}). ${AGAIN}`,
  ),
  "write-failed": error(
    "STORE_UNWRITABLE",
    ({ stored, errno }: DiskFailure) => `${storedThing(stored)} could not be written (${errno ?? UNKNOWN}).`,
    ({ refusal, place }) => WRITE_HINTS[refusal](place ?? UNKNOWN_PLACE),
  ),
  "read-failed": error(
    "STORE_UNREADABLE",
    ({ stored, errno }: DiskFailure) => `${storedThing(stored)} could not be read (${errno ?? UNKNOWN}).`,
    ({ refusal, place }, wording) => readHint(refusal, place ?? UNKNOWN_PLACE, wording),
  ),
  /** Making room needs some, and then its own name is no advice. */
  "no-room-to-make-room": error(
    "STORE_FULL",
    ({ problem }: { readonly problem: Problem }, wording) => wording.message(problem),
    () =>
      "Nothing that was written before is lost. Remove about 2 MB of other files from this disk, then run the command again.",
  ),
  "home-unknown": error(
    "STORE_UNWRITABLE",
    () =>
      "There is no folder for sessions: HOME is not set, and the system knows no home folder of this user.",
    () => "Set WORLDLINE_HOME to a folder that you may write to.",
  ),
  "home-key-exposed": error(
    "HOME_KEY_UNUSABLE",
    ({ path }: { readonly path: string }) => `Other users can read ${path}, so it is not used.`,
    ({ path }) =>
      `Run \`chmod 600 ${path}\`. If another user may have copied it, remove it instead; your sessions then need to be confirmed once.`,
  ),
  "home-key-unusable": error(
    "HOME_KEY_UNUSABLE",
    ({ path, why }: { readonly path: string; readonly why: "gone-again" | "unreadable" | "damaged" }) =>
      `The key of this home, ${path}, ${HOME_KEY_FAULTS[why]}.`,
    () =>
      "Put it back from a backup, or remove it: then a new one is made, and your sessions need to be confirmed once.",
  ),
};

const UNKNOWN = "unknown error";
const UNKNOWN_PLACE = "the folder";

const HOME_KEY_FAULTS = {
  "gone-again": "is gone again",
  unreadable: "cannot be read",
  damaged: "is damaged",
};

/** A session that stays open keeps what it could not write: given again, it would stand there twice. */
const AGAIN = "A session that stays open writes what waits by itself; a command can be given again.";
const NO_FOLDER =
  "Something that is no folder stands in its path. Move that away, or set WORLDLINE_HOME to another folder.";
const TOO_MANY = "Too many files are open. Raise the limit and try again: ulimit -n 1024";

const WRITE_HINTS: Readonly<Record<DiskRefusal, (place: string) => string>> = {
  "not-a-folder": () => NO_FOLDER,
  "too-many-files": () => `${TOO_MANY} ${AGAIN}`,
  "read-only": () =>
    "The file system is mounted read-only; set WORLDLINE_HOME to a folder that can be written.",
  forbidden: (place) => `Check who owns ${place} and its permissions: it must be writable.`,
  other: () => `Nothing that was written before is lost. Check the disk. ${AGAIN}`,
};

function readHint(refusal: DiskRefusal, place: string, { command }: Wording): string {
  if (refusal === "not-a-folder") return NO_FOLDER;
  if (refusal === "too-many-files") return TOO_MANY;
  if (refusal === "forbidden") return `Check who owns ${place} and its permissions.`;
  return `Check the disk; \`${command("doctor")}\` says what can still be read.`;
}

const NAMED: Readonly<Record<NamedStored, (of: string) => string>> = {
  path: (path) => path,
  folder: (path) => `The folder ${path}`,
  database: (path) => `The database ${path}`,
  "database-notes": (path) => `What is noted of the database ${path}`,
  "home-key": (path) => `The key of this home, ${path},`,
  "model-keys": (path) => `The file of keys ${path}`,
  lock: (path) => `The lock ${path}`,
  lease: (path) => `The lease ${path}`,
  "lease-of": (folder) => `The lease of ${folder}`,
  "session-list": (folder) => `The list of sessions in ${folder}`,
  trash: (folder) => `The trash in ${folder}`,
  session: (session) => `Session ${session}`,
  "session-log": (session) => `The log of session ${session}`,
  "session-folder": (session) => `The folder of session ${session}`,
  "session-lock": (session) => `The lock of session ${session}`,
  confirmation: (session) => `The confirmation of session ${session}`,
  blob: (hash) => `Blob ${hash}`,
};

const SINGLE: Readonly<Record<SingleStored, string>> = {
  "new-blob": "A blob",
  "blob-list": "The list of blobs",
  "checkpoint-list": "The list of checkpoints",
  "other-sessions": "What is left of other sessions",
  "earlier-sessions": "The list of this home's earlier sessions",
  snapshots: "The snapshot store",
  "snapshots-lease": "The lease of the snapshot store",
  "snapshots-leftover": "What is left over beside the snapshots",
  collections: "The note that a gc has run",
  "restore-journal": "the journal of the restore",
  "workspace-notes": "What is known of the workspace",
};

function storedThing(stored: Stored): string {
  return "of" in stored ? NAMED[stored.what](stored.of) : SINGLE[stored.what];
}
