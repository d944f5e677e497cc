import type { DraftOf, Entry, EntryOf } from "../record/entry.ts";
import { toCheckpointNumber } from "../record/ids.ts";
import { type Part, textOf } from "../record/parts.ts";
import { findCheckpoint, usableSteps } from "../timeline/checkpoints.ts";
import { branchSince, isOnBranch, type Outline } from "../timeline/outline.ts";
import { checkpointUnknown, type Journey, leftOf, type Present, rangesOf, requireHead } from "./rewind.ts";

/** A backtrack requested by the agent. */
export interface BacktrackRequest {
  readonly to: number;
  readonly note: string;
  readonly rationale?: string;
  readonly files: "keep" | "restore";
}

/** Facts about the session and the files. They are needed when the request is carried out. */
export interface BacktrackFacts {
  /** The entries after the checkpoint, up to the head, with their long strings included in full. */
  readonly since: readonly Entry[];
  /** All backtracks of the session. */
  readonly backtracks: readonly EntryOf<"backtrack">[];
  /** The text of the prompt that the agent returns to; absent if the prompt has no text. */
  readonly prompt?: string;
  /** Paths that differ from their state at the checkpoint. */
  readonly changed: readonly string[];
  /** The number of differing paths that are not listed in `changed`. */
  readonly moreChanged?: number;
  /** Commands that are still running. */
  readonly running: readonly string[];
}

/**
 * The maximum number of characters to quote from a string that was shown to the user. The model needs to know that the
 * user has read the text, but does not need every word.
 */
const TOLD_LENGTH = 300;
const MAX_TOLD = 5;

/**
 * Plans a backtrack that `refuseBacktrack` has allowed. This is a pure function, so the same arguments result in the
 * same journey.
 */
export function planBacktrack(
  outline: Outline,
  request: BacktrackRequest,
  world: { readonly facts: BacktrackFacts; readonly present: Present },
): Journey {
  const { facts, present } = world;
  const target = findCheckpoint(outline, request.to);
  if (target === undefined) throw checkpointUnknown(String(request.to), outline);
  const head = requireHead(outline);
  const body: DraftOf<"backtrack"> = {
    kind: "backtrack",
    to: toCheckpointNumber(request.to),
    from: head.id,
    ...leftOf(present),
    files: request.files,
    note: request.note,
    ...(request.rationale === undefined ? {} : { rationale: request.rationale }),
    ...(facts.prompt === undefined ? {} : { prompt: facts.prompt }),
    prompts: promptsIn(facts.since),
    ...toldIn(facts.since),
    changed: facts.changed,
    ...(facts.moreChanged === undefined ? {} : { moreChanged: facts.moreChanged }),
    running: facts.running,
    times: facts.backtracks.filter((backtrack) => backtrack.to === request.to).length + 1,
  };
  return { reason: "backtrack", moves: [{ do: "append", parent: target.id, body }] };
}

/** The prompts on the abandoned path, repeated word for word so that the agent does not lose the user's requests. */
function promptsIn(since: readonly Entry[]): (readonly Part[])[] {
  return since.flatMap((entry) => {
    if (entry.kind === "prompt") return [entry.parts];
    // A backtrack on the path being left repeats earlier prompts.
    return entry.kind === "backtrack" ? entry.prompts : [];
  });
}

/** Text from the agent that was shown to the user. */
interface ToldText {
  readonly text: string;
  /**
   * The number of prompts between the checkpoint and the text. If 0, the text answers the prompt that stays in the
   * context.
   */
  readonly prompts: number;
}

/**
 * Selects the strings for the note. Answers to prompts that the model still sees take precedence. Without these
 * answers, the model would answer the prompts again. The answer to the prompt before the checkpoint is always included.
 * The answers to the prompts that the note repeats come next, followed by other text.
 */
function toldIn(since: readonly Entry[]): Pick<DraftOf<"backtrack">, "told" | "moreTold"> {
  const { texts, cut } = textsIn(since);
  // An answer is the last text before another prompt.
  const answers = texts.filter(({ prompts }, index) => prompts < (texts[index + 1]?.prompts ?? 0));
  const first = answers.find(({ prompts }) => prompts === 0);
  const others = texts.filter((each) => each !== first);
  const byWorth = [
    ...others.filter((each) => !answers.includes(each)),
    ...others.filter((each) => answers.includes(each)),
  ];
  const kept = new Set(byWorth.slice(first === undefined ? -MAX_TOLD : 1 - MAX_TOLD));
  const told = [...(first === undefined ? [] : [first]), ...others.filter((each) => kept.has(each))];
  const moreTold = cut + texts.length - told.length;
  return { told: told.map(({ text }) => text), ...(moreTold === 0 ? {} : { moreTold }) };
}

function textsIn(since: readonly Entry[]): { readonly texts: readonly ToldText[]; readonly cut: number } {
  const texts: ToldText[] = [];
  let prompts = 0;
  let cut = 0;
  for (const entry of since) {
    if (entry.kind === "prompt") prompts += 1;
    if (entry.kind === "reply") {
      const text = textOf(entry.parts).trim();
      const short = text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)} …` : text;
      if (text !== "") texts.push({ text: short, prompts });
    }
    if (entry.kind === "backtrack") {
      // In an earlier backtrack, the first string is the answer to the prompt before its checkpoint. For the other
      // strings, it is unknown which prompts they answer.
      const carried = prompts + entry.prompts.length;
      texts.push(...entry.told.map((text, index) => ({ text, prompts: index === 0 ? prompts : carried })));
      prompts = carried;
      cut += entry.moreTold ?? 0;
    }
  }
  return { texts, cut };
}

/** Why a backtrack is refused, with a hint that the model can act on. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** Facts that determine whether a backtrack is refused. */
export interface BacktrackTally {
  readonly enabled: "yes" | "no";
  readonly pending: "yes" | "no";
  /** Whether files can be restored. "gone": the files of this checkpoint are not available. */
  readonly snapshots: "yes" | "no" | "gone";
  /** All backtracks of the session. */
  readonly backtracks: readonly EntryOf<"backtrack">[];
  /** The number of backtracks since the last prompt. */
  readonly inThisTurn: number;
  readonly maxPerTurn: number;
  /**
   * Whether there was a tool call, a user prompt, or an answer since the last backtrack. Ignored before the first
   * backtrack.
   */
  readonly progress: "some" | "none";
}

/** Why the request is refused; undefined if it is allowed. */
export function refuseBacktrack(
  outline: Outline,
  request: BacktrackRequest,
  tally: BacktrackTally,
): Refusal | undefined {
  const message =
    refuseByTally(tally) ??
    refuseByTarget(outline, request.to) ??
    refuseByFiles(request, tally) ??
    refuseByNote(request, tally.backtracks);
  if (message === undefined) return undefined;
  const numbers = usableSteps(outline).map((row) => row.number);
  const hint =
    numbers.length === 0
      ? "There is no checkpoint to go back to yet."
      : `Usable checkpoints: ${rangesOf(numbers)}`;
  return { message, hint };
}

function refuseByTally(tally: BacktrackTally): string | undefined {
  if (tally.enabled === "no") return "Backtrack is not available in this context.";
  if (tally.pending === "yes")
    return "Another backtrack is already pending. Only one is possible in each step.";
  if (tally.inThisTurn >= tally.maxPerTurn) {
    return `You have gone back ${tally.inThisTurn} times in this turn, which is the limit.`;
  }
  if (tally.backtracks.length > 0 && tally.progress === "none") {
    return "You have done nothing since the last backtrack. Make a tool call first, or answer.";
  }
  return undefined;
}

/**
 * Refuses a request to restore files if they cannot be restored. If only the conversation went back, the model would
 * believe that the files had gone back as well.
 */
function refuseByFiles(request: BacktrackRequest, tally: BacktrackTally): string | undefined {
  if (request.files === "keep" || tally.snapshots === "yes") return undefined;
  if (tally.snapshots === "gone") {
    return `Checkpoint ${request.to} has no files to restore. Go back with files: "keep", and undo the changes yourself.`;
  }
  return 'Files cannot be restored here. Go back with files: "keep", and undo the changes yourself.';
}

function refuseByTarget(outline: Outline, to: number): string | undefined {
  if (!Number.isSafeInteger(to) || to < 1) return `${to} is not a checkpoint. Numbers start at 1.`;
  const target = findCheckpoint(outline, to);
  if (target === undefined || target.kind !== "step") return `There is no checkpoint ${to} to go back to.`;
  if (!isOnBranch(outline, target)) return `Checkpoint ${to} is on an abandoned branch.`;
  if (branchSince(outline, target.seq).some((row) => row.kind === "compaction")) {
    return `Checkpoint ${to} is before the last compaction. Only the user can rewind to it.`;
  }
  return undefined;
}

function refuseByNote(
  request: BacktrackRequest,
  backtracks: BacktrackTally["backtracks"],
): string | undefined {
  const note = request.note.trim();
  if (note === "") return "The note is empty. Without it, you would not know why you came back.";
  const same = backtracks.some((earlier) => earlier.to === request.to && earlier.note.trim() === note);
  return same ? `You have already gone back to checkpoint ${request.to} with exactly this note.` : undefined;
}
