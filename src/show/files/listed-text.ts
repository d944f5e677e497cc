import type { ListedFiles } from "../../app/files/checkpoint-files.ts";
import type { Strings } from "../../strings/strings.ts";

/** What a list says of a checkpoint's files: `captured`, `captured, 3 changes since`, `conversation only`. */
export function filesText({ state, changedSince }: ListedFiles, { files, phrases }: Strings): string {
  const since = changedSince === undefined || changedSince === 0 ? [] : [files.changedSince(changedSince)];
  return phrases.listed([files.states[state], ...since]);
}
