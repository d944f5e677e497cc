import type {
  DiskFailure,
  DiskRefusal,
  ErrorOwner,
  NamedStored,
  SingleStored,
  Stored,
} from "../../errors/facts.ts";
import { error, type Problem, type Wording } from "../../errors/texts.ts";

export interface OfSession {
  readonly session: string;
}

export interface BadEntry {
  readonly seq: number;
  readonly kind: string;
}

/** Errors from all kinds of log stores. */
export const stores = {
  "session-unknown": error(
    "SESSION_UNKNOWN",
    ({ session }: OfSession) => `There is no session ${session}`,
    (_, { command }) => `\`${command({ do: "sessions list" })}\` shows the sessions.`,
  ),
  "session-exists": error(
    "SESSION_EXISTS",
    ({ session }: OfSession) => `Session ${session} already exists.`,
    () => "Sessions are never overwritten; choose another id.",
  ),
  "session-has-no-id": error("ENTRY_INVALID", () => "The session has no id."),
  "session-begins-elsewhere": error(
    "ENTRY_INVALID",
    ({ session, seq }: OfSession & { readonly seq: number }) =>
      `A session cannot begin with line ${seq} of ${session}.`,
  ),
  "session-taken-over": error(
    "SEQ_CONFLICT",
    ({ session, owner }: OfSession & { readonly owner: ErrorOwner | undefined }) =>
      `Session ${session} was taken over${owner === undefined ? "; no program is using it now" : ` by ${lockOwner(owner)}`}.`,
    ({ session }, { command }) =>
      `No entries were acknowledged. Open the session again, or continue in a fork: ${command({ do: "fork", session })}`,
  ),
  /** The session is held by a lock file. */
  "session-locked": error(
    "SESSION_HELD",
    ({ session, owner }: OfSession & { readonly owner: ErrorOwner; readonly life: "here" | "elsewhere" }) =>
      `Session ${session} is in use by ${lockOwner(owner)}.`,
    ({ life }) =>
      life === "elsewhere"
        ? "Worldline cannot tell from here whether that process is still running. If nothing is using the session, use --take-over (in a program: takeOver)."
        : "Only one program can write to a session at a time. Close the session there, or fork it.",
  ),
  /** The session is held within this process. */
  "session-in-use": error(
    "SESSION_HELD",
    ({ session, name, since }: OfSession & { readonly name: string; readonly since: string }) =>
      `Session ${session} is in use by ${name}, since ${since}.`,
    () => "Only one program can write to a session at a time. Close the session there, or fork it.",
  ),
  /** The session is held by a lease in a database. */
  "session-leased": error(
    "SESSION_HELD",
    ({ session, owner }: OfSession & { readonly owner: ErrorOwner }) =>
      `Session ${session} is in use by ${leaseOwner(owner)}.`,
    ({ session }, { command }) =>
      `Only one program can write to a session at a time. Close the session there, or continue in a fork: ${command({ do: "fork", session })}`,
  ),
  "session-leased-elsewhere": error(
    "SESSION_HELD",
    ({ session, owner, until }: OfSession & { readonly owner: ErrorOwner; readonly until: string }) =>
      `Session ${session} is in use by ${leaseOwner(owner)}; its lease runs until ${until} unless it is renewed.`,
    ({ session }, { command }) =>
      `Wait until the session is free (if its owner died, until its lease ends), or continue in a fork (${command({ do: "fork", session })}). If nothing is using the session, use --take-over.`,
  ),
  "lease-out-of-range": error(
    "INPUT_INVALID",
    ({ leaseMs }: { leaseMs: number; shortest: number; longest: number; usual: number }) =>
      `A lease cannot last ${leaseMs} milliseconds.`,
    ({ shortest, longest, usual }) =>
      `Set leaseMs to a value from ${shortest} to ${longest}, or leave it out to use the default, ${usual}.`,
  ),
  "first-entry-lost": error(
    "SESSION_UNCONFIRMED",
    ({ session }: OfSession) => `Session ${session} cannot be confirmed, because its first entry is lost.`,
    ({ session }, { command }) =>
      `It can still be read and exported: ${command({ do: "sessions export", session })}`,
  ),
  "entry-malformed": error(
    "ENTRY_INVALID",
    ({ seq, kind }: BadEntry) => `Entry ${seq} (${kind}) does not have the fields that its kind requires.`,
  ),
  "entry-malformed-for-log": error(
    "ENTRY_INVALID",
    ({ seq, kind }: BadEntry) => `Entry ${seq} (${kind}) does not have the fields that its kind requires.`,
    () => "docs/format.md lists the fields for each kind of entry.",
  ),
  "entry-misplaced": error(
    "ENTRY_INVALID",
    ({ line, seq }: { readonly line: number; readonly seq: number }) =>
      `The entry for line ${line} claims to be line ${seq}.`,
  ),
  "entry-loses-place": error(
    "ENTRY_INVALID",
    ({ seq }: { readonly seq: number }) => `Entry ${seq} would lose its line or its id.`,
    () => "Only the content of an entry can be forgotten, not its place.",
  ),
  "log-file-misnumbered": error(
    "ENTRY_INVALID",
    ({ next, file }: { readonly next: number; readonly file: number }) =>
      `The next file in the log is ${next}, not ${file}.`,
  ),
  "log-gone": error(
    "STORE_UNWRITABLE",
    ({ session }: OfSession) =>
      `The log of session ${session} cannot be written: its file log.jsonl no longer exists.`,
    ({ session }, { command }) =>
      `Put the file back if you have it. Otherwise, fork the session to continue with what is left (${command({ do: "fork", session })}), and delete this session: ${command({ do: "sessions delete", session })}`,
  ),
  "line-taken": error(
    "SEQ_CONFLICT",
    ({ next, expected }: { readonly next: number; readonly expected: number }) =>
      `The next line in the log is ${next}, not ${expected}.`,
    () => "Another program wrote to the session. Open the session again.",
  ),
  "line-taken-in-database": error(
    "SEQ_CONFLICT",
    (taken: OfSession & { next: number; expected: number; owner: ErrorOwner | undefined }) =>
      `The next line in session ${taken.session} is ${taken.next}, not ${taken.expected}.${taken.owner === undefined ? "" : ` ${lockOwner(taken.owner)} is using the session.`}`,
    ({ session }, { command }) =>
      `Another program wrote to the session. Open the session again, or continue in a fork: ${command({ do: "fork", session })}`,
  ),
  "blob-missing": error(
    "BLOB_MISSING",
    ({ session, hash }: OfSession & { readonly hash: string }) => `Session ${session} has no blob ${hash}`,
  ),
  "blob-damaged": error(
    "BLOB_DAMAGED",
    ({ hash }: { readonly hash: string }) => `Blob ${hash} does not match its hash.`,
  ),
  "blob-file-missing": error(
    "BLOB_MISSING",
    ({ session, hash }: OfSession & { readonly hash: string }) => `Session ${session} has no blob ${hash}`,
    (_, { command }) => `\`${command({ do: "doctor" })}\` lists what is damaged.`,
  ),
  "blob-file-damaged": error(
    "BLOB_DAMAGED",
    ({ session, hash }: OfSession & { readonly hash: string }) =>
      `Blob ${hash} in session ${session} does not match its hash.`,
    (_, { command }) =>
      `Its content is lost; the rest of the session is not. \`${command({ do: "doctor" })}\` lists what is damaged.`,
  ),
};

export function lockOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "a lock that cannot be read" : ownerName(owner);
}

function leaseOwner(owner: ErrorOwner): string {
  return owner === "unreadable" ? "a lease whose owner cannot be read" : ownerName(owner);
}

function ownerName({ name, pid, host, since }: Exclude<ErrorOwner, "unreadable">): string {
  return `${name} (pid ${pid} on ${host}, since ${since})`;
}

/** Errors from the disk and from the home folder. */
export const disk = {
  "write-no-room": error(
    "STORE_FULL",
    ({ stored, errno }: Pick<DiskFailure, "stored" | "errno">) =>
      `${storedThing(stored)} could not be written: there is no space left (${errno ?? UNKNOWN}).`,
    (_, { command }) =>
      `Everything that was already written is safe. Free some disk space (${command({ do: "store gc" })}). ${AGAIN}`,
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
  /** Freeing space needs some space itself, so the hint must not suggest the same command again. */
  "no-room-to-make-room": error(
    "STORE_FULL",
    ({ problem }: { readonly problem: Problem }, wording) => wording.message(problem),
    () =>
      "Everything that was already written is safe. Remove about 2 MB of other files from this disk, then run the command again.",
  ),
  "home-unknown": error(
    "STORE_UNWRITABLE",
    () =>
      "There is no folder for sessions: HOME is not set, and the system has no home folder for this user.",
    () => "Set WORLDLINE_HOME to a folder that you can write to.",
  ),
  "home-key-exposed": error(
    "HOME_KEY_UNUSABLE",
    ({ path }: { readonly path: string }) => `Other users can read ${path}, so it is not used.`,
    ({ path }) =>
      `Run \`chmod 600 ${path}\`. If another user may have copied the key, remove the file instead, then confirm your sessions once.`,
  ),
  "home-key-unusable": error(
    "HOME_KEY_UNUSABLE",
    ({ path, why }: { readonly path: string; readonly why: "gone-again" | "unreadable" | "damaged" }) =>
      `This home's key, ${path}, ${HOME_KEY_FAULTS[why]}.`,
    () => "Restore it from a backup, or remove it to get a new key, then confirm your sessions once.",
  ),
};

const UNKNOWN = "unknown error";
const UNKNOWN_PLACE = "the folder";

const HOME_KEY_FAULTS = {
  "gone-again": "disappeared again",
  unreadable: "cannot be read",
  damaged: "is damaged",
};

/**
 * An open session keeps failed writes in memory and retries them. If the user repeated a command in an open session,
 * its entries would be written twice.
 */
const AGAIN = "An open session writes its pending entries automatically. Run any other command again.";
const NO_FOLDER =
  "Part of its path is not a folder. Move the file that is in the way, or set WORLDLINE_HOME to another folder.";
const TOO_MANY = "Too many files are open. Raise the limit and try again: ulimit -n 1024";

const WRITE_HINTS: Readonly<Record<DiskRefusal, (place: string) => string>> = {
  "not-a-folder": () => NO_FOLDER,
  "too-many-files": () => `${TOO_MANY} ${AGAIN}`,
  "read-only": () =>
    "The file system is mounted read-only. Set WORLDLINE_HOME to a folder that you can write to.",
  forbidden: (place) => `Check the owner of ${place} and its permissions. It must be writable.`,
  other: () => `Everything that was already written is safe. Check the disk. ${AGAIN}`,
};

function readHint(refusal: DiskRefusal, place: string, { command }: Wording): string {
  if (refusal === "not-a-folder") return NO_FOLDER;
  if (refusal === "too-many-files") return TOO_MANY;
  if (refusal === "forbidden") return `Check the owner of ${place} and its permissions.`;
  return `Check the disk; \`${command({ do: "doctor" })}\` shows what can still be read.`;
}

const NAMED: Readonly<Record<NamedStored, (of: string) => string>> = {
  path: (path) => path,
  folder: (path) => `The folder ${path}`,
  database: (path) => `The database ${path}`,
  "database-notes": (path) => `Worldline's record of the database ${path}`,
  "home-key": (path) => `This home's key, ${path},`,
  "model-keys": (path) => `The key file ${path}`,
  lock: (path) => `The lock ${path}`,
  lease: (path) => `The lease ${path}`,
  "lease-of": (folder) => `The lease on ${folder}`,
  "session-list": (folder) => `The list of sessions in ${folder}`,
  trash: (folder) => `The trash in ${folder}`,
  session: (session) => `Session ${session}`,
  "session-log": (session) => `The log of session ${session}`,
  "session-folder": (session) => `The folder of session ${session}`,
  "session-lock": (session) => `The lock on session ${session}`,
  confirmation: (session) => `The confirmation of session ${session}`,
  blob: (hash) => `Blob ${hash}`,
};

const SINGLE: Readonly<Record<SingleStored, string>> = {
  "new-blob": "A blob",
  "blob-list": "The list of blobs",
  "checkpoint-list": "The list of checkpoints",
  "other-sessions": "Leftover files from other sessions",
  "earlier-sessions": "The list of this home's earlier sessions",
  snapshots: "The snapshot store",
  "snapshots-lease": "The lease on the snapshot store",
  "snapshots-leftover": "Leftover files next to the snapshots",
  collections: "The record of the last gc",
  "restore-journal": "The restore journal",
  "workspace-notes": "The record of the workspace",
};

function storedThing(stored: Stored): string {
  return "of" in stored ? NAMED[stored.what](stored.of) : SINGLE[stored.what];
}
