import type { Choice, Scope } from "../../record/entry.ts";
import { isWorldlineError, type Remark, remark, WorldlineError } from "../../record/error.ts";
import type { PathChange } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Part } from "../../record/parts.ts";
import { promptOf } from "../../timeline/checkpoints.ts";
import type { Row } from "../../timeline/row.ts";
import { limitsOf, limitTexts, outcomeCounts } from "../../travel/logged-files.ts";
import { chooseJourney, planRedo, redoScope } from "../../travel/redo.ts";
import type { Journey, Present } from "../../travel/rewind.ts";
import { isAlreadyThere, planRewind, requireCheckpoint } from "../../travel/rewind.ts";
import { startOfPrompt } from "../checkpoint-list.ts";
import type { ExternalRewindOptions } from "../files/external-preview.ts";
import { performExternalRewind } from "../files/external-rewind.ts";
import {
  capturePresent,
  type FilesPresent,
  type FilesTarget,
  keepLeft,
  lookAtFiles,
  targetOfCheckpoint,
  targetOfJourney,
} from "../files/look.ts";
import type { OutsideFiles } from "../files/outside-files.ts";
import {
  type DecidedJourney,
  differenceNotice,
  gitNotice,
  joinNotices,
  type MadeJourney,
  makeJourney,
  NO_FILES,
  type WritingContext,
} from "../files/perform.ts";
import { lineBefore, rewindChoice } from "../files/preview.ts";
import type {
  FileChoices,
  FilesOutcome,
  JourneyOptions,
  SessionRedoOptions,
  SessionRewindOptions,
} from "../files/requests.ts";
import type { JourneyDeps, SessionFiles } from "../files/session-files.ts";
import { appendsOf } from "../writer.ts";

export interface RewindResult {
  readonly journey: EntryId;
  readonly to: number;
  /** The prompt that follows the checkpoint. The user can edit it and send it again. */
  readonly prompt?: readonly Part[];
  readonly promptStart: string;
  readonly files: FilesOutcome;
}

export interface RedoResult {
  readonly journey: EntryId;
  readonly undone: EntryId;
  readonly scope: Scope;
  readonly files: FilesOutcome;
}

/** Goes back to any checkpoint, including those before a compaction and on abandoned branches. */
export async function rewindSession(deps: JourneyDeps, options: SessionRewindOptions): Promise<RewindResult> {
  return inJourneyTurn(deps, async () => rewindNow(deps, options));
}

/** Undoes the given journey. By default, undoes the latest journey, unless new work followed it. */
export async function redoSession(deps: JourneyDeps, options: SessionRedoOptions): Promise<RedoResult> {
  return inJourneyTurn(deps, async () => redoNow(deps, options));
}

async function inJourneyTurn<Result>(
  { files, outside }: JourneyDeps,
  work: () => Promise<Result>,
): Promise<Result> {
  const turns = files ?? outside;
  return turns === undefined ? work() : turns.inTurn(work);
}

async function rewindNow(deps: JourneyDeps, options: SessionRewindOptions): Promise<RewindResult> {
  const { session } = deps;
  const { to } = options;
  const target = requireCheckpoint(session.outline, to);
  const promptRow = target.kind === "checkpoint" ? promptOf(session.outline, target) : undefined;
  const { rewinder } = options;
  const made =
    rewinder === undefined || options.scope === "conversation"
      ? await travelBack(deps, options, target)
      : await rewindExternally(deps, { ...options, rewinder }, target);
  const [prompt] = promptRow === undefined ? [] : await session.entries([promptRow.seq]);
  const shown = prompt?.kind === "prompt" ? prompt : undefined;
  return {
    ...made,
    to,
    ...(shown === undefined ? {} : { prompt: shown.parts }),
    promptStart: shown === undefined ? "" : startOfPrompt(shown),
  };
}

async function travelBack(
  deps: JourneyDeps,
  options: SessionRewindOptions,
  target: Row,
): Promise<MadeJourney> {
  const { session } = deps;
  const { to, scope, only } = options;
  const choice = options.choice ?? rewindChoice(session.header.mode);
  const request = { to, scope, ...(scope === "conversation" ? {} : { ...limitsIn(only), choice }) };
  return travel(deps, {
    options,
    scope,
    choice,
    target: async (context) => targetOfCheckpoint(context, to),
    line: target.seq,
    plan: (present) => planRewind(session.outline, request, present),
    check: (changes) => {
      const isThere = scope === "files" || isAlreadyThere(session.outline, target);
      if (isThere && changes.length === 0) throw new WorldlineError("files-already-so", { checkpoint: to });
    },
    dropped: REWOUND,
    told: `The user rewound files to checkpoint ${to}.`,
  });
}

const REWOUND = remark("backtrack-person-rewound");

/** Performs a rewind in which another agent restores the files with its own checkpoints. */
async function rewindExternally(
  deps: JourneyDeps,
  options: SessionRewindOptions & ExternalRewindOptions,
  target: Row,
): Promise<MadeJourney> {
  const { session } = deps;
  const { to, scope, rewinder } = options;
  const request = { to, scope, through: rewinder.host };
  // The rewind is planned once before anything is checked or dropped, because a refused journey must change nothing.
  planRewind(session.outline, request, {});
  const isThere = scope === "files" || isAlreadyThere(session.outline, target);
  return performExternalRewind(deps, {
    options,
    line: target.seq,
    conversation: isThere ? "stays" : "goes",
    write: async (present) => {
      const [id] = await session.write(appendsOf(planRewind(session.outline, request, present)));
      return id as EntryId;
    },
    dropped: REWOUND,
  });
}

async function redoNow(deps: JourneyDeps, options: SessionRedoOptions): Promise<RedoResult> {
  const { session } = deps;
  const { wanted } = options;
  const journeys = (await session.journeys()).map(({ entry }) => entry);
  const undone = chooseJourney(session.outline, { journeys, ...(wanted === undefined ? {} : { wanted }) });
  const scope = redoScope(undone, options.scope);
  const limited = { ...limitsOf(undone), ...options };
  const request = {
    journeys,
    // If no journey was specified, it is chosen again when the redo is written, because new work may have been added
    // since then.
    ...(wanted === undefined ? {} : { wanted }),
    ...limitsIn(limited.only),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  };
  const made = await travel(deps, {
    options: limited,
    scope,
    choice: "keep",
    target: async (context) => targetOfJourney(context, undone),
    line: lineBefore(undone),
    plan: (present) => planRedo(session.outline, request, present),
    dropped: remark("backtrack-person-redid"),
    told: "The user undid an earlier rewind or backtrack, which also changed files.",
  });
  return { ...made, undone: undone.id, scope };
}

function limitsIn(only: FileChoices["only"]): { readonly only?: readonly string[] } {
  return only === undefined ? {} : { only: limitTexts(only) };
}

interface JourneySpec {
  readonly options: JourneyOptions;
  readonly scope: Scope;
  /** What to do with conflicts that the options do not resolve. */
  readonly choice: Choice;
  readonly target: (context: SessionFiles["context"]) => Promise<FilesTarget>;
  /** The line to go back to. Changes to files that no snapshot covers are undone if tools made them after this line. */
  readonly line: number;
  readonly plan: (present: Present) => Journey;
  /** Throws if there is nothing for the journey to do. */
  readonly check?: (changes: readonly PathChange[]) => void;
  readonly dropped: Remark;
  readonly told: string;
}

async function travel(deps: JourneyDeps, trip: JourneySpec): Promise<MadeJourney> {
  const { outside } = deps;
  // The journey is planned once before anything is checked or dropped, because a refused journey must change nothing.
  trip.plan({});
  if (trip.scope === "conversation") return travelWithoutFiles(deps, trip);
  if (outside === undefined) throw new WorldlineError("files-off", {});
  return travelWithFiles(deps, outside, trip);
}

/**
 * Performs a journey that moves only the conversation. The model is shown which files differ from their state at the
 * destination.
 */
async function travelWithoutFiles(deps: JourneyDeps, trip: JourneySpec): Promise<MadeJourney> {
  const { session, files, outside, dropRequest } = deps;
  const target = files === undefined ? undefined : await knownTarget(files, trip);
  const glance = await files?.comparePresent(target, trip.options);
  const beside = await outside?.look(trip);
  const differ = [...(glance?.differ ?? []), ...(beside?.files.changes ?? [])];
  await dropRequest(trip.dropped);
  const told = joinNotices(differenceNotice(differ), gitNotice(target, glance?.present));
  const left = glance === undefined ? {} : await files?.leave(glance);
  const text = session.header.mode === "agent" ? told : undefined;
  const [journey] = await session.write([
    ...appendsOf(trip.plan(left ?? {})),
    ...(text === undefined ? [] : [{ draft: { kind: "notice", text } as const }]),
  ]);
  return {
    journey: journey as EntryId,
    files: { paths: [], ...outcomeCounts([]), differ },
  };
}

/**
 * The files to compare with; undefined if they are not available, which does not prevent the conversation from moving.
 */
async function knownTarget(files: SessionFiles, trip: JourneySpec): Promise<FilesTarget | undefined> {
  try {
    return await trip.target(files.context);
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

async function travelWithFiles(
  { session, files, dropRequest }: JourneyDeps,
  outside: OutsideFiles,
  trip: JourneySpec,
): Promise<MadeJourney> {
  const { options } = trip;
  const inside = files === undefined ? undefined : await lookInside(files, trip);
  await outside.settle();
  const looked = await outside.look(trip);
  trip.check?.([...(inside?.plan.changes ?? []), ...looked.files.changes]);
  await dropRequest(trip.dropped);
  const decided = await outside.decide(looked);
  const write = async (): Promise<EntryId> => {
    const [id] = await session.write(appendsOf(trip.plan({ ...inside?.present, outside: decided.changes })));
    return id as EntryId;
  };
  if (inside !== undefined) await keepLeft(inside.context, inside.present);
  const made = await makeJourney(
    { view: session, ...inside?.context },
    { plan: NO_FILES, ...options, ...inside, outside: decided, write, told: toldOf(trip, outside) },
  );
  return { ...made, files: { ...made.files, ...outside.tracked } };
}

function toldOf({ told }: JourneySpec, { tracked }: OutsideFiles): string {
  return tracked.tracked === undefined ? told : `${told} Only files that your tools wrote are tracked here.`;
}

/** Captures the current workspace, and plans the changes to its files. */
async function lookInside(
  files: SessionFiles,
  trip: JourneySpec,
): Promise<Pick<DecidedJourney, "plan" | "aside"> & { context: WritingContext; present: FilesPresent }> {
  const { context } = files;
  const { options, choice } = trip;
  const target = await trip.target(context);
  await files.requireSettled();
  const present = await capturePresent(context, options);
  const plan = await lookAtFiles(context, { target, present, options, choice });
  return { context, present, plan, aside: gitNotice(target, present) };
}
