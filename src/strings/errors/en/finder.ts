import { error } from "../texts.ts";

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
  "find-cancelled": error("CANCELLED", () => "Cancelled; the workspace was not touched."),
};
