import { error } from "../texts.ts";

interface Path {
  readonly path: string;
}

interface Folder {
  readonly folder: string;
}

/** `why`: in the system's own words. */
interface Unwritten extends Folder {
  readonly why: string;
}

const nothingExported = ({ folder, why }: Unwritten) =>
  `${folder} could not be written: ${why}. Nothing was exported.`;
const newOrEmpty = () => "Name a new or an empty folder.";
const anotherPlace = () => "Choose another place.";
const leaveOneOut = () => "Leave out one of the two.";
const seeKimi = (command: (words: string) => string) => command("sessions import --list");

/** The errors of exporting, importing, deleting and bringing back: sessions, and the files of a checkpoint. */
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
    ({ path, code }: Path & { readonly code?: string | undefined }) =>
      `${path} ${code === "ENOENT" ? "is not there" : `cannot be read (${code})`}.`,
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
