import type {
  ErrorOwner,
  ObjectDamage,
  ObjectKindName,
  PlainDamage,
  RecordFault,
  SnapshotExcess,
} from "../facts.ts";
import { error } from "../texts.ts";
import { lockOwner } from "./stores.ts";

/** The errors of capturing and restoring files. */
export const snapshots = {
  "workspace-no-folder": error("WORKSPACE_UNUSABLE", () => "The workspace is no folder anymore."),
  "workspace-gone": error(
    "WORKSPACE_UNUSABLE",
    () => "The workspace is no folder anymore, or cannot be looked at.",
  ),
  "workspace-unreadable": error(
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

/** Without the period, for a longer sentence. */
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

export function recordFault(fault: RecordFault): string {
  return typeof fault === "object" ? `it is a ${fault.isA}` : RECORD_FAULTS[fault];
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
