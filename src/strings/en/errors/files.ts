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

/** Why a path is left out of a snapshot. */
export const leftOutReasons = {
  ignored: "a large ignored folder",
  "too-large": "larger than snapshots.maxFileBytes",
  git: "git's own",
  "own-store": "Worldline's own store",
  special: "a FIFO, socket or device",
  unreadable: "could not be read",
  changing: "kept changing while it was read",
  "path-too-long": "its path is longer than the system allows",
};

export const neverCaptured = "folders of this name are never captured";

/** Why a file is not in a snapshot. "never-captured": folders with its name are never captured. */
export type WhyLeftOut = keyof typeof leftOutReasons | "never-captured";

export interface Path {
  readonly path: string;
}

/** `why`: the message of the system. */
export interface Unwritten extends Path {
  readonly why: string;
}

const notWritten = ({ path, why }: Unwritten) => `${path} could not be written: ${why}.`;

/** The errors of files that the user names, and of files that Worldline writes for the user. */
export const files = {
  "file-unwritable": error(
    "STORE_UNWRITABLE",
    notWritten,
    () => "Check that the folder is yours to write to.",
  ),
  "file-below-a-link": error(
    "STORE_UNWRITABLE",
    notWritten,
    () => "Replace the link by a folder, and try again.",
  ),
  "no-room-for-file": error("STORE_FULL", notWritten, () => "Make room on the disk and try again."),
  "path-empty": error(
    "INPUT_INVALID",
    () => '"" names nothing in the workspace: it is empty.',
    () => "Paths are relative to the current folder.",
  ),
  "path-outside": error(
    "INPUT_INVALID",
    ({ path, workspace }: Path & { readonly workspace: string }) =>
      `"${path}" names nothing in the workspace: it is not in ${workspace}.`,
    () => "Paths are relative to the current folder.",
  ),
  "checkpointing-off": error(
    "REWIND_REFUSED",
    () => "Checkpoint feature not enabled",
    (_, { command }) => `Switch it on: ${command("config set enableFileCheckpointing true")}`,
  ),
  "session-without-files": error(
    "REWIND_REFUSED",
    () => "A session that is not kept has no files.",
    () => "Leave out --no-session.",
  ),
  "snapshot-store-unopened": error(
    "STORE_UNREADABLE",
    ({ why }: { readonly why: string }) => `The snapshot store cannot be opened: ${why}.`,
    (_, { command }) => `See what is wrong: ${command("doctor")}`,
  ),
  "file-of-checkpoint-unnamed": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" does not name a file of a checkpoint.`,
    (_, { command }) => `Such as: ${command("show 12:src/main.ts")}`,
  ),
  "path-not-in-checkpoint": error(
    "INPUT_INVALID",
    ({ path, checkpoint }: Path & { readonly checkpoint: string }) =>
      `"${path}" is not in checkpoint ${checkpoint}`,
    ({ path }, { command }) =>
      `Paths are relative to the current folder. Why it is not there: ${command(`why ${path}`)}`,
  ),
  "path-in-neither": error(
    "INPUT_INVALID",
    ({ path }: Path) => `"${path}" is there neither now nor in the checkpoint.`,
    (_, { command }) =>
      `Nothing was changed. Paths are relative to the current folder. See what differs: ${command("diff <cp>")}`,
  ),
  "file-not-text": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is no text for a terminal, or is very long.`,
    (_, { command }) => `Write it to a file: ${command("show … > file")}`,
  ),
  "file-was-a-folder": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} was a folder.`,
    (_, { command }) => `To get all of it: ${command("export-files <cp> <folder>")}`,
  ),
  "file-left-out": error(
    "SNAPSHOT_MISSING",
    ({ path, why }: Path & { readonly why: WhyLeftOut }) =>
      `${path} is not in the snapshot: ${why === "never-captured" ? neverCaptured : leftOutReasons[why]}.`,
    ({ path }, { command }) => `What is known of it: ${command(`why ${path}`)}`,
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
    ({ given }: { readonly given: string }) => `"${given}" is a checkpoint of another workspace.`,
    () => "Compare two of the same workspace.",
  ),
  "stat-and-patch": error(
    "USAGE",
    () => "--stat and --patch are two ways to show the same.",
    () => "Leave out one of the two.",
  ),
};

function seeWithFiles(command: (words: string) => string): string {
  return `See which checkpoints have files: ${command("checkpoints")}`;
}

/** Why a folder cannot be entered; `system`: the message of the system. */
export type WhyNoFolder = "missing" | "below-a-file" | "forbidden" | { readonly system: string };

export interface Folder {
  readonly folder: string;
}

export interface Unusable extends Folder {
  readonly why: WhyNoFolder;
}

const cannotBe = ({ folder, why }: Unusable) => `${folder} cannot be the workspace: ${whyNoFolder(why)}.`;

/** The errors of folders that Worldline needs: its home, the workspace, the folder for temporary files. */
export const folders = {
  "home-not-a-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `Worldline's home ${folder} is not a folder.`,
    () => chooseHome,
  ),
  "home-not-made": error(
    "STORE_UNWRITABLE",
    ({ folder, why }: Folder & { readonly why?: string }) =>
      `Worldline's home ${folder} cannot be made${why === undefined ? "" : `: ${why}`}.`,
    () => chooseHome,
  ),
  "current-folder-gone": error(
    "WORKSPACE_UNUSABLE",
    () => "The current folder is not there any more.",
    () => "Change to a folder that exists.",
  ),
  "workspace-not-found": error("WORKSPACE_UNUSABLE", cannotBe, (_, { place }) =>
    place === "screen" ? "Give a folder that exists." : "Give a folder that exists: --workspace <folder>",
  ),
  "workspace-is-a-file": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `${folder} cannot be the workspace: it is not a folder.`,
    () => "Give the folder that it is in.",
  ),
  "workspace-unreadable": error("WORKSPACE_UNUSABLE", cannotBe, () => "Check its permissions."),
  "workspace-gone": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: Folder) => `The workspace ${folder} is not there.`,
    ({ folder }) => `Make it again, and its files come back with a rewind: mkdir -p ${folder}`,
  ),
  "workspace-elsewhere": error(
    "WORKSPACE_UNUSABLE",
    ({ session, workspace }: { readonly session: string; readonly workspace: string }) =>
      `Session ${session} works in ${workspace}, which is not on this machine.`,
    ({ session }, { command }) =>
      `Bring the folder here, or go on in a copy that works in this one: ${command(`fork ${session} --here`)}`,
  ),
  "no-temporary-folder": error(
    "STORE_UNWRITABLE",
    ({ folder }: Folder) => `There is no folder ${folder} for what is kept for a while.`,
    () => "Set TMPDIR to a folder that is there, or leave out --no-session.",
  ),
};

const chooseHome =
  "Set WORLDLINE_HOME to a folder that you may write to. For the agent, --no-session keeps nothing on disk.";

function whyNoFolder(why: WhyNoFolder): string {
  if (why === "missing") return "it does not exist";
  if (why === "below-a-file") return "part of its path is not a folder";
  return why === "forbidden" ? "it may not be read" : why.system;
}

/** The errors of capturing and restoring files. */
export const snapshots = {
  "workspace-no-folder": error("WORKSPACE_UNUSABLE", () => "The workspace is no folder anymore."),
  "workspace-no-longer-a-folder": error(
    "WORKSPACE_UNUSABLE",
    () => "The workspace is no folder anymore, or cannot be looked at.",
  ),
  "workspace-not-listed": error(
    "WORKSPACE_UNUSABLE",
    ({ workspace }: { readonly workspace: string }) => `The workspace ${workspace} cannot be read.`,
    () => "Check that the folder exists and that you may read it.",
  ),
  "workspace-of-the-system": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string }) =>
      `The files of ${folder}, which the system makes up, are not captured.`,
    () => "Give a folder on a disk: --workspace <folder>",
  ),
  "workspace-too-wide": error(
    "WORKSPACE_UNUSABLE",
    ({ folder, is }: { readonly folder: string; readonly is: "home" | "wider" }) =>
      `The files of ${is === "home" ? "your home folder" : `${folder}, which holds your home folder or a whole disk,`} are not captured.`,
    () => "Give a folder within it: --workspace <folder>",
  ),
  "capture-cancelled": error("CANCELLED", () => "The capture was cancelled."),
  "snapshot-too-large": error(
    "SNAPSHOT_DAMAGED",
    (excess: SnapshotExcess) => `The files of a snapshot cannot be used: ${snapshotExcess(excess)}.`,
    (_, { command }) => `No capture makes such a snapshot. See which it is: ${command("store verify")}`,
  ),
  "snapshot-let-go": error(
    "SNAPSHOT_MISSING",
    ({ snapshot }: { readonly snapshot: string }) => `The snapshot ${snapshot} is no longer kept.`,
  ),
  "object-newer": error(
    "FORMAT_NEWER",
    ({ kind }: { readonly kind: "folder" | "snapshot" }) =>
      `The object of a ${kind} was written by a newer Worldline.`,
    () => "Update Worldline to read it.",
  ),
  "object-unreadable": error(
    "SNAPSHOT_DAMAGED",
    (object: UnreadableObject) => `${unreadableObject(object)}.`,
    (_, { command }) => `Run \`${command("store verify")}\` to see what else is damaged.`,
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
      `It may have been removed to make room; \`${command("doctor")}\` says what is still there.`,
  ),
  "object-damaged": error(
    "SNAPSHOT_DAMAGED",
    (object: { kind: ObjectKindName; hash: string; where: string; fault: RecordFault }) =>
      `The ${object.kind} ${object.hash} is damaged (${object.where}: ${recordFault(object.fault)}).`,
    (_, { command }) =>
      `Capturing the same content again repairs it; \`${command("doctor")}\` lists everything that is damaged.`,
  ),
  "content-forgotten": error(
    "SNAPSHOT_MISSING",
    () => "What was in this file was forgotten.",
    (_, { command }) => `It was let go for good with \`${command("forget")}\`.`,
  ),
  "content-not-in-bundle": error(
    "SNAPSHOT_MISSING",
    () => "What was in this file was not in the bundle that its snapshot came from.",
    (_, { command }) =>
      `Ignored files are in a bundle only when they are asked for: ${command("sessions export --include-ignored")}`,
  ),
  "bundle-object-changed": error(
    "BUNDLE_INVALID",
    ({ kind }: { readonly kind: ObjectKindName }) =>
      `The bundle cannot be imported: a ${kind} is not what its hash says.`,
    () => "Nothing was imported. The file was changed while it was read: import it again.",
  ),
  "restore-journal-damaged": error(
    "RESTORE_UNFINISHED",
    (_: { readonly asides: readonly string[] }) =>
      "A restore was cut off here, and its journal is damaged: some files may be restored and others not.",
    ({ asides }, { command }) =>
      `See what differs (${command("diff")}), then try again. The journal was set aside as ${asides.join(", ")}`,
  ),
  "restore-of-newer-version": error(
    "FORMAT_NEWER",
    ({ format }: { readonly format: number }) =>
      `A newer Worldline has left a restore unfinished (format ${format}).`,
    () => "Let that version finish it: open the workspace with it once.",
  ),
  "restore-cut-off": error(
    "RESTORE_UNFINISHED",
    ({ session }: { readonly session: string }) => `A restore of session ${session} was cut off.`,
    (_, { command }) => `Finish it first: ${command("doctor --fix")}`,
  ),
  "not-a-session-id": error(
    "SESSION_UNKNOWN",
    ({ session }: { readonly session: string }) => `${JSON.stringify(session)} is no session's id.`,
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
      `What was removed until then is removed; nothing that is kept is lost. Run it again: ${command("store gc")}`,
  ),
  "gc-outdated": error(
    "SNAPSHOTS_HELD",
    () => "More would have to go by now than you were told.",
    (_, { command }) => `Nothing was removed. Look again: ${command("store gc --dry-run")}`,
  ),
  "thread-ended": error(
    "STORE_UNREADABLE",
    ({ why }: { readonly why: string | undefined }) =>
      `A thread that looked at the workspace ended: ${why ?? "The thread ended."}`,
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
  return `The object of a ${kind} cannot be read: ${why}`;
}

const DAMAGES: Readonly<Record<PlainDamage, string>> = {
  "no-version": "it has no version",
  "number-too-large": "a number is too large",
  "number-too-long": "a number is longer than it need be",
  "not-utf8": "a text is not UTF-8",
  "too-long": "more follows than belongs to it",
  "cut-short": "it is cut short",
  "unknown-reason": "something is left out for no known reason",
  "unknown-kind": "an entry is of no known kind",
  "rules-flag": "it neither has outside rules nor lacks them",
  "bad-name": "a name is none that a file can have",
  unordered: "its names are not in order",
  "holds-git": "it holds a .git",
  "failures-do-not-add-up": "its failures do not add up",
  "bad-size": "a size is none",
  "bad-target": "a link's target is no path",
  "bad-mode": "a mode is none",
  "bad-hash": "a hash is none",
};

export function snapshotExcess({ of, most }: SnapshotExcess): string {
  return of === "path-bytes"
    ? `it has a path of more than ${most.toLocaleString("en")} bytes`
    : `it has more than ${most.toLocaleString("en")} paths`;
}

function recordFault(fault: RecordFault): string {
  return typeof fault === "object" ? `it is a ${fault.isA}` : RECORD_FAULTS[fault];
}

export function segmentFault(fault: SegmentFault): string {
  if (fault === "wrong-checksum") return "its checksum does not fit";
  if (typeof fault === "object" && "noRecordBytes" in fault)
    return `${fault.noRecordBytes} bytes are no record`;
  return recordFault(fault);
}

const RECORD_FAULTS = {
  "cut-short": "its file ends before it does",
  "cannot-be-unpacked": "it cannot be unpacked",
  "other-bytes": "its bytes are not those of its hash",
  "no-header": "its header is not there",
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
    ? "It cannot be seen from here whether that one lives. If nothing uses it any more, use --take-over."
    : "Try again when that one is done.";
}
