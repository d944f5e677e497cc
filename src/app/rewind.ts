import { type CheckpointView, describeCheckpoints } from "../machine/checkpoint-list.ts";
import type { JourneyOptions } from "../machine/files/requests.ts";
import type { RewindResult } from "../machine/journeys/person-journeys.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { Scope, SessionBody } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { Part } from "../record/parts.ts";
import { promptOf } from "../timeline/checkpoints.ts";
import { type Outline, wayLeft } from "../timeline/outline.ts";
import { isEntryToCount, type Row } from "../timeline/row.ts";
import { contextTokens } from "../timeline/token-count.ts";
import { isAlreadyThere, planRewind } from "../travel/rewind.ts";
import { type ProgramStep, stepAt } from "./checkpoints/checkpoint-rows.ts";
import type { AppContext } from "./context.ts";
import { type FilesLook, type FilesWork, lookAtFiles, previewerOf } from "./journeys/files-preview.ts";
import { type RewindTarget, type ScopeRequest, type SettledScope, settleScope } from "./journeys/scope.ts";

// A rewind takes four steps, in this order, in every front end:
//   1. find the checkpoint: `findCheckpoint` by what the user typed, or `rowTarget` by a row of a list
//   2. settle what goes back: `settleRewind`
//   3. preview it: `previewRewind`. Then the front end asks the user what it has to ask, and may preview again.
//   4. perform it: `performRewind`

/** A rewind of which it is settled where it leads and what goes back. */
export interface Rewind extends RewindTarget, SettledScope {}

/** Settles what goes back, and refuses what cannot, before the session is held: a refusal leaves no trace. */
export async function settleRewind(target: RewindTarget, request: ScopeRequest): Promise<Rewind> {
  const rewind: Rewind = { ...target, ...(await settleScope(target, request)) };
  requirePossible(rewind);
  return rewind;
}

/** Throws as the rewind itself would; for a program's session, in words that fit a program. */
function requirePossible({ view, row, scope }: Rewind): void {
  const { id, header, outline } = view;
  if (header.mode === "execution" && scope === "conversation" && isAlreadyThere(outline, row)) {
    throw new WorldlineError("execution-there-already", { session: id });
  }
  planRewind(outline, { to: row.number, scope }, {});
}

/** What a rewind would do. */
export interface RewindPreview extends SettledScope {
  readonly mode: SessionBody["mode"];
  readonly checkpoint: CheckpointView;
  /** The step of a program after which the checkpoint was made. */
  readonly step?: ProgramStep | undefined;
  readonly effect: Effect;
  /** The prompt after the checkpoint, where the conversation goes back. */
  readonly prompt?: readonly Part[] | undefined;
  /** What would become of the files; absent where they stay. */
  readonly files?: FilesLook | undefined;
}

/** `held`: the session of the checkpoint, where this process holds it. */
export async function previewRewind(
  context: AppContext,
  rewind: Rewind,
  { work, held }: { readonly work: FilesWork; readonly held?: Session | undefined },
): Promise<RewindPreview> {
  const { row, scope, filesStay, through } = rewind;
  const view = held ?? rewind.view;
  const preview = previewerOf(rewind, held);
  return {
    scope,
    ...(filesStay === undefined ? {} : { filesStay }),
    mode: view.header.mode,
    checkpoint: await describeCheckpoint(rewind),
    step: await stepAt(view, row),
    effect: effectOf(view.outline, row, scope),
    prompt: scope === "files" ? undefined : await promptAfter(view, row),
    files:
      scope === "conversation"
        ? undefined
        : await lookAtFiles(context, work, (options) =>
            preview({ ...options, ...(through === undefined ? {} : { through }), to: row.number }),
          ),
  };
}

async function describeCheckpoint({ view, row }: Rewind): Promise<CheckpointView> {
  const [checkpoint] = await describeCheckpoints([{ row, number: row.number, branch: "here" }], view);
  return checkpoint as CheckpointView;
}

async function promptAfter(view: SessionView, row: Row): Promise<readonly Part[] | undefined> {
  const promptRow = row.kind === "checkpoint" ? promptOf(view.outline, row) : undefined;
  const [entry] = promptRow === undefined ? [] : await view.entries([promptRow.seq]);
  return entry?.kind === "prompt" ? entry.parts : undefined;
}

/** Makes the rewind in its session, which this process holds. `options`: what the user chose for single files. */
export async function performRewind(
  { row, scope, through }: Rewind,
  session: Session,
  options: JourneyOptions,
): Promise<RewindResult> {
  const by = through === undefined || scope === "conversation" ? {} : { through };
  return session.rewind({ ...options, ...by, to: row.number, scope });
}

/** What lies between two places: the entries that only the way to the one has, and those that only the other has. */
interface Distance {
  readonly left: number;
  readonly back: number;
}

export function distance(outline: Outline, from: Row | undefined, to: Row | undefined): Distance {
  return {
    left: wayLeft(outline, from, to).filter(isEntryToCount).length,
    back: wayLeft(outline, to, from).filter(isEntryToCount).length,
  };
}

/** What a journey does to the conversation. */
export interface Effect extends Distance {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** What going from the head to `place` does to the conversation; a journey of files alone does nothing to it. */
export function effectOf(outline: Outline, place: Row, scope: Scope): Effect {
  const tokensBefore = contextTokens(outline, outline.head);
  if (scope === "files") return { left: 0, back: 0, tokensBefore, tokensAfter: tokensBefore };
  return {
    ...distance(outline, outline.head, place),
    tokensBefore,
    tokensAfter: contextTokens(outline, place),
  };
}
