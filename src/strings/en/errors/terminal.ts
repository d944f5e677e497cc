import { type CallReason, callReasonsInEnglish, callReasonText } from "../../call-reasons.ts";
import { error, type Problem } from "../../errors/texts.ts";

export interface Path {
  readonly path: string;
}

const noFilesHint = "Nothing was changed. You can still rewind the conversation alone.";

/** Errors from Worldline's terminal, for actions that are not possible or not possible at the moment. */
export const terminal = {
  "running-here": error(
    "TURN_RUNNING",
    () => "Something is still running in this session.",
    () => "Wait for it to finish, or interrupt it first.",
  ),
  "running-before-journey": error(
    "TURN_RUNNING",
    ({ problem }: { readonly problem: Problem }, { message }) => message(problem),
    () =>
      "Wait for it to finish, or press Esc to interrupt it. Work that is already done stays on the timeline.",
  ),
  "auto-mode-not-confirmed": error(
    "INPUT_INVALID",
    () => "Auto mode was not confirmed in this session.",
    () => "Confirm it with /permissions auto",
  ),
  "session-not-kept": error(
    "INPUT_INVALID",
    () => "An unsaved session cannot be forked.",
    () => "Start a session without --no-session.",
  ),
  "session-is-this-one": error(
    "INPUT_INVALID",
    () => "This is the current session.",
    () => "Open another session first, or start a new one.",
  ),
  "file-to-replace": error(
    "NEEDS_YES",
    ({ path }: Path) => `${path} already exists.`,
    () => "Choose another name, or use --force to replace the file.",
  ),
  "no-editor": error(
    "INPUT_INVALID",
    () => "No editor is set: neither VISUAL nor EDITOR names one.",
    () => "Set EDITOR, for example: export EDITOR=nano",
  ),
  "editor-failed": error(
    "INPUT_INVALID",
    ({ editor, end }: { readonly editor: string; readonly end: EndOfProgram }) =>
      `${editor} exited with an error: ${endText(end)}. The text is unchanged.`,
    () => "Check VISUAL and EDITOR.",
  ),
  "finder-without-answer": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The finder did not finish: ${why}`,
    (_, { command }) => `To see the full output, run: ${command({ do: "find --sample" })}`,
  ),
  "prompts-not-a-number": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: number }) => `${given} is not a valid number of prompts to undo.`,
    () => "/undo undoes the last prompt or ! command; /undo 3 undoes the last three.",
  ),
  "nothing-to-take-back": error(
    "CHECKPOINT_UNKNOWN",
    () => "There is nothing to undo on this branch.",
    () => "Use /redo to go forward again, or /rewind to choose a checkpoint.",
  ),
  "fewer-prompts": error(
    "CHECKPOINT_UNKNOWN",
    ({ wanted, found }: { readonly wanted: number; readonly found: number }) => {
      const known =
        found === 1 ? "There is only 1 prompt or command" : `There are only ${found} prompts and commands`;
      return `${known} on this branch, not ${wanted}.`;
    },
    ({ found }) => `Use /undo ${found} to undo all of them, or /rewind to choose a checkpoint.`,
  ),
  "conflict-gone": error(
    "INPUT_INVALID",
    ({ name }: { readonly name: string }) => `${name} no longer has changes from outside this session.`,
    () => "Nothing was changed. Check the preview again. The files have changed since the preview was shown.",
  ),
  "files-cannot-go-back": error(
    "REWIND_REFUSED",
    ({ problem }: { readonly problem: Problem }, { message }) => message(problem),
    ({ problem }, { hint }) => hint(problem) || noFilesHint,
  ),
  "host-cannot-go-back": error(
    "REWIND_REFUSED",
    /** `files`: why Worldline's own snapshots are not available; absent if they are available. */
    ({ problem }: { readonly problem: Problem; readonly files?: Problem }, { message, command }) =>
      `${message(problem)} Worldline's own snapshots may have the files: ${command({ do: "config set", key: "snapshots.engine", value: "worldline" })}`,
    ({ files }, { hint }) => (files === undefined ? "" : hint(files)) || noFilesHint,
  ),
  "files-of-checkpoint-not-captured": error(
    "REWIND_REFUSED",
    ({ checkpoint, why }: { readonly checkpoint: number; readonly why?: Problem }, { message }) =>
      `The files for checkpoint ${checkpoint} were not captured${why === undefined ? "." : `: ${message(why)}`}`,
    () => noFilesHint,
  ),
  "files-of-checkpoint-let-go": error(
    "REWIND_REFUSED",
    ({ checkpoint, machine }: { readonly checkpoint: number; readonly machine?: string }) =>
      machine === undefined
        ? `The files for checkpoint ${checkpoint} are no longer kept.`
        : `The files for checkpoint ${checkpoint} were captured on ${machine} and are not on this machine.`,
    () => noFilesHint,
  ),
  "no-instructions-to-load": error(
    "INPUT_INVALID",
    () => "This workspace has no AGENTS.md file.",
    () => "Name a file: /load-context <path>",
  ),
  "file-denied": error(
    "INPUT_INVALID",
    ({ path, because }: Path & { readonly because: CallReason }) =>
      `Reading ${path} is not allowed: ${callReasonText(callReasonsInEnglish, because) ?? because.code}.`,
  ),
  "file-larger-than-context": error(
    "INPUT_INVALID",
    ({ path, tokens, free }: Path & { readonly tokens: number; readonly free: number }) =>
      `${path} does not fit in the context: it has about ${tokens} tokens, and ${free} are free.`,
    () =>
      "Load part of it, make room with /compact, or name the file in a prompt so that the model reads only what it needs.",
  ),
  "file-empty": error("INPUT_INVALID", ({ path }: Path) => `${path} is empty.`),
  "file-to-load-not-text": error(
    "INPUT_INVALID",
    ({ path }: Path) => `${path} is not a text file.`,
    () => "To add an image, paste its path into the prompt.",
  ),
  "file-to-load-no-file": error(
    "INPUT_INVALID",
    ({ path, is }: Path & { readonly is: "directory" | "other" }) =>
      `${path} is ${is === "directory" ? "a folder" : "not a file"}.`,
  ),
  "file-too-large-to-load": error(
    "INPUT_INVALID",
    ({ path, bytes, most }: Path & { readonly bytes: number; readonly most: number }) =>
      `${path} is too large to load: it has ${bytes} bytes, and the limit is ${most}.`,
    () => "Name the file in a prompt instead: the model reads the part that it needs.",
  ),
  "file-to-load-missing": error("INPUT_INVALID", ({ path }: Path) => `The file ${path} does not exist.`),
  "file-to-load-unreadable": error(
    "INPUT_INVALID",
    ({ path, code }: Path & { readonly code: string }) => `${path} cannot be read (${code}).`,
  ),
};

/** The way in which a program failed; `system`: the reason why it could not be started. */
export type EndOfProgram =
  | { readonly exitCode: number | null }
  | { readonly signal: string }
  | { readonly system: string };

function endText(end: EndOfProgram): string {
  if ("system" in end) return end.system;
  return "signal" in end ? end.signal : `exit code ${end.exitCode}`;
}
