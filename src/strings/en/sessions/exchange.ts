import { counted } from "../measures/counted.ts";
import { sized } from "../measures/sized.ts";

/** `sessions export` and `sessions import`. */
export const exchange = {
  exporting: (bytes: number) => `Exporting: ${sized(bytes)}`,
  exported: (session: string, file: string, bytes: number) =>
    `Exported session ${session} to ${file} (${sized(bytes)})`,
  holdsAll: "It holds everything that was said in the session, secrets included.",
  exportedFiles: (snapshots: number) => `With the files of ${counted(snapshots, "snapshot", "snapshots")}.`,
  snapshotsGone: (count: number) =>
    `${counted(count, "snapshot is", "snapshots are")} not in it: the store has let ${count === 1 ? "it" : "them"} go.`,
  ignoredNotIn: (count: number) =>
    `Ignored files are in it by name only: ${counted(count, "content was", "contents were")} left out (--include-ignored takes them along).`,
  contentsGone: (count: number) =>
    `${counted(count, "content", "contents")} of files could not be taken along: lost or forgotten before.`,
  importedFiles: (snapshots: number) => `Files of ${counted(snapshots, "snapshot", "snapshots")}`,
  snapshotsNotIn: (count: number) =>
    `${counted(count, "snapshot was", "snapshots were")} let go before the export, so some checkpoints have no files here.`,
  contentsNotIn: (count: number) =>
    `${counted(count, "content", "contents")} of files ${count === 1 ? "is" : "are"} not in the bundle, and cannot be restored here.`,
  filesAdded: (count: number) =>
    `${counted(count, "object", "objects")} of its files were not here, and are now.`,
  damaged: (places: number) =>
    `${counted(places, "place", "places")} of the log could not be read, and so ${places === 1 ? "is" : "are"} not in it.`,
  importing: (path: string) => `Importing ${path}`,
  imported: (session: string, from: string) => `Imported as session ${session} from ${from}`,
  bundleName: (session: string) => `a bundle of session ${session}`,
  kimiName: (name: string, files: number) =>
    `the kimi-cli session ${name} (${counted(files, "file", "files")})`,
  alreadyHere: (session: string) =>
    `Session ${session} is here already, with all that the bundle holds. Nothing was changed.`,
  alreadyHereButFiles: (session: string) => `Session ${session} is here already.`,
  newId: (original: string) => `Another session is called ${original} here, so it got an id of its own.`,
  workspace: (folder: string) => `Workspace: ${folder}`,
  bundleCounts: (entries: number, blobs: number) =>
    `${counted(entries, "entry", "entries")}, ${counted(blobs, "long text", "long texts")}`,
  kimiCounts: (count: { prompts: number; replies: number; results: number; branchesLeft: number }) =>
    [
      counted(count.prompts, "prompt", "prompts"),
      counted(count.replies, "reply", "replies"),
      counted(count.results, "tool result", "tool results"),
      counted(count.branchesLeft, "branch that was left", "branches that were left"),
    ].join(", "),
  renumbered: (count: number, again: number) =>
    `${counted(count, "checkpoint", "checkpoints")}, numbered anew${again === 0 ? "" : `; ${counted(again, "number", "numbers")} had been used twice`} (--json lists them all)`,
  damagedLine: (file: string, line: number, why: string) => `${file}:${line}: not imported: ${why}`,
  damagedInPart: (file: string, line: number, why: string) => `${file}:${line}: imported in part: ${why}`,
  importedBefore: (sessions: string) => `It was imported before, as ${sessions}`,
  toConfirm: (session: string, command: (words: string) => string) =>
    `It is only data until you confirm it, in the folder that it is to work in: ${command(`sessions confirm ${session}`)}`,
  untouched: "The source was only read.",
  noneOfKimi: (folder: string) => `No sessions of kimi-cli found in ${folder}`,
  kimiFiles: (count: number) => counted(count, "file", "files"),
  kimiImportedAs: (sessions: string) => `[imported as ${sessions}]`,
  kimiImport: (command: (words: string) => string) => `To import one: ${command("sessions import <path>")}`,
};
