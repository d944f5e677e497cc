import { error, type Problem } from "../../errors/texts.ts";

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
  /** `said`: the message of the snapshot store. */
  | { readonly why: "objects"; readonly said: string };

export type PlaceFault = "same-id" | "no-place" | "second-session" | "parent-missing" | "from-behind";

/** The errors of importing bundles and sessions of kimi-cli. */
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
    () => "The bundle was made by a newer Worldline.",
    () => "Nothing was imported. Update Worldline, then import it again.",
  ),
  "bundled-session-newer": error(
    "FORMAT_NEWER",
    ({ session }: { readonly session: string }) => `Session ${session} was written by a newer Worldline.`,
    () => "Nothing was imported. Update Worldline, then import it again.",
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
    () => "Name a session's folder or its context.jsonl.",
  ),
  "import-too-large": error(
    "IMPORT_INVALID",
    ({ path, most }: { readonly path: string; readonly most: number }) =>
      `${path} is larger than ${most} bytes.`,
    () => "It is too large to be imported.",
  ),
  "import-nothing-there": error(
    "IMPORT_INVALID",
    ({ path }: { readonly path: string }) => `There is no session of kimi-cli in ${path}`,
    () => "Name the folder that holds a context.jsonl; they are below ~/.kimi/sessions.",
  ),
  "import-no-message": error(
    "IMPORT_INVALID",
    /** `damaged`: the first unreadable line and the reason, as in the report of the import. */
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
      `There is no message of kimi-cli in ${path}${damaged === undefined ? "" : ` (${damaged.file}, line ${damaged.line}: ${message(damaged.why)})`}.`,
    () => "Nothing was imported. Name a session's folder or its context.jsonl.",
  ),
  "import-no-workspace": error(
    "IMPORT_INVALID",
    ({ folder }: { readonly folder: string }) =>
      `It is not known which folder the session in ${folder} worked in.`,
    () => "Say which: --workspace <folder>",
  ),
};

const SIMPLE_FAULTS: Readonly<Record<SimpleFault, string>> = {
  "after-its-end": "there is something behind its end",
  damaged: "it is damaged",
  "header-not-once": "a header must come first, and once",
  "header-wrong": "the header is not as it must be",
  "line-not-as-written": "this line of the log is not as Worldline writes it",
  "blob-wrong": "the blob is not as it must be",
  "blob-not-its-hash": "the blob is not what its hash says",
  "blob-twice": "the blob stands in the bundle already",
  "blob-incomplete": "a blob before it is incomplete",
  "records-count": "it does not fit the number of records",
  "snapshots-wrong": "the list of snapshots is not as it must be",
  "object-wrong": "the object is not as it must be",
  "absent-wrong": "what is absent is not said as it must be",
  "object-incomplete": "an object before it is incomplete",
  "piece-out-of-order": "this piece does not follow the one before it",
  seal: "its seal does not fit its content, so some byte of it was changed or is missing",
  compression: "its compressed content is damaged",
  "not-a-bundle": "it is not a bundle of Worldline",
  "changed-meanwhile": "the file was changed while it was read",
  "no-session": "its log does not begin with a session",
  "other-session": "its header and its log name different sessions",
  tag: "the tag of its session is not one that Worldline makes",
  "first-entry": "its first entry is not whole",
  "lost-not-lacking": "it names lost lines that its log does not lack",
  "lost-order": "the lost lines that it names are not in order",
};

const PLACE_FAULTS: Readonly<Record<PlaceFault, string>> = {
  "same-id": "has the id of an earlier line",
  "no-place": "has no place",
  "second-session": "begins a second session",
  "parent-missing": "follows an entry that is not there",
  "from-behind": "comes from a place behind itself",
};

function bundleFault(fault: BundleFault): string {
  switch (fault.why) {
    case "cut":
      return `it was cut: it ends ${fault.cut} record ${fault.record}`;
    case "sorts":
      return `it holds more than ${fault.most} sorts of records that are not known`;
    case "lines":
      return `its log has more than ${fault.most.toLocaleString("en")} lines`;
    case "nesting":
      return `it is nested more than ${fault.most} deep`;
    case "files-size":
      return `its files take more than ${fault.most} bytes`;
    case "expansion":
      return `it unpacks to more than ${fault.most} times its size`;
    case "size":
      return `it unpacks to more than ${fault.most} bytes`;
    case "object-size":
      return `an object of ${fault.size} bytes is larger than any may be`;
    case "line-unreadable":
      return `this line of the log cannot be read (${fault.fault})`;
    case "piece-length":
      return `the ${fault.record} is not as long as it says`;
    case "entries-count":
      return `it announces ${fault.announced} entries and holds ${fault.held}`;
    case "blobs-count":
      return `it announces ${fault.announced} blobs and holds ${fault.held}`;
    case "line-missing":
      return `line ${fault.line} of its log is missing, line ${fault.instead} comes instead`;
    case "lost-count":
      return `it names ${fault.count} lost lines, which no session has`;
    case "place":
      return `line ${fault.line} of its log ${PLACE_FAULTS[fault.fault]}`;
    case "blob-missing":
      return `blob ${fault.hash} is missing`;
    case "blob-unused":
      return `nothing in it points to blob ${fault.hash}`;
    case "snapshot-unused":
      return `nothing in it points to snapshot ${fault.snapshot}`;
    case "objects":
      return fault.said;
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

/** `why`: the message of the system. */
export interface Unwritten extends Folder {
  readonly why: string;
}

const nothingExported = ({ folder, why }: Unwritten) =>
  `${folder} could not be written: ${why}. Nothing was exported.`;
const newOrEmpty = () => "Name a new or an empty folder.";
const anotherPlace = () => "Choose another place.";
const leaveOneOut = () => "Leave out one of the two.";
const seeKimi = (command: (words: string) => string) => command("sessions import --list");

/** The errors of exporting, importing, deleting and restoring sessions, and of exporting the files of a checkpoint. */
export const exchanging = {
  "export-not-written": error("STORE_UNWRITABLE", nothingExported, anotherPlace),
  "no-room-for-export": error("STORE_FULL", nothingExported, () => "Make room on the disk and try again."),
  "export-folder-unnamed": error("INPUT_INVALID", () => "No folder was named.", newOrEmpty),
  "export-folder-without-parent": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `The folder ${folder} is not there.`,
    () => "Make it first.",
  ),
  "target-inside-home": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is inside Worldline's own folder.`,
    anotherPlace,
  ),
  "export-folder-unusable": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `${folder} cannot be exported to: it is no folder, or may not be read.`,
    newOrEmpty,
  ),
  "export-folder-not-empty": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `${folder} is not empty, and nothing is ever exported over something.`,
    newOrEmpty,
  ),
  "export-folder-not-made": error(
    "INPUT_INVALID",
    ({ folder, why }: Unwritten) => `${folder} cannot be made: ${why}.`,
    anotherPlace,
  ),
  "output-empty": error(
    "INPUT_INVALID",
    () => "--output was given without a value.",
    () => "Name a file, or leave it out.",
  ),
  "output-folder-unwritable": error(
    "INPUT_INVALID",
    ({ folder }: Folder) => `The folder ${folder} cannot be written to.`,
    () => "Make it first.",
  ),
  "output-not-a-file": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is there and is no file.`,
    (_, { place }) =>
      place === "screen" ? "Name a file, or leave it out." : "Name a file, or leave --output out.",
  ),
  "output-exists": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is there already.`,
    () => "Choose another name, or replace it with --force.",
  ),
  "output-unwritable": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} cannot be written.`,
    () => "Check the path and its permissions.",
  ),
  "bundle-to-pipe": error(
    "INPUT_INVALID",
    ({ to }: { readonly to: "json" | "terminal" }) =>
      `A bundle is compressed data, and ${to === "json" ? "no JSON" : "no text for a terminal"}.`,
    (_, { command }) => `Write it to a file: ${command("sessions export -o session.bundle")}`,
  ),
  "import-not-found": error(
    "IMPORT_INVALID",
    ({ path, code = "unknown" }: Path & { readonly code?: string | undefined }) =>
      `${path} ${code === "ENOENT" ? "does not exist" : `cannot be read (${code})`}.`,
    (_, { command }) => `Check the path. What kimi-cli has: ${seeKimi(command)}`,
  ),
  "bundle-not-a-file": error(
    "IMPORT_INVALID",
    ({ path }: Path) => `${path} is no bundle: it is not a file.`,
    () => "Leave --from out.",
  ),
  "kimi-from-pipe": error(
    "IMPORT_INVALID",
    () => "A session of kimi-cli is several files, which standard input cannot give.",
    () => "Give its folder.",
  ),
  "import-of-unknown-kind": error(
    "IMPORT_INVALID",
    ({ path }: Path) => `${path} is neither a bundle nor a session of kimi-cli.`,
    () =>
      "Nothing was imported. Name a file that `sessions export` made, or a kimi-cli session's folder or its context.jsonl.",
  ),
  "import-unreadable": error(
    "IMPORT_INVALID",
    ({ path, why }: Path & { readonly why: string }) => `${path} cannot be read (${why}).`,
    () => "Check its permissions.",
  ),
  "list-takes-no-path": error("USAGE", () => "--list takes no path.", leaveOneOut),
  "import-unnamed": error(
    "USAGE",
    () => "What to import was not said.",
    (_, { command }) => `Give a path. To see what kimi-cli has: ${seeKimi(command)}`,
  ),
  "session-to-delete-unnamed": error(
    "USAGE",
    () => "No session was named.",
    (_, { command }) => `Such as: ${command("sessions delete k3f9")}. See them: ${command("sessions list")}`,
  ),
  "trash-takes-no-session": error(
    "USAGE",
    () => "--empty-trash removes everything in the trash, and takes no session.",
    () => "First delete the session, then empty the trash.",
  ),
  "session-not-in-trash": error(
    "SESSION_UNKNOWN",
    ({ given }: { readonly given: string; readonly is: "not-deleted" | "unknown" }) =>
      `There is no session "${given}" in the trash.`,
    ({ is }, { command }) =>
      is === "not-deleted"
        ? `It is not deleted. See: ${command("sessions list --all")}`
        : `See what is there: ${command("sessions undelete --list")}`,
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
    }) => `"${given}" may be any of ${matches} sessions.`,
    ({ some }) => `Write more of the id: ${some.join(", ")}`,
  ),
  "session-there-already": error(
    "SESSION_EXISTS",
    ({ session }: { readonly session: string }) =>
      `There is a session ${session} already, which was not deleted.`,
    () => "Sessions are never overwritten, so the deleted one stays in the trash.",
  ),
  "session-to-undelete-unnamed": error(
    "USAGE",
    () => "No session was named.",
    (_, { command }) => `See what is in the trash: ${command("sessions undelete --list")}`,
  ),
  "trash-list-takes-no-session": error(
    "USAGE",
    () => "--list lists what is in the trash, and takes no session.",
    leaveOneOut,
  ),
};
