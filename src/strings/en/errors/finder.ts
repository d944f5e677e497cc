import { error, type Problem } from "../../errors/texts.ts";
import { sized } from "../measures.ts";

/** Errors from the finder, and from sessions that a program opens. */
export const finder = {
  "change-not-taken-back": error(
    "REWIND_REFUSED",
    ({ paths }: { readonly paths: readonly string[] }) =>
      `Nothing was undone: ${paths.join(", ")} changed in the meantime.`,
    () => "Run the same command again.",
  ),
  "files-not-kept": error(
    "INPUT_INVALID",
    ({ checkpoint }: { readonly checkpoint: number }) =>
      `The files for checkpoint ${checkpoint} are not stored.`,
    (_, { command }) => `Choose another checkpoint: ${command({ do: "checkpoints" })}`,
  ),
  "temporary-folder-unusable": error(
    "STORE_UNWRITABLE",
    /** `errno`: absent if the folder does not exist. */
    ({ folder, errno }: { readonly folder: string; readonly errno?: string }) =>
      `The folder for temporary files, ${folder}, ${errno === undefined ? "does not exist" : `cannot be written to (${errno})`}.`,
    () => "Set TMPDIR to a folder that you can write to.",
  ),
  "changes-unreadable": error(
    "MODEL_FAILED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The changes cannot be read: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "finder-without-files": error(
    "REWIND_REFUSED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `The finder needs file checkpoints: ${message(problem)}`,
    ({ problem }, { hint }) => hint(problem),
  ),
  "find-cancelled": error("CANCELLED", () => "Canceled; the workspace was not touched."),
};

/** Errors from the demonstrations. */
export const demonstrations = {
  "story-stopped": error("CANCELLED", () => "The story was stopped."),
  "nothing-touched": error("CANCELLED", () => "Canceled; none of your files were touched."),
  "folder-to-keep-not-empty": error(
    "INPUT_INVALID",
    ({ folder }: { readonly folder: string }) => `${folder} is not empty.`,
    () => "Use --keep with an empty or new folder.",
  ),
  "finder-failed": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The finder did not finish: ${why}`,
    (_, { command }) => `To see the full output, run: ${command({ do: "find --sample" })}`,
  ),
  "copy-not-captured": error(
    "STORE_UNWRITABLE",
    (_: { readonly why?: Problem }) => "The copy could not be captured.",
    ({ why }, { message }) => (why === undefined ? "Try again." : message(why)),
  ),
  "damage-unknown": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string; readonly known: readonly string[]; readonly meant?: string }) =>
      `Unknown kind of damage: "${given}".`,
    ({ known, meant }) =>
      meant === undefined ? `Known kinds: ${known.join(", ")}` : `Did you mean ${meant}?`,
  ),
  "no-room-for-copy": error(
    "STORE_FULL",
    ({ folder, free, needed }: { readonly folder: string; readonly free: number; readonly needed: number }) =>
      `There is not enough disk space for a copy: ${folder} has ${sized(free)} free, and the copy needs ${sized(needed)}.`,
    () => "Set TMPDIR to a folder on a larger disk, or run `prove` on part of the folder.",
  ),
  "folder-too-large-to-copy": error(
    "INPUT_INVALID",
    ({ folder, files, bytes }: { readonly folder: string; readonly files: number; readonly bytes: number }) =>
      `${folder} is too large to copy by default: it has more than ${files.toLocaleString("en")} files or ${sized(bytes)}.`,
    (_, { command }) =>
      `Run \`prove\` on part of the folder, or raise the limit: ${command({ do: "prove", limit: 8 })}`,
  ),
  "folder-to-prove-missing": error(
    "WORKSPACE_UNUSABLE",
    ({ folder }: { readonly folder: string }) => `${folder} does not exist.`,
    (_, { command }) => `Specify an existing folder, or leave out the folder: ${command({ do: "prove" })}`,
  ),
};
