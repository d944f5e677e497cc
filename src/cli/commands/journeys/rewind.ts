import { type FoundCheckpoint, findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { type FilesHere, touchedIn, withFiles } from "../../../app/files/files.ts";
import { pathDocument } from "../../../app/files/paths.ts";
import { type SettledScope, settleScope } from "../../../app/journeys/scope.ts";
import { requireWayBack, rewinderFor } from "../../../app/rewind.ts";
import { contextOfSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openGround } from "../../../app/sessions/store.ts";
import { previewFiles } from "../../../machine/files/preview.ts";
import type { FilesOutcome, SessionRewindOptions } from "../../../machine/files/requests.ts";
import type { SessionContext } from "../../../machine/open.ts";
import type { FileRewinder } from "../../../ports/file-rewinder.ts";
import type { Choice, Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { choice, defineCommand, flag, list, type OptionValues, optional } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import {
  choiceOf,
  choiceOptions,
  endLostProcesses,
  type FilesWork,
  filesDocument,
  filesWork,
  lookAndAsk,
  lookAtFiles,
  showFiles,
  warnOnlookers,
} from "./files.ts";
import { redoCommand } from "./journey-text.ts";
import { pickCheckpoint, pickScope } from "./pick-checkpoint.ts";
import { foreseenText, madeText, previewRewind, type RewindPreview } from "./rewind-text.ts";

/** What every command that goes back to a checkpoint takes. */
export const rewindOptions = {
  scope: choice(
    ["files", "conversation", "both"],
    "what goes back (default: both in an agent's session, files in the workspace's own, and with --only)",
  ),
  only: list("<path>", "restore only this file or folder; may be given several times"),
  ...choiceOptions,
  dryRun: flag("show what would happen, and change nothing"),
  yes: flag("do not ask, also where more paths are deleted than rewind.confirmDeletes says"),
};

export const rewind = defineCommand({
  description:
    "Goes back to a checkpoint: files, conversation, or both. Nothing is lost: the present is captured first, what is left " +
    "behind stays on the timeline, and `worldline redo` goes forward again. Works for any checkpoint, also before a " +
    "compaction or on a branch that was left. What somebody else changed since is kept, unless you say otherwise.",
  arguments: {
    cp: optional("the checkpoint: a number, session:number, or a label (default: choose from a list)"),
  },
  options: rewindOptions,
  examples: [
    { command: "worldline rewind 12 --dry-run", meaning: "what would change, file by file" },
    { command: 'worldline rewind "tests pass"', meaning: "back to where that label stands" },
    { command: "worldline rewind 12 --only src/main.ts", meaning: "one file as it was there" },
    { command: "worldline rewind 12 --scope conversation", meaning: "files stay as they are" },
    { command: "worldline rewind", meaning: "choose from a list" },
  ],
  run: async ({ arguments: { cp }, options, frame }) => {
    // Refused before anybody is asked for a row.
    choiceOf(options);
    const ground = await openGround(frame);
    if (cp !== undefined) {
      const target = await findCheckpoint(frame, ground.store, cp);
      return performRewind(frame, { ground, target, options });
    }
    const target = await pickCheckpoint(frame, ground.store);
    if (target === undefined) return stay(frame);
    return performRewind(frame, {
      ground,
      target,
      options,
      askScope: async (there, here) => pickScope(there, target, here),
    });
  },
});

export interface RewindWay {
  readonly ground: SessionContext;
  readonly target: FoundCheckpoint;
  readonly options: OptionValues<typeof rewindOptions>;
  /** Asks what goes back, where the command line does not say. "stay": the user declined. */
  readonly askScope?: (frame: Frame, here: FilesHere) => Promise<Scope | "stay" | undefined>;
}

/** Shows what would happen, asks what has to be asked, and goes back. */
export async function performRewind(bare: Frame, way: RewindWay): Promise<ExitCode> {
  const { ground, target, options, askScope } = way;
  const given = choiceOf(options);
  const frame = await contextOfSession(bare, target.view.header);
  return withFiles(frame, target.view.header.workspace, async (here) => {
    const asked = options.scope === undefined ? await askScope?.(frame, here) : undefined;
    if (asked === "stay") return stay(frame);
    const yes = options.yes ? "given" : "absent";
    const travel: Travel = {
      ...(await settled(frame, { here, way, scope: options.scope ?? asked })),
      ...{ frame, ground: { ...ground, ...touchedIn(here) }, target, here },
      wish: { only: options.only, choice: given, yes },
      redo: await redoCommand(bare, target.view),
    };
    return options.dryRun ? foresee(travel) : perform(travel);
  });
}

interface Unsettled {
  readonly here: FilesHere;
  readonly way: RewindWay;
  readonly scope: Scope | undefined;
}

/** What goes back, and who takes the files there. */
async function settled(
  frame: Frame,
  { here, way, scope: given }: Unsettled,
): Promise<Pick<Travel, "settled" | "by">> {
  const { target, options } = way;
  const only = options.only.length === 0 ? "none" : "some";
  const through = await rewinderFor(frame, target.view);
  if (through === undefined) {
    return { settled: await settleScope(target, here, { given, only, by: "snapshots" }), by: {} };
  }
  const scope = await settleScope(target, here, { given, only, by: "another" });
  if (scope.scope !== "conversation") refuseChoice(through, options);
  return { settled: scope, by: { through } };
}

interface Travel {
  readonly frame: Frame;
  readonly ground: SessionContext;
  readonly target: FoundCheckpoint;
  readonly here: FilesHere;
  readonly settled: SettledScope;
  readonly wish: {
    readonly only: readonly string[];
    readonly choice: Choice | undefined;
    readonly yes: "given" | "absent";
  };
  /** What goes forward again. */
  readonly redo: string;
  /** Who takes the files back, where it is not our snapshots. */
  readonly by: Pick<SessionRewindOptions, "through">;
}

export function stay({ output, strings }: Frame): ExitCode {
  output.answer({ changed: false }, () => strings.journeys.stayed);
  return 0;
}

async function foresee(travel: Travel): Promise<ExitCode> {
  const { frame, target, here, settled } = travel;
  const { view, row } = target;
  requireWayBack(view, row, settled.scope);
  const preview = await previewRewind(view, row, travel);
  const { files } = here;
  if (settled.scope !== "conversation") await warnOnlookers(frame, travel.ground.store, view);
  const looked =
    settled.scope === "conversation"
      ? {}
      : {
          files: (
            await lookAtFiles(frame, workOf(travel), (wish) =>
              previewFiles({ view, files, ...touchedIn(here) }, { ...wish, ...travel.by, to: row.number }),
            )
          ).described,
        };
  answer(travel, { preview: { ...preview, ...looked } });
  return 0;
}

async function perform(travel: Travel): Promise<ExitCode> {
  const { frame, ground, target, here, settled } = travel;
  const { view, row } = target;
  const to = row.number;
  // Refused before anything is held, so that a refusal leaves no trace.
  requireWayBack(view, row, settled.scope);
  const hold = { context: frame, ground, session: view.id, name: "worldline rewind", files: here.files };
  const made = await withHeld(hold, async (session) => {
    const preview = await previewRewind(session, row, travel);
    const work = workOf(travel);
    if (settled.scope === "conversation") {
      const { journey, files } = await work.patiently((wish) =>
        session.rewind({ ...wish, to, scope: "conversation" }),
      );
      return { preview, journey, outcome: files };
    }
    await endLostProcesses(frame, session);
    const { yes } = travel.wish;
    const looked = await lookAndAsk(frame, work, {
      yes,
      preview: (wish) => session.previewFiles({ ...wish, ...travel.by, to }),
    });
    await showFiles(frame, looked, yes);
    const { journey, files } = await work.patiently((wish) =>
      session.rewind({ ...wish, ...looked.wish, ...travel.by, to, scope: settled.scope }),
    );
    return { preview: { ...preview, files: looked.described }, journey, outcome: files };
  });
  answer(travel, made);
  return made.outcome.failed > 0 ? 1 : 0;
}

function workOf({ frame, target, here, wish }: Travel): FilesWork {
  const { mode } = target.view.header;
  return filesWork(frame, { files: here.files, mode, only: wish.only, choice: wish.choice });
}

interface Outcome {
  readonly preview: RewindPreview;
  /** Not there when nothing was done. */
  readonly journey?: EntryId;
  readonly outcome?: FilesOutcome;
}

function answer({ frame, target }: Travel, { preview, journey, outcome }: Outcome): void {
  const { view, row } = target;
  const { checkpoint, effect, prompt, files, scope, filesStay } = preview;
  const document = {
    session: view.id,
    to: row.number,
    label: checkpoint.label ?? null,
    scope,
    changed: journey !== undefined,
    journey: journey ?? null,
    ...effect,
    prompt: prompt ?? null,
    files: filesDocument(frame, files, outcome),
    filesStay: filesStay?.message ?? null,
    differ: (outcome?.differ ?? []).map(({ path }) => pathDocument(path)),
  };
  const { strings } = frame;
  frame.output.answer(document, () =>
    (outcome === undefined ? foreseenText(preview, strings) : madeText(preview, outcome, strings)).join("\n"),
  );
}

interface Choosing {
  readonly only: readonly string[];
  readonly keep: boolean;
  readonly take: boolean;
  readonly merge: boolean;
}

/** Another agent takes back all files that it knows, or none: a flag that it cannot follow must not be passed over. */
export function refuseChoice({ name }: Pick<FileRewinder, "name">, given: Choosing): void {
  const flags = [
    ...(given.only.length > 0 ? ["--only"] : []),
    ...(["keep", "take", "merge"] as const).filter((flag) => given[flag]).map((flag) => `--${flag}`),
  ];
  const [flag] = flags;
  if (flag === undefined) return;
  throw new WorldlineError("choice-beyond-host", { flag, rewinder: name });
}
