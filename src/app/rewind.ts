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

// Every front end performs a rewind in four steps, in this order:
//
// 1. Find the checkpoint: `findCheckpoint` by what the user typed, or `rowTarget` by a row of a list.
// 2. Settle what is rewound: `settleRewind`.
// 3. Preview it: `previewRewind`. The front end then asks the user, and may preview it again.
// 4. Perform it: `performRewind`.

/** A rewind whose target and scope are settled. */
export interface Rewind extends RewindTarget, SettledScope {}

/**
 * Settles the scope, and throws the errors of an impossible rewind before the session is held, so that a refusal leaves
 * no trace.
 */
export async function settleRewind(target: RewindTarget, request: ScopeRequest): Promise<Rewind> {
  const rewind: Rewind = { ...target, ...(await settleScope(target, request)) };
  requirePossible(rewind);
  return rewind;
}

/** Throws the errors that the rewind itself would throw, with texts for programs if the session belongs to one. */
function requirePossible({ view, row, scope }: Rewind): void {
  const { id, header, outline } = view;
  if (header.mode === "execution" && scope === "conversation" && isAlreadyThere(outline, row)) {
    throw new WorldlineError("execution-there-already", { session: id });
  }
  planRewind(outline, { to: row.number, scope }, {});
}

/** The effect of a rewind, computed before it is performed. */
export interface RewindPreview extends SettledScope {
  readonly mode: SessionBody["mode"];
  readonly checkpoint: CheckpointView;
  /** The step of a program after which the checkpoint was made. */
  readonly step?: ProgramStep | undefined;
  readonly effect: Effect;
  /** The prompt after the checkpoint, if the conversation is rewound. */
  readonly prompt?: readonly Part[] | undefined;
  /** The effect on the files; absent if they stay. */
  readonly files?: FilesLook | undefined;
}

/** `held`: the checkpoint's session, if this process holds it. */
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

/** Performs the rewind in its session, which this process holds. `options`: the user's choices for single files. */
export async function performRewind(
  { row, scope, through }: Rewind,
  session: Session,
  options: JourneyOptions,
): Promise<RewindResult> {
  const by = through === undefined || scope === "conversation" ? {} : { through };
  return session.rewind({ ...options, ...by, to: row.number, scope });
}

/**
 * The difference between two places: how many entries are only on the way to the first, and how many only on the way to
 * the second.
 */
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

/** A journey's effect on the conversation. */
export interface Effect extends Distance {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** The effect on the conversation of moving from the head to `place`; a journey of files alone has none. */
export function effectOf(outline: Outline, place: Row, scope: Scope): Effect {
  const tokensBefore = contextTokens(outline, outline.head);
  if (scope === "files") return { left: 0, back: 0, tokensBefore, tokensAfter: tokensBefore };
  return {
    ...distance(outline, outline.head, place),
    tokensBefore,
    tokensAfter: contextTokens(outline, place),
  };
}
