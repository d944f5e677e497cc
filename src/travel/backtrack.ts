import type { DraftOf, Entry, EntryOf } from "../record/entry.ts";
import { toCheckpointNumber } from "../record/ids.ts";
import { type Part, textOf } from "../record/parts.ts";
import { findCheckpoint } from "../timeline/checkpoints.ts";
import type { Outline } from "../timeline/outline.ts";
import { type Journey, leftOf, type Present } from "./journey.ts";
import { checkpointUnknown, requireHead } from "./rewind.ts";

/** What the agent asks for. */
export interface BacktrackRequest {
  readonly to: number;
  readonly note: string;
  readonly rationale?: string;
  readonly files: "keep" | "restore";
}

/** What the world looks like when the request is carried out. */
export interface BacktrackFacts {
  /** The entries behind the checkpoint, up to the head, with all their texts. */
  readonly since: readonly Entry[];
  /** All backtracks of the session. */
  readonly backtracks: readonly EntryOf<"backtrack">[];
  /** The words of the prompt that it returns to, where there are any. */
  readonly prompt?: string;
  /** Paths that differ from how they were at the checkpoint. */
  readonly changed: readonly string[];
  /** Commands that still run. */
  readonly running: readonly string[];
}

/** The person has read it; the model needs to know that they did, not every word, and not each "let me look". */
const TOLD_LENGTH = 300;
const MOST_TOLD = 3;

/** Decides a backtrack that was not refused; see refusal.ts. Pure: same arguments, same journey. */
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
    told: toldIn(facts.since),
    changed: facts.changed,
    running: facts.running,
    times: facts.backtracks.filter((backtrack) => backtrack.to === request.to).length + 1,
  };
  return { reason: "backtrack", moves: [{ do: "append", parent: target.id, body }] };
}

/** Word for word: what the person asked for must survive what the agent forgets. */
function promptsIn(since: readonly Entry[]): (readonly Part[])[] {
  return since.flatMap((entry) => {
    if (entry.kind === "prompt") return [entry.parts];
    // A backtrack within the part that is left carries prompts of its own.
    return entry.kind === "backtrack" ? entry.prompts : [];
  });
}

function toldIn(since: readonly Entry[]): string[] {
  const told = since.flatMap((entry) => {
    if (entry.kind === "backtrack") return entry.told;
    const text = entry.kind === "reply" ? textOf(entry.parts).trim() : "";
    if (text === "") return [];
    return [text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)} …` : text];
  });
  return told.slice(-MOST_TOLD);
}
