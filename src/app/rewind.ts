import { type CheckpointView, describeCheckpoints } from "../machine/checkpoint-list.ts";
import type { FileChoices } from "../machine/files/requests.ts";
import type { RewindResult } from "../machine/journeys/person-journeys.ts";
import type { SessionContext } from "../machine/open.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { FileRewinder } from "../ports/file-rewinder.ts";
import type { Scope, SessionBody } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { Part } from "../record/parts.ts";
import { promptOf } from "../timeline/checkpoints.ts";
import { type Outline, wayLeft } from "../timeline/outline.ts";
import { isEntryToCount, type Row } from "../timeline/row.ts";
import { contextTokens } from "../timeline/token-count.ts";
import { isAlreadyThere, planRewind } from "../travel/rewind.ts";
import { type ProgramStep, stepAt } from "./checkpoints/checkpoint-rows.ts";
import type { FoundCheckpoint } from "./checkpoints/find-checkpoint.ts";
import type { AppContext } from "./context.ts";
import { touchedIn, withFiles } from "./files/files.ts";
import {
  type DescribedFiles,
  describeFiles,
  type FilesLook,
  type FilesOptions,
  type FilesWork,
  filesWork,
  lookAtFiles,
  previewerOf,
} from "./journeys/files-preview.ts";
import type { ScopeOffer } from "./journeys/journey-types.ts";
import { endLostProcesses, reportRunning } from "./journeys/left-running.ts";
import {
  type RewindTarget,
  rewindTarget,
  type ScopeRequest,
  type SettledScope,
  scopeOffer,
  settleScope,
} from "./journeys/scope.ts";
import { contextOfSession } from "./sessions/find-session.ts";
import { type SessionHold, withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps } from "./sessions/store.ts";

// A front end that works on any session finds the checkpoint (`findCheckpoint`) and calls `makeRewind`, or
// `previewCheckpointRewind` if it only shows the effect. A front end with a current session settles what is restored
// (`settleRewind`) and calls `rewindSession` or `previewRewind`. In both, the front end decides before anything changes.

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
      previewRewind(context, rewind, { work: withChoices(work, choices), held }),
    );
    const by = through === undefined || scope === "conversation" ? {} : { through };
    const result = await work.withProgress(async (progress) =>
      held.rewind({ ...progress, ...decided.chosen, ...by, to: row.number, scope }),
    );
    return { ...decided, result };
  });
}

/** A rewind to a checkpoint of any session, as the user requests it. */
export interface CheckpointRewind extends FilesOptions {
  readonly checkpoint: FoundCheckpoint;
  /** If undefined, the answer of `askScope` or the checkpoint's default applies. */
  readonly scope: Scope | undefined;
  readonly askScope?: ((offer: ScopeOffer) => Promise<Scope | "stay">) | undefined;
}

/** The effect of a rewind, with everything that users need to judge it. */
export interface DescribedRewind extends Omit<RewindPreview, "files"> {
  /** Absent if the files stay. */
  readonly files?: DescribedFiles | undefined;
}

/** How a front end performs a journey in the session's own workspace. */
export interface JourneyDecider<Described, Decided extends Decision> {
  /** The name that other programs see while the session is held, such as "worldline rewind". */
  readonly name: string;
  /** Previews the journey and asks the user whatever is necessary. If this throws, nothing is changed. */
  readonly decide: (preview: PreviewJourney<Described>) => Promise<Decided>;
}

/** Performs the rewind in the session's own workspace, as the front end decides. "stay": the user chose no scope. */
export async function makeRewind<Decided extends Decision>(
  context: AppContext,
  { name, decide, ...request }: CheckpointRewind & JourneyDecider<DescribedRewind, Decided>,
): Promise<(Decided & { readonly result: RewindResult }) | "stay"> {
  return withSettled(context, request, async (rewind, { there, deps, work }) =>
    rewindSession(there, rewind, {
      session: { deps, name },
      work,
      decide: async (preview) =>
        decide(async (choices) => describeRewind(there, withChoices(work, choices), await preview(choices))),
    }),
  );
}

/** Shows the effect of `makeRewind` without holding the session, in which another program may therefore be working. */
export async function previewCheckpointRewind(
  context: AppContext,
  request: CheckpointRewind,
): Promise<DescribedRewind | "stay"> {
  return withSettled(context, request, async (rewind, { there, deps, work }) => {
    if (rewind.scope !== "conversation") await reportRunning(there, deps.store, rewind.view);
    return describeRewind(there, work, await previewRewind(there, rewind, { work }));
  });
}

interface RewindPlace {
  /** The context of the session's workspace. */
  readonly there: AppContext;
  readonly deps: SessionContext;
  readonly work: FilesWork;
}

async function withSettled<Result>(
  context: AppContext,
  request: CheckpointRewind,
  make: (rewind: Rewind, place: RewindPlace) => Promise<Result>,
): Promise<Result | "stay"> {
  const { checkpoint, askScope } = request;
  const { header } = checkpoint.view;
  const there = await contextOfSession(context, header);
  const deps = await openSessionDeps(there);
  return withFiles(there, header.workspace, async (here) => {
    const target = await rewindTarget(there, checkpoint, here);
    const only = (request.only ?? []).length === 0 ? "none" : "some";
    const asks = only === "none" && request.scope === undefined ? askScope : undefined;
    const scope = asks === undefined ? request.scope : await askedScope(target, asks);
    if (scope === "stay") return "stay";
    const rewind = await settleRewind(target, { scope, only, suggest: "command" });
    if (target.through !== undefined && rewind.scope !== "conversation")
      refuseChoice(target.through, request);
    const work = filesWork(there, { files: here.files, mode: header.mode }, request);
    return make(rewind, { there, deps: { ...deps, ...touchedIn(here) }, work });
  });
}

/**
 * Undefined if nothing can be rewound, which `settleRewind` then refuses; if files are turned off, so that they stay
 * anyway; and for a program, whose state and files are rewound together.
 */
async function askedScope(
  target: RewindTarget,
  ask: NonNullable<CheckpointRewind["askScope"]>,
): Promise<Scope | "stay" | undefined> {
  const { here, through, view } = target;
  if ((here.state === "off" && through === undefined) || view.header.mode === "execution") return undefined;
  const offer = await scopeOffer(target);
  return offer.scopes.length === 0 ? undefined : ask(offer);
}

/**
 * Throws if options for single files are given, but another agent restores the files. That agent restores either all
 * the files that it knows or none, so the options would have no effect.
 */
function refuseChoice({ name }: Pick<FileRewinder, "name">, { only = [], choice }: FilesOptions): void {
  const option = only.length > 0 ? "only" : choice;
  if (option !== undefined)
    throw new WorldlineError("choice-beyond-host", { flag: `--${option}`, rewinder: name });
}

async function describeRewind(
  context: AppContext,
  work: FilesWork,
  { files, ...preview }: RewindPreview,
): Promise<DescribedRewind> {
  return files === undefined ? preview : { ...preview, files: await describeFiles(context, work, files) };
}

/** The same work after the user has made choices for single files. */
export function withChoices(work: FilesWork, choices: FilesWork["choices"]): FilesWork {
  return choices === undefined ? work : { ...work, choices };
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
