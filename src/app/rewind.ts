import { type CheckpointView, describeCheckpoints } from "../machine/checkpoint-list.ts";
import type { FileChoices } from "../machine/files/requests.ts";
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
import { endLostProcesses } from "./journeys/left-running.ts";
import { type RewindTarget, type ScopeRequest, type SettledScope, settleScope } from "./journeys/scope.ts";
import { type SessionHold, withHeld } from "./sessions/hold-session.ts";

// A rewind takes three steps, in this order, in every front end:
//   1. Find the checkpoint: `findCheckpoint` from what the user typed, or `rowTarget` from a row of a list.
//   2. Settle what goes back: `settleRewind`.
//   3. Perform the rewind: `rewindSession`, which lets the front end decide before anything changes. A front end that
//      only shows the effect calls `previewRewind`.

/** A rewind whose checkpoint and scope are settled. */
export interface Rewind extends Omit<RewindTarget, "filesAt">, SettledScope {}

/**
 * Settles the scope, and throws if the rewind is impossible. This happens before the session is held, so that a refusal
 * leaves no trace.
 */
export async function settleRewind(target: RewindTarget, request: ScopeRequest): Promise<Rewind> {
  const rewind: Rewind = { ...target, ...(await settleScope(target, request)) };
  requirePossible(rewind);
  return rewind;
}

/** Throws the errors that the rewind itself would throw, worded for programs if the session belongs to one. */
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

/** The session in which a journey is performed, and the user's choices for the files. */
export interface JourneyRequest {
  readonly session: SessionHold;
  readonly work: FilesWork;
}

/** Previews a journey. `choices`: the user's choices for single files after an earlier preview. */
export type PreviewJourney<Preview> = (choices?: FilesWork["choices"]) => Promise<Preview>;

/** A front end's decision. The front end may add fields, which are returned together with the result. */
export interface Decision {
  /** The choices for single files, as the preview shows them; if undefined, the journey's defaults. */
  readonly chosen: FileChoices | undefined;
}

interface RewindSessionRequest<Decided extends Decision> extends JourneyRequest {
  /** Previews the rewind and asks the user whatever is necessary. If this throws, nothing is changed. */
  readonly decide: (preview: PreviewJourney<RewindPreview>) => Promise<Decided>;
}

/**
 * Performs the rewind. The session is held from the preview on, so that the rewind does exactly what the user has seen.
 */
export async function rewindSession<Decided extends Decision>(
  context: AppContext,
  rewind: Rewind,
  { session, work, decide }: RewindSessionRequest<Decided>,
): Promise<Decided & { readonly result: RewindResult }> {
  const { row, scope, through } = rewind;
  return inJourneySession(context, { ...rewind, session }, async (held, endLost) => {
    await endLost(scope);
    const decided = await decide(async (choices) =>
      previewRewind(context, rewind, { work: choices === undefined ? work : { ...work, choices }, held }),
    );
    const by = through === undefined || scope === "conversation" ? {} : { through };
    const result = await work.withProgress(async (progress) =>
      held.rewind({ ...progress, ...decided.chosen, ...by, to: row.number, scope }),
    );
    return { ...decided, result };
  });
}

interface JourneyPlace extends Pick<Rewind, "view" | "here"> {
  readonly session: SessionHold;
}

/**
 * Performs a journey while the session is held. `endLost` ends the processes that a killed run left running; it must be
 * called before files are restored. If an agent holds the session already, `endLost` does nothing: the agent has
 * already ended such processes, and its own processes must keep running.
 */
export async function inJourneySession<Result>(
  context: AppContext,
  { session, view, here }: JourneyPlace,
  make: (held: Session, endLost: (scope: Scope) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if ("held" in session) return make(session.held, async () => undefined);
  return withHeld({ ...session, context, session: view.id, files: here.files }, async (held) =>
    make(held, async (scope) => {
      if (scope !== "conversation") await endLostProcesses(context, held);
    }),
  );
}

/**
 * The difference between two places: how many entries are only on the path to the first place, and how many are only on
 * the path to the second.
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

/** The effect on the conversation of moving from the head to `place`; a journey that only moves files has none. */
export function effectOf(outline: Outline, place: Row, scope: Scope): Effect {
  const tokensBefore = contextTokens(outline, outline.head);
  if (scope === "files") return { left: 0, back: 0, tokensBefore, tokensAfter: tokensBefore };
  return {
    ...distance(outline, outline.head, place),
    tokensBefore,
    tokensAfter: contextTokens(outline, place),
  };
}
