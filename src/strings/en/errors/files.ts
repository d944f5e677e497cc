import type { CommandText } from "../../commands.ts";
import type {
  ErrorOwner,
  ObjectDamage,
  ObjectKindName,
  PlainDamage,
  RecordFault,
  SegmentFault,
  SnapshotExcess,
} from "../../errors/facts.ts";
import { error, type Problem } from "../../errors/texts.ts";
import { lockOwner } from "./stores.ts";

/** The reasons why a path is left out of a snapshot. */
export const leftOutReasons = {
  ignored: "a large ignored folder",
  "too-large": "larger than snapshots.maxFileBytes",
  git: "Git's own files",
  "own-store": "Worldline's own store",
  special: "a FIFO, socket, or device",
  unreadable: "could not be read",
  changing: "kept changing while it was being read",
  "path-too-long": "its path is longer than the system allows",
};

export const neverCaptured = "folders with this name are never captured";

/** The reason why a file is not in a snapshot. "never-captured": folders with its name are never captured. */
export type WhyLeftOut = keyof typeof leftOutReasons | "never-captured";

export interface Path {
  readonly path: string;
}

/** `why`: the system's message. */
export interface Unwritten extends Path {
  readonly why: string;
}

const notWritten = ({ path, why }: Unwritten) => `${path} could not be written: ${why}.`;

/** Errors about files that the user names, and about files that Worldline writes for the user. */
export const files = {
  "file-unwritable": error("STORE_UNWRITABLE", notWritten, () => "Check that you can write to the folder."),
  "file-below-a-link": error(
    "STORE_UNWRITABLE",
    notWritten,
    () => "Replace the link with a folder, and try again.",
  ),
  "no-room-for-file": error("STORE_FULL", notWritten, () => "Free some disk space and try again."),
  "path-empty": error(
    "INPUT_INVALID",
    () => "The path is empty.",
    () => "Paths are relative to the current folder.",
  ),
  "path-outside": error(
    "INPUT_INVALID",
    ({ path, workspace }: Path & { readonly workspace: string }) =>
      `"${path}" is outside the workspace (${workspace}).`,
    () => "Paths are relative to the current folder.",
  ),
  "checkpointing-off": error(
    "REWIND_REFUSED",
    () => "Checkpoint feature not enabled",
    (_, { command }) =>
      `Turn it on: ${command({ do: "config set", key: "enableFileCheckpointing", value: "true" })}`,
  ),
  "session-without-files": error(
    "REWIND_REFUSED",
    () => "An unsaved session has no file checkpoints.",
    () => "Leave out --no-session.",
  ),
  "snapshot-store-unopened": error(
    "STORE_UNREADABLE",
    ({ why }: { readonly why: string }) => `The snapshot store cannot be opened: ${why}.`,
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  "file-of-checkpoint-unnamed": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" does not name a file in a checkpoint.`,
    (_, { command }) => `For example: ${command({ do: "show", file: "12:src/main.ts" })}`,
  ),
  "path-not-in-checkpoint": error(
    "INPUT_INVALID",
    ({ path, checkpoint }: Path & { readonly checkpoint: string }) =>
      `"${path}" is not in checkpoint ${checkpoint}`,
    ({ path }, { command }) =>
      `Paths are relative to the current folder. To see why it is missing, run: ${command({ do: "why", path })}`,
  ),
  "path-in-neither": error(
    "INPUT_INVALID",
    ({ path }: Path) => `"${path}" exists neither in the workspace nor in the checkpoint.`,
    (_, { command }) =>
      `Nothing was changed. Paths are relative to the current folder. See what differs: ${command({ do: "diff", since: { any: "cp" } })}`,
  ),
  "file-not-text": error(
    "INPUT_INVALID",
    ({ path }: Path) =>
      `${path} cannot be shown in a terminal, because it is not plain text or is very long.`,
    (_, { command }) => `Write it to another file: ${command({ do: "show", into: "file" })}`,
  ),
  "file-was-a-folder": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} was a folder at that checkpoint.`,
    (_, { command }) => `To export the whole folder, run: ${command({ do: "export-files" })}`,
  ),
  "file-left-out": error(
    "SNAPSHOT_MISSING",
    ({ path, why }: Path & { readonly why: WhyLeftOut }) =>
      `${path} is not in the snapshot: ${why === "never-captured" ? neverCaptured : leftOutReasons[why]}.`,
    ({ path }, { command }) =>
      `To see what Worldline recorded about it, run: ${command({ do: "why", path })}`,
  ),
  "checkpoint-files-unusable": error(
    "SNAPSHOT_MISSING",
    ({ problem }: { readonly problem: Problem }, { message }) => message(problem),
    (_, { command }) => seeWithFiles(command),
  ),
  "checkpoint-without-files": error(
    "SNAPSHOT_MISSING",
    ({ checkpoint }: { readonly checkpoint: number }) => `Checkpoint ${checkpoint} has no files.`,
    (_, { command }) => seeWithFiles(command),
  ),
  "checkpoint-of-other-workspace": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" is a checkpoint in another workspace.`,
    () => "Compare two checkpoints in the same workspace.",
  ),
  "stat-and-patch": error(
    "USAGE",
    () => "--stat and --patch cannot be used together.",
    () => "Leave out one of the two options.",
  ),
};

function seeWithFiles(command: CommandText): string {
  return `See which checkpoints have files: ${command({ do: "checkpoints" })}`;
}

/** The reason why a folder cannot be entered; `system`: the system's message. */
export type WhyNoFolder = "missing" | "below-a-file" | "forbidden" | { readonly system: string };

export interface Folder {
  readonly folder: string;
}

export interface Unusable extends Folder {
  readonly why: WhyNoFolder;
}

const cannotBe = ({ folder, why }: Unusable) => `${folder} cannot be the workspace: ${whyNoFolder(why)}.`;

/** Errors about folders that Worldline needs: its home, the workspace, and the folder for temporary files. */
export const folders = {
  "home-not-a-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `Worldline's home ${folder} is not a folder.`,
    () => chooseHome,
  ),
  "home-not-made": error(
    "STORE_UNWRITABLE",
    ({ folder, why }: Folder & { readonly why?: string }) =>
      `Worldline's home ${folder} cannot be created${why === undefined ? "" : `: ${why}`}.`,
    () => chooseHome,
  ),
  "current-folder-gone": error(
    "WORKSPACE_UNUSABLE",
    () => "The current folder no longer exists.",
    () => "Change to a folder that exists.",
  ),
  "workspace-not-found": error("WORKSPACE_UNUSABLE", cannotBe, (_, { place }) =>
    place === "screen" ? "Choose a folder that exists." : "Choose a folder that exists: --workspace <folder>",
  ),
  "workspace-is-a-file": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `${folder} cannot be the workspace: it is not a folder.`,
    () => "Use the folder that contains it.",
  ),
  "workspace-unreadable": error("WORKSPACE_UNUSABLE", cannotBe, () => "Check its permissions."),
  "workspace-gone": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `The workspace ${folder} does not exist.`,
    ({ folder }) => `Create it again, then rewind to restore its files: mkdir -p ${folder}`,
  ),
  "workspace-elsewhere": error(
    "WORKSPACE_UNUSABLE",
    ({ session, workspace }: { readonly session: string; readonly workspace: string }) =>
      `Session ${session} belongs to ${workspace}, which does not exist on this machine.`,
    ({ session }, { command }) =>
      `Copy that folder to this machine, or continue in a fork that works in the current folder: ${command({ do: "fork", session, here: true })}`,
  ),
  "no-temporary-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `The folder for temporary files, ${folder}, does not exist.`,
    () => "Set TMPDIR to a folder that exists, or leave out --no-session.",
  ),
};

const chooseHome =
  "Set WORLDLINE_HOME to a folder that you can write to. To run the agent without saving anything, use --no-session.";

function whyNoFolder(why: WhyNoFolder): string {
  if (why === "missing") return "it does not exist";
  if (why === "below-a-file") return "part of its path is not a folder";
  return why === "forbidden" ? "you do not have permission to read it" : why.system;
}

/** Errors from capturing and restoring files. */
export const snapshots = {
  "workspace-no-folder": error("WORKSPACE_UNUSABLE", () => "The workspace is no longer a folder."),
  "workspace-no-longer-a-folder": error(
    "WORKSPACE_UNUSABLE",
    () => "The workspace is no longer a folder, or cannot be read.",
  ),
  "workspace-not-listed": error(
    "WORKSPACE_UNUSABLE",
    ({ workspace }: { readonly workspace: string }) => `The workspace ${workspace} cannot be read.`,
    () => "Check that the folder exists and that you can read it.",
  ),
  "workspace-of-the-system": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string }) =>
      `The files in ${folder} are not captured, because the system generates them.`,
    () => "Choose a folder on disk: --workspace <folder>",
  ),
  "workspace-too-wide": error(
    "WORKSPACE_UNUSABLE",
    ({ folder, is }: { readonly folder: string; readonly is: "home" | "wider" }) =>
      `The files in ${is === "home" ? "your home folder" : `${folder}, which contains your home folder or a whole disk,`} are not captured.`,
    () => "Choose a folder inside it: --workspace <folder>",
  ),
  "capture-cancelled": error("CANCELLED", () => "The capture was canceled."),
  "snapshot-too-large": error(
    "SNAPSHOT_DAMAGED",
    (excess: SnapshotExcess) => `A snapshot cannot be used: ${snapshotExcess(excess)}.`,
    (_, { command }) =>
      `Worldline never creates a snapshot that large. To find the snapshot, run: ${command({ do: "store verify" })}`,
  ),
  "snapshot-let-go": error(
    "SNAPSHOT_MISSING",
    ({ snapshot }: { readonly snapshot: string }) => `Snapshot ${snapshot} is no longer kept.`,
  ),
  "object-newer": error(
    "FORMAT_NEWER",
    ({ kind }: { readonly kind: "folder" | "snapshot" }) =>
      `A ${kind} object was written by a newer version of Worldline.`,
    () => "Update Worldline to read it.",
  ),
  "object-unreadable": error(
    "SNAPSHOT_DAMAGED",
    (object: UnreadableObject) => `${unreadableObject(object)}.`,
    (_, { command }) => `Run \`${command({ do: "store verify" })}\` to see what else is damaged.`,
  ),
  "folder-not-storable": error(
    "SNAPSHOT_DAMAGED",
    ({ fault }: { readonly fault: PlainDamage }) => `A folder cannot be stored: ${DAMAGES[fault]}.`,
  ),
  "object-missing": error(
    "SNAPSHOT_MISSING",
    ({ kind, hash }: { readonly kind: ObjectKindName; readonly hash: string }) =>
      `The ${kind} ${hash} is not in the snapshot store.`,
    (_, { command }) =>
      `It may have been removed to free space; \`${command({ do: "doctor" })}\` shows what is still stored.`,
  ),
  "object-damaged": error(
    "SNAPSHOT_DAMAGED",
    (object: { kind: ObjectKindName; hash: string; where: string; fault: RecordFault }) =>
      `The ${object.kind} ${object.hash} is damaged (${object.where}: ${recordFault(object.fault)}).`,
    (_, { command }) =>
      `Capturing the same content again repairs it; \`${command({ do: "doctor" })}\` lists everything that is damaged.`,
  ),
  "content-forgotten": error(
    "SNAPSHOT_MISSING",
    () => "The content of this file was forgotten.",
    (_, { command }) => `It was removed permanently with \`${command({ do: "forget" })}\`.`,
  ),
  "content-not-in-bundle": error(
    "SNAPSHOT_MISSING",
    () => "The content of this file was not in the bundle that its snapshot came from.",
    (_, { command }) =>
      `A bundle includes ignored files only on request: ${command({ do: "sessions export", includeIgnored: true })}`,
  ),
  "bundle-object-changed": error(
    "BUNDLE_INVALID",
    ({ kind }: { readonly kind: ObjectKindName }) =>
      `The bundle cannot be imported: a ${kind} does not match its hash.`,
    () => "Nothing was imported. The file changed while it was being read. Import it again.",
  ),
  "restore-journal-damaged": error(
    "RESTORE_UNFINISHED",
    (_: { readonly asides: readonly string[] }) =>
      "A restore was interrupted here, and its journal is damaged. Some files may have been restored and others not.",
    ({ asides }, { command }) =>
      `See what differs (${command({ do: "diff" })}), then try again. The journal was set aside as ${asides.join(", ")}`,
  ),
  "restore-of-newer-version": error(
    "FORMAT_NEWER",
    ({ format }: { readonly format: number }) =>
      `A newer version of Worldline left a restore unfinished (format ${format}).`,
    () => "To finish the restore, open the workspace once with that version.",
  ),
  "restore-cut-off": error(
    "RESTORE_UNFINISHED",
    ({ session }: { readonly session: string }) => `A restore in session ${session} was interrupted.`,
    (_, { command }) => `Finish it first: ${command({ do: "doctor", fix: true })}`,
  ),
  "not-a-session-id": error(
    "SESSION_UNKNOWN",
    ({ session }: { readonly session: string }) => `${JSON.stringify(session)} is not a session id.`,
  ),
  "snapshots-in-use": error(
    "SNAPSHOTS_HELD",
    (held: HeldFolder) => inUse("The snapshot store", held),
    heldHint,
  ),
  "workspace-in-use": error("SNAPSHOTS_HELD", (held: HeldFolder) => inUse("The workspace", held), heldHint),
  "snapshots-taken-over": error(
    "SNAPSHOTS_HELD",
    ({ owner }: { readonly owner: string }) => `The snapshot store was taken over by ${owner}.`,
    (_, { command }) =>
      `Some unused data was already removed; nothing in use was lost. Run the command again: ${command({ do: "store gc" })}`,
  ),
  "gc-outdated": error(
    "SNAPSHOTS_HELD",
    () => "More would be removed now than the preview showed.",
    (_, { command }) =>
      `Nothing was removed. Run the preview again: ${command({ do: "store gc", dryRun: true })}`,
  ),
  "thread-ended": error(
    "STORE_UNREADABLE",
    ({ why }: { readonly why: string | undefined }) =>
      `A thread that was reading the workspace stopped unexpectedly: ${why ?? "no reason was given."}`,
    () => "Nothing was changed. Try again.",
  ),
};

export interface UnreadableObject {
  readonly kind: "folder" | "snapshot";
  readonly damage: ObjectDamage;
}

/** Without the final period, for use within a longer sentence. */
export function unreadableObject({ kind, damage }: UnreadableObject): string {
  const why =
    damage.damage === "too-many-entries"
      ? `it has more than ${damage.most.toLocaleString("en")} entries`
      : DAMAGES[damage.damage];
  return `A ${kind} object cannot be read: ${why}`;
}

const DAMAGES: Readonly<Record<PlainDamage, string>> = {
  "no-version": "it has no version",
  "number-too-large": "a number is too large",
  "number-too-long": "a number is not encoded in its shortest form",
  "not-utf8": "a string is not UTF-8",
  "too-long": "there is data after its end",
  "cut-short": "it is truncated",
  "unknown-reason": "it gives an unknown reason for leaving out a path",
  "unknown-kind": "an entry has an unknown kind",
  "rules-flag": "its flag for external ignore rules is invalid",
  "bad-name": "a file name is invalid",
  unordered: "its names are not in order",
  "holds-git": "it contains an entry named .git",
  "failures-do-not-add-up": "its failure counts do not add up",
  "bad-size": "a size is invalid",
  "bad-target": "a link's target is not a path",
  "bad-mode": "a mode is invalid",
  "bad-hash": "a hash is invalid",
};

export function snapshotExcess({ of, most }: SnapshotExcess): string {
  return of === "path-bytes"
    ? `it has a path longer than ${most.toLocaleString("en")} bytes`
    : `it has more than ${most.toLocaleString("en")} paths`;
}

function recordFault(fault: RecordFault): string {
  return typeof fault === "object" ? `it is a ${fault.isA}` : RECORD_FAULTS[fault];
}

export function segmentFault(fault: SegmentFault): string {
  if (fault === "wrong-checksum") return "its checksum does not match";
  if (typeof fault === "object" && "noRecordBytes" in fault)
    return `${fault.noRecordBytes} bytes do not form a record`;
  return recordFault(fault);
}

const RECORD_FAULTS = {
  "cut-short": "it is truncated",
  "cannot-be-unpacked": "it cannot be unpacked",
  "other-bytes": "its bytes do not match its hash",
  "no-header": "its header is missing",
};

export interface HeldFolder {
  readonly owner: ErrorOwner;
  readonly life: "here" | "elsewhere";
}

function inUse(what: string, { owner }: HeldFolder): string {
  return `${what} is in use by ${lockOwner(owner)}.`;
}

function heldHint({ life }: HeldFolder): string {
  return life === "elsewhere"
    ? "Worldline cannot tell from here whether that process is still running. If it has ended, use --take-over."
    : "Try again when that process is done.";
}
