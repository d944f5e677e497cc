import type { CommandText } from "../../commands.ts";
import type { ObjectsFault, PlainObjectsFault } from "../../errors/facts.ts";
import { error, type Problem } from "../../errors/texts.ts";
import { snapshotExcess, unreadableObject } from "./files.ts";

export type SimpleFault =
  | "after-its-end"
  | "damaged"
  | "header-not-once"
  | "header-wrong"
  | "line-not-as-written"
  | "blob-wrong"
  | "blob-not-its-hash"
  | "blob-twice"
  | "blob-incomplete"
  | "records-count"
  | "snapshots-wrong"
  | "object-wrong"
  | "absent-wrong"
  | "object-incomplete"
  | "piece-out-of-order"
  | "seal"
  | "compression"
  | "not-a-bundle"
  | "changed-meanwhile"
  | "no-session"
  | "other-session"
  | "tag"
  | "first-entry"
  | "lost-not-lacking"
  | "lost-order";

/** The faults that make a bundle unusable. */
export type BundleFault =
  | { readonly why: SimpleFault }
  | { readonly why: "cut"; readonly cut: "within" | "after"; readonly record: number }
  | {
      readonly why: "sorts" | "lines" | "nesting" | "files-size" | "expansion" | "size";
      readonly most: number;
    }
  | { readonly why: "object-size"; readonly size: number }
  | { readonly why: "line-unreadable"; readonly fault: string }
  | { readonly why: "piece-length"; readonly record: string }
  | { readonly why: "entries-count" | "blobs-count"; readonly announced: number; readonly held: number }
  | { readonly why: "line-missing"; readonly line: number; readonly instead: number }
  | { readonly why: "lost-count"; readonly count: number }
  | { readonly why: "place"; readonly line: number; readonly fault: PlaceFault }
  | { readonly why: "blob-missing" | "blob-unused"; readonly hash: string }
  | { readonly why: "snapshot-unused"; readonly snapshot: string }
  | { readonly why: "objects"; readonly fault: ObjectsFault };

export type PlaceFault = "same-id" | "no-place" | "second-session" | "parent-missing" | "from-behind";

/** Errors from importing bundles and kimi-cli sessions. */
export const exchange = {
  "bundle-invalid": error(
    "BUNDLE_INVALID",
    /** `record`: the record that contains the fault. */
    ({ fault, record }: { readonly fault: BundleFault; readonly record?: number }) =>
      `The bundle cannot be imported: ${record === undefined ? "" : `record ${record}: `}${bundleFault(fault)}.`,
    () => "Nothing was imported. Export the session again, or copy the file again.",
  ),
  "bundle-newer": error(
    "FORMAT_NEWER",
    () => "The bundle was created by a newer version of Worldline.",
    () => "Nothing was imported. Update Worldline, then import the bundle again.",
  ),
  "bundled-session-newer": error(
    "FORMAT_NEWER",
    ({ session }: { readonly session: string }) =>
      `Session ${session} was written by a newer version of Worldline.`,
    () => "Nothing was imported. Update Worldline, then import the session again.",
  ),
  "import-file-unreadable": error(
    "IMPORT_INVALID",
    ({ path }: { readonly path: string }) => `${path} cannot be read.`,
    () => "Check its permissions.",
  ),
  "import-path-unreadable": error(
    "IMPORT_INVALID",
    ({ path }: { readonly path: string }) => `${path} cannot be read.`,
    () => "Check the path and its permissions.",
  ),
  "import-not-a-file": error(
    "IMPORT_INVALID",
    ({ path }: { readonly path: string }) => `${path} is not a file.`,
    () => "Name a session's folder or its context.jsonl file.",
  ),
  "import-too-large": error(
    "IMPORT_INVALID",
    ({ path, most }: { readonly path: string; readonly most: number }) =>
      `${path} is larger than ${most} bytes.`,
    () => "Files larger than that cannot be imported.",
  ),
  "import-nothing-there": error(
    "IMPORT_INVALID",
    ({ path }: { readonly path: string }) => `There is no kimi-cli session in ${path}`,
    () =>
      "Name a folder that contains a context.jsonl file. kimi-cli keeps these folders in ~/.kimi/sessions",
  ),
  "import-no-message": error(
    "IMPORT_INVALID",
    /** `damaged`: the first unreadable line and the reason, as in the import report. */
    (
      {
        path,
        damaged,
      }: {
        readonly path: string;
        readonly damaged?: { readonly file: string; readonly line: number; readonly why: Problem };
      },
      { message },
    ) =>
      `${path} contains no kimi-cli messages${damaged === undefined ? "" : ` (${damaged.file}, line ${damaged.line}: ${message(damaged.why)})`}.`,
    () => "Nothing was imported. Name a session's folder or its context.jsonl file.",
  ),
  "import-no-workspace": error(
    "IMPORT_INVALID",
    ({ folder }: { readonly folder: string }) =>
      `The session in ${folder} does not record which folder it worked in.`,
    () => "Name the folder: --workspace <folder>",
  ),
};

const SIMPLE_FAULTS: Readonly<Record<SimpleFault, string>> = {
  "after-its-end": "there is data after its end",
  damaged: "it is damaged",
  "header-not-once": "it must have exactly one header, at the start",
  "header-wrong": "the header is invalid",
  "line-not-as-written": "this log line is not in the format that Worldline writes",
  "blob-wrong": "the blob is invalid",
  "blob-not-its-hash": "the blob does not match its hash",
  "blob-twice": "the blob is already in the bundle",
  "blob-incomplete": "an earlier blob is incomplete",
  "records-count": "the record count that it declares is wrong",
  "snapshots-wrong": "the list of snapshots is invalid",
  "object-wrong": "the object is invalid",
  "absent-wrong": "the record of an absent object is invalid",
  "object-incomplete": "an earlier object is incomplete",
  "piece-out-of-order": "this piece is out of order",
  seal: "its seal does not match its content, so some of it was changed or is missing",
  compression: "its compressed content is damaged",
  "not-a-bundle": "it is not a Worldline bundle",
  "changed-meanwhile": "the file changed while it was being read",
  "no-session": "its log does not begin with a session entry",
  "other-session": "its header and its log name different sessions",
  tag: "its session tag is not one that Worldline creates",
  "first-entry": "its first entry is incomplete",
  "lost-not-lacking": "it lists lines as lost, but they are not missing from its log",
  "lost-order": "its lost lines are not listed in order",
};

const PLACE_FAULTS: Readonly<Record<PlaceFault, string>> = {
  "same-id": "has the id of an earlier line",
  "no-place": "has no parent entry",
  "second-session": "begins a second session",
  "parent-missing": "follows an entry that does not exist",
  "from-behind": "has an origin that does not come before it",
};

const OBJECTS_FAULTS: Readonly<Record<PlainObjectsFault, string>> = {
  "absent-present": "it contains an object that it lists as absent",
  "snapshot-unannounced": "it contains a snapshot that it does not list",
  "folder-unused": "it contains a folder that none of its snapshots uses",
  "folder-missing": "a folder in a snapshot is missing",
  "content-missing": "the content of a file is missing but is not listed as absent",
  "content-unused": "it contains file content that none of its snapshots uses",
};

export function objectsFault(fault: ObjectsFault): string {
  switch (fault.fault) {
    case "wrong-hash":
      return `the ${fault.kind} does not match its hash`;
    case "repeated":
      return `the ${fault.kind} is already in the bundle`;
    case "object-bytes":
      return `a ${fault.kind} takes up ${counted(fault.bytes)} bytes; the limit is ${counted(fault.most)}`;
    case "unreadable":
      return unreadableObject(fault);
    case "snapshot-missing":
      return `snapshot ${fault.snapshot} is missing`;
    case "snapshot-size":
      return `a snapshot is larger than any that Worldline creates: ${snapshotExcess(fault.excess)}`;
    case "objects":
      return `it names more than ${counted(fault.most)} objects`;
    case "folders-named":
      return `its folders name more than ${counted(fault.most)} folders`;
    case "name-bytes":
      return `a name is longer than ${counted(fault.most)} bytes`;
    case "target-bytes":
      return `a link's target is longer than ${counted(fault.most)} bytes`;
    case "git-name":
      return `it contains ${fault.name}, which some file systems treat as .git`;
    case "set-id":
      return `${fault.name === "" ? "the workspace" : fault.name} has a setuid or setgid bit`;
    default:
      return OBJECTS_FAULTS[fault.fault];
  }
}

const counted = (amount: number): string => amount.toLocaleString("en");

function bundleFault(fault: BundleFault): string {
  switch (fault.why) {
    case "cut":
      return `it is truncated: it ends ${fault.cut} record ${fault.record}`;
    case "sorts":
      return `it has more than ${fault.most} unknown kinds of records`;
    case "lines":
      return `its log has more than ${fault.most.toLocaleString("en")} lines`;
    case "nesting":
      return `it is nested more than ${fault.most} levels deep`;
    case "files-size":
      return `its files take up more than ${fault.most} bytes`;
    case "expansion":
      return `it unpacks to more than ${fault.most} times its size`;
    case "size":
      return `it unpacks to more than ${fault.most} bytes`;
    case "object-size":
      return `an object is larger than allowed (${fault.size} bytes)`;
    case "line-unreadable":
      return `this log line cannot be read (${fault.fault})`;
    case "piece-length":
      return `the ${fault.record} does not have the length that it declares`;
    case "entries-count":
      return `it declares ${fault.announced} entries but contains ${fault.held}`;
    case "blobs-count":
      return `it declares ${fault.announced} blobs but contains ${fault.held}`;
    case "line-missing":
      return `line ${fault.line} of its log is missing; line ${fault.instead} is in its place`;
    case "lost-count":
      return `it lists ${fault.count} lost lines, more than a session can have`;
    case "place":
      return `line ${fault.line} of its log ${PLACE_FAULTS[fault.fault]}`;
    case "blob-missing":
      return `blob ${fault.hash} is missing`;
    case "blob-unused":
      return `nothing in it refers to blob ${fault.hash}`;
    case "snapshot-unused":
      return `nothing in it refers to snapshot ${fault.snapshot}`;
    case "objects":
      return objectsFault(fault.fault);
    default:
      return SIMPLE_FAULTS[fault.why];
  }
}

export interface Path {
  readonly path: string;
}

export interface Folder {
  readonly folder: string;
}

/** `why`: the system's message. */
export interface Unwritten extends Folder {
  readonly why: string;
}

const nothingExported = ({ folder, why }: Unwritten) =>
  `${folder} could not be written: ${why}. Nothing was exported.`;
const newOrEmpty = () => "Name a new or empty folder.";
const anotherPlace = () => "Choose another location.";
const leaveOneOut = () => "Use --list by itself.";
const seeKimi = (command: CommandText) => command({ do: "sessions import", from: "list" });

/** Errors from exporting, importing, deleting, and restoring sessions, and from exporting a checkpoint's files. */
export const exchanging = {
  "export-not-written": error("STORE_UNWRITABLE", nothingExported, anotherPlace),
  "no-room-for-export": error("STORE_FULL", nothingExported, () => "Free some disk space and try again."),
  "export-folder-unnamed": error("INPUT_INVALID", () => "No folder was given.", newOrEmpty),
  "export-folder-without-parent": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `The folder ${folder} does not exist.`,
    () => "Create the folder first.",
  ),
  "target-inside-home": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is inside Worldline's own folder.`,
    anotherPlace,
  ),
  "export-folder-unusable": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `Cannot export to ${folder}: it is not a folder or cannot be read.`,
    newOrEmpty,
  ),
  "export-folder-not-empty": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `${folder} is not empty, and exports never overwrite files.`,
    newOrEmpty,
  ),
  "export-folder-not-made": error(
    "INPUT_INVALID",
    ({ folder, why }: Unwritten) => `${folder} cannot be created: ${why}.`,
    anotherPlace,
  ),
  "output-empty": error(
    "INPUT_INVALID",
    () => "--output was given without a value.",
    () => "Name a file, or leave out --output.",
  ),
  "output-folder-unwritable": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `The folder ${folder} cannot be written to.`,
    () => "Create the folder, or check its permissions.",
  ),
  "output-not-a-file": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} exists and is not a file.`,
    (_, { place }) =>
      place === "screen" ? "Name a file, or leave out the name." : "Name a file, or leave out --output.",
  ),
  "output-exists": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} already exists.`,
    () => "Choose another name, or use --force to replace the file.",
  ),
  "output-unwritable": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} cannot be written.`,
    () => "Check the path and its permissions.",
  ),
  "bundle-to-pipe": error(
    "INPUT_INVALID",
    ({ to }: { readonly to: "json" | "terminal" }) =>
      `A bundle is compressed data, not ${to === "json" ? "JSON" : "text for a terminal"}.`,
    (_, { command }) =>
      `Write the bundle to a file: ${command({ do: "sessions export", file: "session.bundle" })}`,
  ),
  "import-not-found": error(
    "IMPORT_INVALID",
    ({ path, code = "unknown" }: Path & { readonly code?: string | undefined }) =>
      `${path} ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}.`,
    (_, { command }) => `Check the path. To list the kimi-cli sessions, run: ${seeKimi(command)}`,
  ),
  "bundle-not-a-file": error(
    "IMPORT_INVALID",
    ({ path }: Path) => `${path} is not a file, so it cannot be a bundle.`,
    () => "Leave out --from.",
  ),
  "kimi-from-pipe": error(
    "IMPORT_INVALID",
    () => "A kimi-cli session consists of several files, so it cannot be read from standard input.",
    () => "Name the session's folder.",
  ),
  "import-of-unknown-kind": error(
    "IMPORT_INVALID",
    ({ path }: Path) => `${path} is neither a bundle nor a kimi-cli session.`,
    () =>
      "Nothing was imported. Name a file made by `sessions export`, or a kimi-cli session's folder or context.jsonl file.",
  ),
  "import-unreadable": error(
    "IMPORT_INVALID",
    ({ path, why }: Path & { readonly why: string }) => `${path} cannot be read (${why}).`,
    () => "Check its permissions.",
  ),
  "list-takes-no-path": error("USAGE", () => "--list does not take a path.", leaveOneOut),
  "import-unnamed": error(
    "USAGE",
    () => "No path to import was given.",
    (_, { command }) => `Give a path. To list the kimi-cli sessions, run: ${seeKimi(command)}`,
  ),
  "session-to-delete-unnamed": error(
    "USAGE",
    () => "No session was given.",
    (_, { command }) =>
      `Name a session, as in \`${command({ do: "sessions delete", session: "k3f9" })}\`. See all sessions: ${command({ do: "sessions list" })}`,
  ),
  "trash-takes-no-session": error(
    "USAGE",
    () => "--empty-trash removes everything in the trash, so it does not take a session.",
    () => "First delete the session, then empty the trash.",
  ),
  "session-not-in-trash": error(
    "SESSION_UNKNOWN",
    ({ given }: { readonly given: string; readonly is: "not-deleted" | "unknown" }) =>
      `There is no session "${given}" in the trash.`,
    ({ is }, { command }) =>
      is === "not-deleted"
        ? `The session has not been deleted. See: ${command({ do: "sessions list", all: true })}`
        : `See what is in the trash: ${command({ do: "sessions undelete --list" })}`,
  ),
  "deleted-session-ambiguous": error(
    "SESSION_AMBIGUOUS",
    ({
      given,
      matches,
    }: {
      readonly given: string;
      readonly matches: number;
      readonly some: readonly string[];
    }) => `"${given}" matches ${matches} sessions.`,
    ({ some }) => `Use a longer id: ${some.join(", ")}`,
  ),
  "session-there-already": error(
    "SESSION_EXISTS",
    ({ session }: { readonly session: string }) => `Session ${session} already exists outside the trash.`,
    () => "Sessions are never overwritten, so the deleted session stays in the trash.",
  ),
  "session-to-undelete-unnamed": error(
    "USAGE",
    () => "No session was given.",
    (_, { command }) => `See what is in the trash: ${command({ do: "sessions undelete --list" })}`,
  ),
  "trash-list-takes-no-session": error(
    "USAGE",
    () => "--list shows what is in the trash and does not take a session.",
    leaveOneOut,
  ),
};
