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

// A *journey* is a rewind or another jump on the timeline. There are two ways to perform a rewind:
//
// - A front end with an open session settles the scope (`settleRewind`), and then calls `previewRewind` or
//   `rewindSession`.
// - A front end that works on any session finds the checkpoint (`findCheckpoint`), and then calls
//   `previewCheckpointRewind` or `makeRewind`, which settle the scope themselves.
//
// A rewind calls the front end's `decide` with a function that computes the preview. The files and the conversation
// change only if `decide` returns.

/**
 * A rewind whose checkpoint and scope are settled. `view` is the checkpoint's session, `row` the checkpoint's line in
 * the log, and `workspaceFiles` the files of the session's workspace. `rewinder` is set if another agent's checkpoints
 * restore the files, and `filesStay` if the files are left as they are although the user did not ask for that.
 */
export interface Rewind extends Omit<RewindTarget, "filesAt">, SettledScope {}

/**
 * Settles the scope, and throws if the rewind is impossible. If the session is not held yet, call this function before
 * it is held, so that a refusal leaves no trace.
 */
export async function settleRewind(target: RewindTarget, request: ScopeRequest): Promise<Rewind> {
  const rewind: Rewind = { ...target, ...(await settleScope(target, request)) };
  requirePossible(rewind);
  return rewind;
}

/**
 * Throws the errors that the rewind itself would throw. A program's execution has its own error if only the
 * conversation would be rewound and is already at the checkpoint.
 */
function requirePossible({ view, row, scope }: Rewind): void {
  const { id, header, outline } = view;
  if (header.mode === "execution" && scope === "conversation" && isAlreadyThere(outline, row)) {
    throw new WorldlineError("execution-there-already", { session: id });
  }
  // The plan is not used. The call throws if the rewind is not possible.
  planRewind(outline, { to: row.number, scope }, {});
}

/** The effect of a rewind, computed before it is performed. */
export interface RewindPreview extends SettledScope {
  readonly mode: SessionBody["mode"];
  readonly checkpoint: CheckpointView;
  /** The program's step that came right before the checkpoint. */
  readonly step?: ProgramStep | undefined;
  readonly effect: Effect;
  /** The prompt after the checkpoint, if the conversation is rewound. */
  readonly prompt?: readonly Part[] | undefined;
  /** The effect on the files; absent if only the conversation is rewound. */
  readonly files?: FilesLook | undefined;
}

/** Previews a rewind. `held`: the checkpoint's session, if this process holds it. */
export async function previewRewind(
  context: AppContext,
  rewind: Rewind,
  { work, held }: { readonly work: FilesWork; readonly held?: Session | undefined },
): Promise<RewindPreview> {
  const { row, scope, filesStay, rewinder } = rewind;
  const view = held ?? rewind.view;
  const preview = previewerOf(rewind, held);
  return {
    scope,
    ...(filesStay === undefined ? {} : { filesStay }),
    mode: view.header.mode,
    checkpoint: await describeCheckpoint(view, row),
    step: await stepAt(view, row),
    effect: effectOf(view.outline, row, scope),
    prompt: scope === "files" ? undefined : await promptAfter(view, row),
    files:
      scope === "conversation"
        ? undefined
        : await lookAtFiles(context, work, (options) =>
            preview({ ...options, ...(rewinder === undefined ? {} : { rewinder }), to: row.number }),
          ),
  };
}

async function describeCheckpoint(view: SessionView, row: Row): Promise<CheckpointView> {
  const [checkpoint] = await describeCheckpoints([{ row, number: row.number, branch: "here" }], view);
  return checkpoint as CheckpointView;
}

async function promptAfter(view: SessionView, row: Row): Promise<readonly Part[] | undefined> {
  const promptRow = row.kind === "checkpoint" ? promptOf(view.outline, row) : undefined;
  const [entry] = promptRow === undefined ? [] : await view.entries([promptRow.seq]);
  return entry?.kind === "prompt" ? entry.parts : undefined;
}

/** Everything needed to perform a journey: the session, and the files with the user's choices and the progress. */
export interface JourneyRequest {
  /** The session, if this process holds it; otherwise, what is needed to hold it. */
  readonly hold: SessionHold;
  readonly work: FilesWork;
}

/** Previews a journey. `choices`: the user's choices for individual files after an earlier preview. */
export type PreviewJourney<Preview> = (choices?: FilesWork["choices"]) => Promise<Preview>;

/** A front end's decision. The front end may add fields, which are returned together with the result. */
export interface Decision {
  /**
   * What happens to individual files: `files.chosen` of the front end's last preview, in which the preview has resolved
   * the user's choices. The journey uses nothing else; if this is undefined, its defaults apply.
   */
  readonly chosen: FileChoices | undefined;
}

interface RewindSessionRequest<Decided extends Decision> extends JourneyRequest {
  /**
   * Previews the rewind and asks the user any necessary questions. If this function throws, neither the files nor the
   * conversation change.
   */
  readonly decide: (preview: PreviewJourney<RewindPreview>) => Promise<Decided>;
}

/**
 * Performs the rewind. The session is held from the preview onward, so that the rewind does exactly what the user saw.
 */
export async function rewindSession<Decided extends Decision>(
  context: AppContext,
  rewind: Rewind,
  { hold, work, decide }: RewindSessionRequest<Decided>,
): Promise<Decided & { readonly result: RewindResult }> {
  const { row, scope, rewinder } = rewind;
  return inJourneySession(context, { ...rewind, hold }, async (held, endLost) => {
    // Terminates leftover processes before the preview, so that they cannot change the files after it.
    await endLost(scope);
    const decided = await decide(async (choices) =>
      previewRewind(context, rewind, { work: withChoices(work, choices), held }),
    );
    const otherRewinder = rewinder === undefined || scope === "conversation" ? {} : { rewinder };
    const result = await work.withProgress(async (progress) =>
      held.rewind({ ...progress, ...decided.chosen, ...otherRewinder, to: row.number, scope }),
    );
    return { ...decided, result };
  });
}

/** A rewind to a checkpoint in any session, as the user requested it. */
export interface CheckpointRewind extends FilesOptions {
  readonly checkpoint: FoundCheckpoint;
  /** The scope; if undefined, the answer from `askScope` or the checkpoint's default applies. */
  readonly scope: Scope | undefined;
  readonly askScope?: ((offer: ScopeOffer) => Promise<Scope | "stay">) | undefined;
}

/** The effect of a rewind, with everything that users need to judge it. */
export interface DescribedRewind extends Omit<RewindPreview, "files"> {
  /** The effect on the files; absent if only the conversation is rewound. */
  readonly files?: DescribedFiles | undefined;
}

/** What a front end contributes to a journey in the session's own workspace. */
export interface JourneyDecider<Described, Decided extends Decision> {
  /** The name that other programs see while the session is held, such as "worldline rewind". */
  readonly name: string;
  /**
   * Previews the journey and asks the user any necessary questions. If this function throws, neither the files nor the
   * conversation change.
   */
  readonly decide: (preview: PreviewJourney<Described>) => Promise<Decided>;
}

/**
 * Like `rewindSession`, for a checkpoint in any session: performs the rewind in that session's own workspace. "stay":
 * the user was asked for the scope, but did not choose one.
 */
export async function makeRewind<Decided extends Decision>(
  context: AppContext,
  { name, decide, ...request }: CheckpointRewind & JourneyDecider<DescribedRewind, Decided>,
): Promise<(Decided & { readonly result: RewindResult }) | "stay"> {
  return withSettled(context, request, async (rewind, { workspaceContext, deps, work }) => {
    return rewindSession(workspaceContext, rewind, {
      hold: { deps, name },
      work,
      decide: async (preview) =>
        decide(async (choices) =>
          describeRewind(workspaceContext, withChoices(work, choices), await preview(choices)),
        ),
    });
  });
}

/**
 * Shows the effect of `makeRewind` without holding the session. Another program may therefore be working in the
 * session.
 */
export async function previewCheckpointRewind(
  context: AppContext,
  request: CheckpointRewind,
): Promise<DescribedRewind | "stay"> {
  return withSettled(context, request, async (rewind, { workspaceContext, deps, work }) => {
    if (rewind.scope !== "conversation") await reportRunning(workspaceContext, deps.store, rewind.view);
    return describeRewind(workspaceContext, work, await previewRewind(workspaceContext, rewind, { work }));
  });
}

interface RewindPlace {
  /** The context of the session's workspace. */
  readonly workspaceContext: AppContext;
  readonly deps: SessionContext;
  readonly work: FilesWork;
}

/**
 * Opens the workspace of the checkpoint's session, settles the scope, and calls `use`. Returns "stay" without calling
 * `use` if the user was asked for the scope and chose none.
 */
async function withSettled<Result>(
  context: AppContext,
  request: CheckpointRewind,
  use: (rewind: Rewind, place: RewindPlace) => Promise<Result>,
): Promise<Result | "stay"> {
  const { checkpoint, askScope } = request;
  const { header } = checkpoint.view;
  const workspaceContext = await contextOfSession(context, header);
  const deps = await openSessionDeps(workspaceContext);
  return withFiles(workspaceContext, header.workspace, async (workspaceFiles) => {
    const target = await rewindTarget(workspaceContext, checkpoint, workspaceFiles);
    const namesPaths = (request.only ?? []).length > 0;
    const mustAsk = askScope !== undefined && request.scope === undefined && !namesPaths;
    const scope = mustAsk ? await askedScope(target, askScope) : request.scope;
    if (scope === "stay") return "stay";
    const only = namesPaths ? "some" : "none";
    // If the rewind is impossible, the error suggests a command that is possible.
    const rewind = await settleRewind(target, { scope, only, suggest: "command" });
    if (target.rewinder !== undefined && rewind.scope !== "conversation")
      refuseChoice(target.rewinder, request);
    const work = filesWork(workspaceContext, { files: workspaceFiles.files, mode: header.mode }, request);
    return use(rewind, { workspaceContext, deps: { ...deps, ...touchedIn(workspaceFiles) }, work });
  });
}

/**
 * Asks for the scope. Returns undefined without asking in three cases:
 * - Nothing can be rewound, so `settleRewind` throws.
 * - The session belongs to a program, whose steps and files are rewound together by default.
 * - Files are turned off, and no other agent can restore them.
 */
async function askedScope(
  target: RewindTarget,
  ask: NonNullable<CheckpointRewind["askScope"]>,
): Promise<Scope | "stay" | undefined> {
  const { workspaceFiles, rewinder, view } = target;
  if ((workspaceFiles.state === "off" && rewinder === undefined) || view.header.mode === "execution")
    return undefined;
  const offer = await scopeOffer(target);
  return offer.scopes.length === 0 ? undefined : ask(offer);
}

/**
 * Throws if options for individual files are given although another agent restores the files. That agent restores
 * either all files that it tracks or none, so the options would have no effect.
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

/** Returns the same work with the user's choices for individual files. */
export function withChoices(work: FilesWork, choices: FilesWork["choices"]): FilesWork {
  return choices === undefined ? work : { ...work, choices };
}

interface JourneyPlace extends Pick<Rewind, "view" | "workspaceFiles"> {
  readonly hold: SessionHold;
}

/**
 * Performs a journey while the session is held. `endLost` terminates the processes that a killed Worldline process left
 * running. It must be called before files are restored. If this process already holds the session, `endLost` does
 * nothing. These processes were terminated when the session was opened, and the processes of this session's agent
 * must keep running.
 */
export async function inJourneySession<Result>(
  context: AppContext,
  { hold, view, workspaceFiles }: JourneyPlace,
  perform: (held: Session, endLost: (scope: Scope) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if ("held" in hold) return perform(hold.held, async () => undefined);
  return withHeld({ ...hold, context, session: view.id, files: workspaceFiles.files }, async (held) =>
    perform(held, async (scope) => {
      if (scope !== "conversation") await endLostProcesses(context, held);
    }),
  );
}

/**
 * The distance between two places: the number of entries that are only on the path to the first place, and the number
 * that are only on the path to the second.
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

/**
 * Returns the effect on the conversation of moving from the head to `place`. A journey that moves only files has no
 * effect on it.
 */
export function effectOf(outline: Outline, place: Row, scope: Scope): Effect {
  const tokensBefore = contextTokens(outline, outline.head);
  if (scope === "files") return { left: 0, back: 0, tokensBefore, tokensAfter: tokensBefore };
  return {
    ...distance(outline, outline.head, place),
    tokensBefore,
    tokensAfter: contextTokens(outline, place),
  };
}
