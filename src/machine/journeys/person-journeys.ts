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
import type { ThroughWish } from "../files/external-preview.ts";
import { rewindThrough } from "../files/external-rewind.ts";
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
  type MadeJourney,
  makeJourney,
  NO_FILES,
  toldOfDifferences,
  toldOfGit,
  toldTogether,
  type WritingGround,
  type WritingView,
} from "../files/perform.ts";
import { lineBefore, rewindChoice } from "../files/preview.ts";
import type { FilesOutcome, FilesWish, JourneyWish, RedoWish, RewindWish } from "../files/requests.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { appendsOf } from "../writer.ts";

/** What a person's journey needs of the session. */
export interface Travelling {
  readonly session: WritingView;
  readonly files: SessionFiles | undefined;
  /** Files that no snapshot has; always there where `files` are. */
  readonly outside: OutsideFiles | undefined;
  /** Ends what the agent has asked for and not got yet. */
  readonly dropRequest: (why: Remark) => Promise<void>;
}

export interface RewindResult {
  readonly journey: EntryId;
  readonly to: number;
  /** The prompt that the checkpoint stood before, to be edited and sent again. */
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

/** Goes back to any checkpoint, also one before a compaction or on a branch that was left. */
export async function rewindSession(travelling: Travelling, wish: RewindWish): Promise<RewindResult> {
  return inTurn(travelling, async () => rewindNow(travelling, wish));
}

/** Undoes the latest journey, while nothing new has happened after it, or the one that is named. */
export async function redoSession(travelling: Travelling, wish: RedoWish): Promise<RedoResult> {
  return inTurn(travelling, async () => redoNow(travelling, wish));
}

async function inTurn<Result>({ files, outside }: Travelling, work: () => Promise<Result>): Promise<Result> {
  const turns = files ?? outside;
  return turns === undefined ? work() : turns.inTurn(work);
}

async function rewindNow(travelling: Travelling, wish: RewindWish): Promise<RewindResult> {
  const { session } = travelling;
  const { to } = wish;
  const target = requireCheckpoint(session.outline, to);
  const promptRow = target.kind === "checkpoint" ? promptOf(session.outline, target) : undefined;
  const { through } = wish;
  const made =
    through === undefined || wish.scope === "conversation"
      ? await travelBack(travelling, wish, target)
      : await travelThrough(travelling, { ...wish, through }, target);
  const [prompt] = promptRow === undefined ? [] : await session.entries([promptRow.seq]);
  const shown = prompt?.kind === "prompt" ? prompt : undefined;
  return {
    ...made,
    to,
    ...(shown === undefined ? {} : { prompt: shown.parts }),
    promptStart: shown === undefined ? "" : startOfPrompt(shown),
  };
}

async function travelBack(travelling: Travelling, wish: RewindWish, target: Row): Promise<MadeJourney> {
  const { session } = travelling;
  const { to, scope, only } = wish;
  const choice = wish.choice ?? rewindChoice(session.header.mode);
  const request = { to, scope, ...(scope === "conversation" ? {} : { ...limitsIn(only), choice }) };
  return travel(travelling, {
    wish,
    scope,
    choice,
    target: async (ground) => targetOfCheckpoint(ground, to),
    line: target.seq,
    plan: (present) => planRewind(session.outline, request, present),
    check: (changes) => {
      const isThere = scope === "files" || isAlreadyThere(session.outline, target);
      if (isThere && changes.length === 0) throw new WorldlineError("files-already-so", { checkpoint: to });
    },
    dropped: REWOUND,
    told: `The person took files back to how they were at checkpoint ${to}.`,
  });
}

const REWOUND = remark("backtrack-person-rewound");

/** The files of it go back by another agent's checkpoints. */
async function travelThrough(
  travelling: Travelling,
  wish: RewindWish & ThroughWish,
  target: Row,
): Promise<MadeJourney> {
  const { session } = travelling;
  const { to, scope, through } = wish;
  const request = { to, scope, through: through.host };
  // Planned once before anything is looked at or dropped: a refused journey changes nothing.
  planRewind(session.outline, request, {});
  const isThere = scope === "files" || isAlreadyThere(session.outline, target);
  return rewindThrough(travelling, {
    wish,
    line: target.seq,
    conversation: isThere ? "stays" : "goes",
    write: async (present) => {
      const [id] = await session.write(appendsOf(planRewind(session.outline, request, present)));
      return id as EntryId;
    },
    dropped: REWOUND,
  });
}

async function redoNow(travelling: Travelling, wish: RedoWish): Promise<RedoResult> {
  const { session } = travelling;
  const { wanted } = wish;
  const journeys = (await session.journeys()).map(({ entry }) => entry);
  const undone = chooseJourney(session.outline, { journeys, ...(wanted === undefined ? {} : { wanted }) });
  const scope = redoScope(undone, wish.scope);
  const limited = { ...limitsOf(undone), ...wish };
  const request = {
    journeys,
    // Without a name it is chosen again when it is written: something new may have happened since.
    ...(wanted === undefined ? {} : { wanted }),
    ...limitsIn(limited.only),
    ...(wish.scope === undefined ? {} : { scope: wish.scope }),
  };
  const made = await travel(travelling, {
    wish: limited,
    scope,
    choice: "keep",
    target: async (ground) => targetOfJourney(ground, undone),
    line: lineBefore(undone),
    plan: (present) => planRedo(session.outline, request, present),
    dropped: remark("backtrack-person-redid"),
    told: "The person undid an earlier journey, and files changed with it.",
  });
  return { ...made, undone: undone.id, scope };
}

function limitsIn(only: FilesWish["only"]): { readonly only?: readonly string[] } {
  return only === undefined ? {} : { only: limitTexts(only) };
}

interface Trip {
  readonly wish: JourneyWish;
  readonly scope: Scope;
  /** What is done with conflicts where the wish says nothing. */
  readonly choice: Choice;
  readonly target: (ground: SessionFiles["ground"]) => Promise<FilesTarget>;
  /** What tools did behind this line, where no snapshot reaches, is taken back. */
  readonly line: number;
  readonly plan: (present: Present) => Journey;
  /** Throws where there is nothing to do. */
  readonly check?: (changes: readonly PathChange[]) => void;
  readonly dropped: Remark;
  readonly told: string;
}

async function travel(travelling: Travelling, trip: Trip): Promise<MadeJourney> {
  const { outside } = travelling;
  // Planned once before anything is looked at or dropped: a refused journey changes nothing.
  trip.plan({});
  if (trip.scope === "conversation") return talk(travelling, trip);
  if (outside === undefined) throw new WorldlineError("files-off", {});
  return takeFiles(travelling, outside, trip);
}

/** The conversation alone. The model is told which files it will find otherwise than it remembers. */
async function talk(travelling: Travelling, trip: Trip): Promise<MadeJourney> {
  const { session, files, outside, dropRequest } = travelling;
  const target = files === undefined ? undefined : await knownTarget(files, trip);
  const glance = await files?.glance(target, trip.wish);
  const beside = await outside?.look(trip);
  const differ = [...(glance?.differ ?? []), ...(beside?.files.changes ?? [])];
  await dropRequest(trip.dropped);
  const told = toldTogether(toldOfDifferences(differ), toldOfGit(target, glance?.present));
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

/** Whether there are files to compare with; the conversation goes where it is to go in any case. */
async function knownTarget(files: SessionFiles, trip: Trip): Promise<FilesTarget | undefined> {
  try {
    return await trip.target(files.ground);
  } catch (error) {
    if (isWorldlineError(error)) return undefined;
    throw error;
  }
}

async function takeFiles(
  { session, files, dropRequest }: Travelling,
  outside: OutsideFiles,
  trip: Trip,
): Promise<MadeJourney> {
  const { wish } = trip;
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
  if (inside !== undefined) await keepLeft(inside.ground, inside.present);
  const made = await makeJourney(
    { view: session, ...inside?.ground },
    { plan: NO_FILES, ...wish, ...inside, outside: decided, write, told: toldOf(trip, outside) },
  );
  return { ...made, files: { ...made.files, ...outside.tracked } };
}

function toldOf({ told }: Trip, { tracked }: OutsideFiles): string {
  return tracked.tracked === undefined ? told : `${told} Only files that your tools wrote are followed here.`;
}

/** The workspace as it is, and what would become of it. */
async function lookInside(
  files: SessionFiles,
  trip: Trip,
): Promise<Pick<DecidedJourney, "plan" | "aside"> & { ground: WritingGround; present: FilesPresent }> {
  const { ground } = files;
  const { wish, choice } = trip;
  const target = await trip.target(ground);
  await files.requireSettled();
  const present = await capturePresent(ground, wish);
  const plan = await lookAtFiles(ground, { target, present, wish, choice });
  return { ground, present, plan, aside: toldOfGit(target, present) };
}
