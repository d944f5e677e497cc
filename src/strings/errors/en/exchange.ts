import { error } from "../texts.ts";

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

/** What is wrong with a bundle. */
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
  /** As the snapshot store says it. */
  | { readonly why: "objects"; readonly said: string };

export type PlaceFault = "same-id" | "no-place" | "second-session" | "parent-missing" | "from-behind";

/** The errors of what comes from elsewhere: bundles, and the sessions of kimi-cli. */
export const exchange = {
  "bundle-invalid": error(
    "BUNDLE_INVALID",
    /** `record`: in which it was found. */
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
    /** `damaged`: the first line that could not be read, and why, as the report of the import says it. */
    ({
      path,
      damaged,
    }: {
      readonly path: string;
      readonly damaged?: { readonly file: string; readonly line: number; readonly why: string };
    }) =>
      `There is no message of kimi-cli in ${path}${damaged === undefined ? "" : ` (${damaged.file}, line ${damaged.line}: ${damaged.why})`}.`,
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
