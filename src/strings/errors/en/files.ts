import { files as texts } from "../../en/files/files.ts";
import { error, type Problem } from "../texts.ts";

/** Why a file is not in a snapshot; "never-captured": folders of its name never are. */
export type WhyLeftOut = keyof typeof texts.leftOut | "never-captured";

interface Path {
  readonly path: string;
}

/** `why`: in the system's own words. */
interface Unwritten extends Path {
  readonly why: string;
}

const notWritten = ({ path, why }: Unwritten) => `${path} could not be written: ${why}.`;

/** The errors of files that a user names, and of files that are written for one. */
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
      `${path} is not in the snapshot: ${why === "never-captured" ? texts.neverCaptured : texts.leftOut[why]}.`,
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
