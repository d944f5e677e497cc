import type { Command } from "../../commands.ts";
import { type ErrorCode, error, type Problem } from "../../errors/texts.ts";

/** The reason why a name that the user gave cannot be used. */
export type NameFault =
  | { readonly why: "empty" | "control" | "outer-space" | "mark-first" | "like-number" | "like-place" }
  | { readonly why: "unseen"; readonly sign: string }
  | { readonly why: "too-long"; readonly most: number };

/** The reason why an entry cannot be written. */
export type EntryFault =
  | { readonly why: "kind-unknown" | "begins-a-log" | "placed" | "not-json" | "elsewhere" }
  | { readonly why: "number"; readonly number: number }
  | { readonly why: "field"; readonly field: string }
  | { readonly why: "entry-unknown"; readonly id: string };

/** Errors from writing to sessions, from finding something in them, and from changing them. */
export const machine = {
  "journey-move": error(
    "INPUT_INVALID",
    ({ journey, move }: { readonly journey: string; readonly move: string }) =>
      `A ${journey} cannot include the move "${move}" here.`,
  ),
  "fork-not-a-copy": error("INPUT_INVALID", () => "A fork can only copy a branch."),
  "session-closed": error(
    "SESSION_CLOSED",
    () => "This session was closed.",
    () => "Open it again.",
  ),
  "session-lost": error(
    "SESSION_CLOSED",
    ({ problem }: { readonly problem: Problem }, { message }) =>
      `Another program has written to this session. ${message(problem)}`,
    () => "Open the session again. Entries that had not been written yet were discarded.",
  ),
  "session-not-written": error(
    "STORE_UNWRITABLE",
    () => "The session could not be written.",
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  "summary-empty": error(
    "INPUT_INVALID",
    () => "The summary is empty.",
    () => "The context is unchanged.",
  ),
  "session-not-found": error(
    "SESSION_UNKNOWN",
    ({ wanted }: { readonly wanted: string }) => `There is no session "${wanted}".`,
    (_, { command }) => `See all sessions: ${command({ do: "sessions list", all: true })}`,
  ),
  "session-ambiguous": error(
    "SESSION_AMBIGUOUS",
    ({
      wanted,
      count,
    }: {
      readonly wanted: string;
      readonly count: number;
      readonly ids: readonly string[];
    }) => `"${wanted}" matches ${count} sessions.`,
    ({ ids }) => `Use a longer id: ${ids.join(", ")}`,
  ),
  "session-unconfirmed": error(
    "SESSION_UNCONFIRMED",
    ({ session }: { readonly session: string }) =>
      `Session ${session} was not written by this Worldline home, so it cannot be used until you confirm it.`,
    ({ session }, { command }) =>
      `Review it with \`${command({ do: "log", session })}\`, then confirm it in the folder that it should work in: ${command({ do: "sessions confirm", session })}`,
  ),
  "session-newer": error(
    "FORMAT_NEWER",
    ({ session }: { readonly session: string }) =>
      `Session ${session} was written by a newer version of Worldline.`,
    () => "It can be read but not continued here. Update Worldline.",
  ),
  "entry-unknown": error(
    "ENTRY_UNKNOWN",
    ({ entry }: { readonly entry: string }) => `There is no entry ${entry} in this session.`,
  ),
  "entry-not-an-object": error(
    "ENTRY_INVALID",
    () => "An entry must be an object.",
    () => "docs/format.md lists the fields for each kind of entry.",
  ),
  "entry-invalid": error(
    "ENTRY_INVALID",
    ({ kind, fault }: { readonly kind: string; readonly fault: EntryFault }) =>
      `This ${kind} entry cannot be written: ${entryFault(fault)}.`,
    () => "docs/format.md lists the fields for each kind of entry.",
  ),
  "text-not-spilled": error(
    "ENTRY_INVALID",
    () => "A string was moved to a blob, although no length limit applies here.",
  ),
  "title-invalid": error(
    "INPUT_INVALID",
    ({ fault }: { readonly fault: NameFault }) => `This cannot be used as a title: ${nameFault(fault)}.`,
    () => 'Choose a title that fits on one line, such as "The leak in the pool".',
  ),
  "label-invalid": error(
    "LABEL_INVALID",
    ({ label, fault }: { readonly label: string; readonly fault: NameFault }) =>
      `"${label}" cannot be used as a label: ${nameFault(fault)}.`,
    () => 'Choose a short name with a letter in it, such as "before refactoring".',
  ),

  "files-already-so": error(
    "REWIND_REFUSED",
    ({ checkpoint }: { readonly checkpoint: number }) => `The files already match checkpoint ${checkpoint}.`,
    (_, { command }) => `Choose another checkpoint: ${command({ do: "checkpoints" })}`,
  ),
  "journey-not-written": error("REWIND_REFUSED", () => "The journey was not written to the log."),
  "session-went-on": error(
    "REWIND_REFUSED",
    () => "The session changed while its files were being checked.",
    () => "Nothing was changed. Try again.",
  ),
  "files-not-captured": error(
    "REWIND_REFUSED",
    /** `why`: the reason recorded in the log. */
    ({ checkpoint, why }: { readonly checkpoint: number; readonly why?: Problem }, { message }) =>
      `The files for checkpoint ${checkpoint} were not captured${why === undefined ? "." : `: ${message(why)}`}`,
    (_, { place }) => conversationAlone(place),
  ),
  "files-let-go": error(
    "REWIND_REFUSED",
    /** `machine`: the machine that has the files, if it is not this one. */
    ({
      checkpoint,
      machine: elsewhere,
    }: {
      readonly checkpoint: number;
      readonly machine?: string | undefined;
    }) =>
      elsewhere === undefined
        ? `The files for checkpoint ${checkpoint} are no longer kept.`
        : `The files for checkpoint ${checkpoint} were captured on ${elsewhere} and are not on this machine.`,
    (_, { place }) => conversationAlone(place),
  ),
  "journey-files-not-captured": error(
    "REWIND_REFUSED",
    ({ journey }: { readonly journey: string }) =>
      `The files from before journey ${journey} were not captured.`,
    (_, { place }) => conversationAlone(place),
  ),
  "journey-files-let-go": error(
    "REWIND_REFUSED",
    ({ journey }: { readonly journey: string }) =>
      `The files from before journey ${journey} are no longer kept.`,
    (_, { place }) => conversationAlone(place),
  ),
  "files-off": error(
    "REWIND_REFUSED",
    () => "Files are not captured in this session.",
    (_, { place }) => conversationAlone(place),
  ),
  "restore-unfinished-here": error(
    "RESTORE_UNFINISHED",
    () => "A restore was interrupted here and could not be finished.",
    (_, { command }) => `Check for problems: ${command({ do: "doctor" })}`,
  ),
  "restore-unfinished": error(
    "RESTORE_UNFINISHED",
    () => "An interrupted restore could not be finished.",
    () => "Open the session again to retry.",
  ),
  "restore-unfinished-elsewhere": error(
    "RESTORE_UNFINISHED",
    ({ session }: { readonly session: string }) =>
      `A restore in session ${session} was interrupted and could not be finished.`,
    () => "Close the program that is using that session, then try again.",
  ),

  "host-files-choice": error(
    "INPUT_INVALID",
    ({ host }: { readonly host: string }) => `You cannot choose which files the ${host} restores.`,
    (_, { command }) =>
      `Nothing was changed. Leave out the file choices, or use Worldline's own snapshots: ${command(USE_OWN)}`,
  ),
  "host-rewind-failed": error(
    /** `code`: the problem's code. `own`: whether Worldline's own snapshots contain the checkpoint. */
    ({
      code,
    }: {
      readonly code: ErrorCode;
      readonly problem: Problem;
      readonly checkpoint: number;
      readonly own: "off" | "has" | "has-not";
    }) => code,
    ({ problem }, { message }) => message(problem),
    ({ problem, checkpoint, own }, { hint, command }) =>
      [hint(problem), ownSnapshots(own, checkpoint, command(USE_OWN))]
        .filter((text) => text !== "")
        .join(" "),
  ),
  "host-knows-no-change": error(
    "REWIND_REFUSED",
    /** `differ`: how many paths differ according to Worldline's own snapshots. */
    ({ host, checkpoint }: { readonly host: string; readonly checkpoint: number; readonly differ: number }) =>
      `The ${host} has no record of a file that differs from checkpoint ${checkpoint}.`,
    ({ differ }, { command }) =>
      differ === 0
        ? `Choose another checkpoint: ${command({ do: "checkpoints" })}`
        : `Nothing was changed. However, ${differ === 1 ? "1 path differs" : `${differ} paths differ`} from the checkpoint. Worldline's own snapshots can restore the files: ${command(USE_OWN)}`,
  ),
  "host-has-no-checkpoint": error(
    "REWIND_REFUSED",
    ({
      host,
      checkpoint,
      is,
    }: {
      readonly host: string;
      readonly checkpoint: number;
      readonly is: "step" | "not-its-prompt";
    }) =>
      `The ${host} has no files for checkpoint ${checkpoint}, because ${is === "step" ? "it is a step checkpoint" : "the checkpoint is not at one of its prompts"}.`,
    (_, { command }) =>
      `Nothing was changed. Choose a checkpoint that was created before a prompt: ${command({ do: "checkpoints" })}`,
  ),

  "host-may-not-have-files": error(
    "REWIND_REFUSED",
    ({ problem }: { readonly problem: Problem }, { message, command }) =>
      `${message(problem)} Worldline's own snapshots may have the files: ${command(USE_OWN)}`,
  ),
  "files-stay": error(
    "REWIND_REFUSED",
    /** `advice`: whether the problem has its own hint. */
    ({ problem }: { readonly problem: Problem; readonly advice: "its-own" | "none" }, { message }) =>
      message(problem),
    ({ problem, advice }, { hint }) =>
      advice === "its-own"
        ? hint(problem)
        : "Nothing was changed. You can still rewind the conversation alone.",
  ),

  "forget-session-held": error(
    "SESSION_HELD",
    ({ problem }: { readonly problem: Problem }, { message }) => `${message(problem)} Nothing was forgotten.`,
    () =>
      "Close the session there, then run the command again. If its owner cannot be reached and nothing is using the session, use --take-over.",
  ),
  "forget-cut-off": error(
    /** `code`: the problem's code. */
    ({
      code,
    }: {
      readonly code: ErrorCode;
      readonly problem: Problem;
      readonly done: number;
      readonly of: number;
    }) => code,
    ({ problem, done, of }, { message }) =>
      `${message(problem)} By then, ${done} of ${of} sessions had been processed.`,
    ({ problem }, { hint }) =>
      `What was forgotten stays forgotten. To forget the rest, fix the problem and run the command again. ${hint(problem)}`.trim(),
  ),
  "forget-text-nowhere": error(
    "NOTHING_TO_FORGET",
    (_: NowhereParams) => "The text does not occur in any session or snapshot.",
    (params) => searched(params),
  ),
  "forget-path-nowhere": error(
    "NOTHING_TO_FORGET",
    ({ path }: NowhereParams & { readonly path: string }) =>
      `${path} does not occur in any tool call or snapshot.`,
    (params) => searched(params),
  ),
  "forget-path-empty": error(
    "INPUT_INVALID",
    () => "The path is empty.",
    (_, { command }) => `Name a file: ${command({ do: "forget", what: { any: "path" } })}`,
  ),
  "forget-text-short": error(
    "INPUT_INVALID",
    ({ shortest }: { readonly shortest: number }) =>
      `The text is shorter than ${shortest} characters and would match too much.`,
    () => "Include more of the surrounding text.",
  ),
  "forget-text-tombstone": error(
    "INPUT_INVALID",
    ({ tombstone }: { readonly tombstone: string }) =>
      `The text is part of "${tombstone}", the marker for forgotten text.`,
    () => "Use a longer text.",
  ),
  "forget-execution-name": error(
    "INPUT_INVALID",
    ({ session }: { readonly session: string }) =>
      `In session ${session}, the text is also part of an execution's name, which cannot be changed.`,
    ({ session }, { command }) =>
      `Nothing was changed. Run the command again after you permanently delete that execution: ${command({ do: "executions delete", execution: session })}, then ${command({ do: "sessions delete --empty-trash" })}`,
  ),
  "forget-structure": error(
    "INPUT_INVALID",
    ({ session, line }: { readonly session: string; readonly line: number }) =>
      `The text is also part of the session's structure, such as an id, a time, a field name, or the workspace (line ${line} of session ${session}).`,
    () => "Nothing was changed. Include more of the surrounding text.",
  ),
};

/** The command that makes Worldline's own snapshots restore files, for when the other agent's checkpoints cannot. */
const USE_OWN: Command = { do: "config set", key: "snapshots.engine", value: "worldline" };

/** `unseen`: sessions with unreadable parts. `notScrubbed`: why the store's free space was not scrubbed. */
export interface NowhereParams {
  readonly unseen: readonly string[];
  readonly notScrubbed?: string;
}

function conversationAlone(place: "shell" | "screen"): string {
  return place === "screen"
    ? "Choose the conversation only."
    : "Choose the conversation only: --scope conversation";
}

function ownSnapshots(own: "off" | "has" | "has-not", checkpoint: number, useOwn: string): string {
  switch (own) {
    case "off":
      return "Worldline's own snapshots are off, so they cannot restore the files either.";
    case "has":
      return `Worldline has its own snapshot for checkpoint ${checkpoint}. To use it, run: ${useOwn}`;
    case "has-not":
      return `Worldline has no snapshot for checkpoint ${checkpoint} either.`;
    default:
      return own satisfies never;
  }
}

function searched({ unseen, notScrubbed }: NowhereParams): string {
  const where =
    unseen.length === 0
      ? "The match is exact and case-sensitive."
      : `Some sessions have parts that cannot be read (${unseen.join(", ")}).`;
  return notScrubbed === undefined
    ? where
    : `${where} Data that was forgotten earlier may still be in the store's free space: ${notScrubbed} Run the command again.`;
}

function nameFault(fault: NameFault): string {
  switch (fault.why) {
    case "empty":
      return "it is empty";
    case "control":
      return "it contains a line break or another control character";
    case "outer-space":
      return "it begins or ends with a space";
    case "mark-first":
      return "it begins with a combining character";
    case "like-number":
      return "it looks like a checkpoint number";
    case "like-place":
      return "it looks like session:number";
    case "unseen":
      return `it contains ${fault.sign}, which is invisible or looks like an ordinary space`;
    case "too-long":
      return `it is longer than ${fault.most} characters`;
    default:
      return fault satisfies never;
  }
}

function entryFault(fault: EntryFault): string {
  switch (fault.why) {
    case "kind-unknown":
      return "the kind is unknown";
    case "begins-a-log":
      return "entries of this kind begin a log or a file, and only the session itself writes them";
    case "placed":
      return "it already has a place in the log";
    case "not-json":
      return "it cannot be written as JSON";
    case "elsewhere":
      return "only a journey can follow an entry other than the last one";
    case "number":
      return `the number ${fault.number} is already taken`;
    case "field":
      return `the field "${fault.field}" is missing or wrong`;
    case "entry-unknown":
      return `there is no entry ${fault.id} in this session`;
    default:
      return fault satisfies never;
  }
}
