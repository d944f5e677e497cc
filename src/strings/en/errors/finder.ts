import { error, type Problem } from "../../errors/texts.ts";
import { sized } from "../measures.ts";

/** The errors of the finder of changes, and of sessions that a program opens. */
export const finder = {
  "change-not-taken-back": error(
    "REWIND_REFUSED",
    ({ paths }: { readonly paths: readonly string[] }) =>
      `Nothing was taken back: somebody has changed ${paths.join(", ")} meanwhile.`,
    () => "Run the same again.",
  ),
  "files-not-kept": error(
    "INPUT_INVALID",
    ({ checkpoint }: { readonly checkpoint: number }) =>
      `The files of checkpoint ${checkpoint} are not kept.`,
    (_, { command }) => `Choose another one: ${command("checkpoints")}`,
  ),
  "temporary-folder-unusable": error(
    "STORE_UNWRITABLE",
    /** `errno`: absent where the folder is. */
    ({ folder, errno }: { readonly folder: string; readonly errno?: string }) =>
      `The folder for temporary files, ${folder}, ${errno === undefined ? "is not there" : `cannot be written to (${errno})`}.`,
    () => "Set TMPDIR to a folder that you can write to.",
  ),
  "changes-unreadable": error(
    "MODEL_FAILED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The changes cannot be looked at: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "finder-without-files": error(
    "REWIND_REFUSED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The finder needs file checkpoints: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "find-cancelled": error("CANCELLED", () => "Cancelled; the workspace was not touched."),
};

/** The errors of the demonstrations. */
export const demonstrations = {
  "story-stopped": error("CANCELLED", () => "The story was stopped."),
  "nothing-touched": error("CANCELLED", () => "Cancelled; nothing of yours was touched."),
  "folder-to-keep-not-empty": error(
    "INPUT_INVALID",
    ({ folder }: { readonly folder: string }) => `${folder} is not empty.`,
    () => "Give --keep a folder that is empty, or not there yet.",
  ),
  "finder-failed": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The finder did not come to an end: ${why}`,
    (_, { command }) => `See all of it: ${command("find --sample")}`,
  ),
  "copy-not-captured": error(
    "STORE_UNWRITABLE",
    (_: { readonly why?: Problem }) => "The copy could not be captured.",
    ({ why }, { message }) => (why === undefined ? "Try it again." : message(why)),
  ),
  "damage-unknown": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string; readonly known: readonly string[]; readonly meant?: string }) =>
      `There is no damage "${given}".`,
    ({ known, meant }) => (meant === undefined ? `Known: ${known.join(", ")}` : `Did you mean ${meant}?`),
  ),
  "no-room-for-copy": error(
    "STORE_FULL",
    ({ folder, free, needed }: { readonly folder: string; readonly free: number; readonly needed: number }) =>
      `There is too little room for a copy: ${sized(free)} are free in ${folder}, ${sized(needed)} are needed.`,
    () => "Set TMPDIR to a folder on a larger disk, or prove a part of the folder.",
  ),
  "folder-too-large-to-copy": error(
    "INPUT_INVALID",
    ({ folder, files, bytes }: { readonly folder: string; readonly files: number; readonly bytes: number }) =>
      `${folder} is larger than what is copied by default: more than ${files.toLocaleString("en")} files or ${sized(bytes)}.`,
    (_, { command }) => `Prove a part of it, or raise the limit: ${command("prove --limit 8 <folder>")}`,
  ),
  "folder-to-prove-missing": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string }) => `${folder} is not there.`,
    (_, { command }) => `Give a folder that exists, or none: ${command("prove")}`,
  ),
};
