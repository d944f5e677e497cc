import { type CallReason, callReasonsInEnglish, callReasonText } from "../../call-reasons.ts";
import { error, type Problem } from "../../errors/texts.ts";

export interface Path {
  readonly path: string;
}

const noFilesHint = "Nothing was changed. The conversation alone can go back.";

/** The errors that only Worldline's terminal has: what cannot be done on its screen, or not now. */
export const terminal = {
  "running-here": error(
    "TURN_RUNNING",
    () => "Something is still running here.",
    () => "Wait for its end, or interrupt it first.",
  ),
  "running-before-journey": error(
    "TURN_RUNNING",
    ({ problem }: { readonly problem: Problem }, { message }) => message(problem),
    () => "Wait for its end, or press Esc to interrupt it: what it has done by then stays on the timeline.",
  ),
  "auto-mode-not-confirmed": error(
    "INPUT_INVALID",
    () => "Auto mode was not confirmed in this session.",
    () => "Enter it by name: /permissions auto",
  ),
  "session-not-kept": error(
    "INPUT_INVALID",
    () => "A session that is not kept cannot be forked.",
    () => "Begin one without --no-session.",
  ),
  "session-is-this-one": error(
    "INPUT_INVALID",
    () => "This is the session that you are in.",
    () => "Open another one first, or begin a new one.",
  ),
  "file-to-replace": error(
    "NEEDS_YES",
    ({ path }: Path) => `${path} is there already.`,
    () => "Choose another name, or replace it: --force",
  ),
  "no-editor": error(
    "INPUT_INVALID",
    () => "There is no editor: neither VISUAL nor EDITOR names one.",
    () => "Set EDITOR, such as: export EDITOR=nano",
  ),
  "editor-failed": error(
    "INPUT_INVALID",
    ({ editor, end }: { readonly editor: string; readonly end: EndOfProgram }) =>
      `${editor} did not end well: ${endText(end)}. The text is as it was.`,
    () => "Check VISUAL and EDITOR.",
  ),
  "finder-without-answer": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The finder did not come to an end: ${why}`,
    (_, { command }) => `See all of it: ${command("find --sample")}`,
  ),
  "prompts-not-a-number": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: number }) => `${given} is not a number of prompts to take back.`,
    () => "/undo takes back the last prompt or ! command, /undo 3 the last three.",
  ),
  "nothing-to-take-back": error(
    "CHECKPOINT_UNKNOWN",
    () => "There is nothing on this branch to take back.",
    () => "To go forward again: /redo. To go anywhere else: /rewind",
  ),
  "fewer-prompts": error(
    "CHECKPOINT_UNKNOWN",
    ({ wanted, found }: { readonly wanted: number; readonly found: number }) => {
      const known =
        found === 1 ? "There is only 1 prompt or command" : `There are only ${found} prompts and commands`;
      return `${known} on this branch, and not ${wanted}.`;
    },
    ({ found }) => `To take back all of them: /undo ${found}. To go anywhere else: /rewind`,
  ),
  "conflict-gone": error(
    "INPUT_INVALID",
    ({ name }: { readonly name: string }) => `Nobody else has changed ${name} any more.`,
    () => "Nothing was changed. Look at the preview again: the files are not as it showed them.",
  ),
  "files-cannot-go-back": error(
    "REWIND_REFUSED",
    ({ problem }: { readonly problem: Problem }, { message }) => message(problem),
    ({ problem }, { hint }) => hint(problem) || noFilesHint,
  ),
  "host-cannot-go-back": error(
    "REWIND_REFUSED",
    /** `files`: why there are none of Worldline's own to work with, where there are none. */
    ({ problem }: { readonly problem: Problem; readonly files?: Problem }, { message, command }) =>
      `${message(problem)} Worldline's own snapshots may have it: ${command("config set snapshots.engine worldline")}`,
    ({ files }, { hint }) => (files === undefined ? "" : hint(files)) || noFilesHint,
  ),
  "files-of-checkpoint-not-captured": error(
    "REWIND_REFUSED",
    ({ checkpoint, why }: { readonly checkpoint: number; readonly why?: Problem }, { message }) =>
      `The files of checkpoint ${checkpoint} were not captured${why === undefined ? "." : `: ${message(why)}`}`,
    () => noFilesHint,
  ),
  "files-of-checkpoint-let-go": error(
    "REWIND_REFUSED",
    ({ checkpoint, machine }: { readonly checkpoint: number; readonly machine?: string }) =>
      machine === undefined
        ? `The files of checkpoint ${checkpoint} are no longer kept.`
        : `The files of checkpoint ${checkpoint} are on ${machine}, where they were captured, and not on this machine.`,
    () => noFilesHint,
  ),
  "no-instructions-to-load": error(
    "INPUT_INVALID",
    () => "This workspace has no AGENTS.md.",
    () => "Name a file: /load-context <path>",
  ),
  "file-denied": error(
    "INPUT_INVALID",
    ({ path, because }: Path & { readonly because: CallReason }) =>
      `${path} may not be read: ${callReasonText(callReasonsInEnglish, because) ?? because.code}.`,
  ),
  "file-larger-than-context": error(
    "INPUT_INVALID",
    ({ path, tokens, free }: Path & { readonly tokens: number; readonly free: number }) =>
      `${path} does not fit into the context: about ${tokens} tokens, and ${free} are free.`,
    () =>
      "Load a part of it, make room with /compact, or name the file in a prompt so that the model reads what it needs.",
  ),
  "file-empty": error("INPUT_INVALID", ({ path }: Path) => `${path} is empty.`),
  "file-to-load-not-text": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is not a text file.`,
    () => "An image can be pasted into the prompt by its path.",
  ),
  "file-to-load-no-file": error(
    "INPUT_INVALID",
    ({ path, is }: Path & { readonly is: "directory" | "other" }) =>
      `${path} is ${is === "directory" ? "a directory" : "not a file"}.`,
  ),
  "file-too-large-to-load": error(
    "INPUT_INVALID",
    ({ path, bytes, most }: Path & { readonly bytes: number; readonly most: number }) =>
      `${path} is too large to load: ${bytes} bytes; at most ${most} can be loaded.`,
    () => "Name the file in a prompt instead: the model reads the part that it needs.",
  ),
  "file-to-load-missing": error("INPUT_INVALID", ({ path }: Path) => `There is no file ${path}.`),
  "file-to-load-unreadable": error(
    "INPUT_INVALID",
    ({ path, code }: Path & { readonly code: string }) => `${path} cannot be read (${code}).`,
  ),
};

/** How a program ended that was to end with 0; `system`: why it could not even be started. */
export type EndOfProgram =
  | { readonly exitCode: number | null }
  | { readonly signal: string }
  | { readonly system: string };

function endText(end: EndOfProgram): string {
  if ("system" in end) return end.system;
  return "signal" in end ? end.signal : `exit code ${end.exitCode}`;
}
