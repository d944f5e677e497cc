import { type FoundCheckpoint, findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { type OpenedFiles, touchedIn, withFiles } from "../../../app/files/files.ts";
import { pathDocument } from "../../../app/files/paths.ts";
import type { DescribedPreview, FilesWork } from "../../../app/journeys/files-preview.ts";
import { reportRunning } from "../../../app/journeys/left-running.ts";
import { rewindTarget } from "../../../app/journeys/scope.ts";
import {
  previewRewind,
  type Rewind,
  type RewindPreview,
  rewindSession,
  settleRewind,
} from "../../../app/rewind.ts";
import { contextOfSession } from "../../../app/sessions/find-session.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import type { RewindResult } from "../../../machine/journeys/person-journeys.ts";
import type { SessionContext } from "../../../machine/open.ts";
import type { FileRewinder } from "../../../ports/file-rewinder.ts";
import type { Scope } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import { choice, defineCommand, flag, list, type OptionValues, optional } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, decideFiles, describeFiles, filesDocument, filesWork } from "./files.ts";
import { redoCommand } from "./journey-text.ts";
import { pickCheckpoint, pickScope } from "./pick-checkpoint.ts";
import { previewText, resultText } from "./rewind-text.ts";

/** The options of every command that rewinds to a checkpoint. */
export const rewindOptions = {
  scope: choice(["files", "conversation", "both"]),
  only: list("<path>"),
  ...choiceOptions,
  dryRun: flag(),
  yes: flag(),
};

export const rewind = defineCommand({
  help: (help) => help.rewind,
  arguments: {
    cp: optional(),
  },
  options: rewindOptions,
  run: async ({ arguments: { cp }, options, frame }) => {
    // Checks the options before the user is asked for a checkpoint.
    choiceOf(options);
    const deps = await openSessionDeps(frame);
    if (cp !== undefined) {
      const target = await findCheckpoint(frame, deps.store, cp);
      return runRewind(frame, { deps, target, options });
    }
    const target = await pickCheckpoint(frame, deps.store);
    if (target === undefined) return stay(frame);
    return runRewind(frame, {
      deps,
      target,
      options,
      askScope: async (there, here) => pickScope(there, target, here),
    });
  },
});

export interface RewindWay {
  readonly deps: SessionContext;
  readonly target: FoundCheckpoint;
  readonly options: OptionValues<typeof rewindOptions>;
  /** The frame of the folder that the user is in, if it is not the given one. */
  readonly standing?: Frame;
  /** Asks for the scope if the command line does not name one. "stay": the user declined. */
  readonly askScope?: (frame: Frame, here: OpenedFiles) => Promise<Scope | "stay" | undefined>;
}

/** Previews the rewind, asks the user whatever is necessary, and performs the rewind. */
export async function runRewind(bare: Frame, way: RewindWay): Promise<ExitCode> {
  const { deps, target: found, options, standing = bare, askScope } = way;
  const choice = choiceOf(options);
  const frame = await contextOfSession(bare, found.view.header);
  return withFiles(frame, found.view.header.workspace, async (here) => {
    const asked = options.scope === undefined ? await askScope?.(frame, here) : undefined;
    if (asked === "stay") return stay(frame);
    const rewind = await settle(frame, way, { here, scope: options.scope ?? asked });
    const { mode } = rewind.view.header;
    const travel: Travel = {
      ...{ frame, rewind, deps: { ...deps, ...touchedIn(here) } },
      work: filesWork(frame, { files: here.files, mode, only: options.only, choice }),
      yes: options.yes ? "given" : "absent",
      redo: await redoCommand(standing, rewind.view),
    };
    return options.dryRun ? preview(travel) : perform(travel);
  });
}

async function settle(
  frame: Frame,
  { target: found, options }: RewindWay,
  { here, scope }: { readonly here: OpenedFiles; readonly scope: Scope | undefined },
): Promise<Rewind> {
  const only = options.only.length === 0 ? "none" : "some";
  const target = await rewindTarget(frame, found, here);
  const rewind = await settleRewind(target, { scope, only, suggest: "command" });
  const { through } = target;
  if (through !== undefined && rewind.scope !== "conversation") refuseChoice(through, options);
  return rewind;
}

interface Travel {
  readonly frame: Frame;
  readonly rewind: Rewind;
  readonly deps: SessionContext;
  readonly work: FilesWork;
  readonly yes: "given" | "absent";
  /** The command that undoes the rewind. */
  readonly redo: string;
}

export function stay({ output, strings }: Frame): ExitCode {
  output.answer({ changed: false }, () => strings.journeys.stayed);
  return 0;
}

async function preview(travel: Travel): Promise<ExitCode> {
  const { frame, rewind, deps, work } = travel;
  if (rewind.scope !== "conversation") await reportRunning(frame, deps.store, rewind.view);
  const previewed = await previewRewind(frame, rewind, { work });
  const { files } = previewed;
  const described = files === undefined ? {} : { described: await describeFiles(frame, work, files) };
  answer(travel, { preview: previewed, ...described });
  return 0;
}

async function perform(travel: Travel): Promise<ExitCode> {
  const { frame, rewind, deps, work, yes } = travel;
  const made = await rewindSession(frame, rewind, {
    session: { deps, name: "worldline rewind" },
    work,
    decide: async (preview) => decideFiles(frame, { work, yes }, preview),
  });
  answer(travel, made);
  return made.result.files.failed > 0 ? 1 : 0;
}

interface Answer {
  readonly preview: RewindPreview;
  readonly described?: DescribedPreview;
  /** Absent for a dry run. */
  readonly result?: RewindResult;
}

function answer({ frame, rewind, redo }: Travel, { preview: previewed, described, result }: Answer): void {
  const { view, row } = rewind;
  const { checkpoint, effect, prompt, scope, filesStay } = previewed;
  const outcome = result?.files;
  const document = {
    session: view.id,
    to: row.number,
    label: checkpoint.label ?? null,
    scope,
    changed: result !== undefined,
    journey: result?.journey ?? null,
    ...effect,
    prompt: prompt ?? null,
    files: filesDocument(frame, described, outcome),
    filesStay: filesStay?.message ?? null,
    differ: (outcome?.differ ?? []).map(({ path }) => pathDocument(path)),
  };
  const { strings } = frame;
  const shown = { preview: previewed, described, redo };
  frame.output.answer(document, () =>
    (outcome === undefined ? previewText(shown, strings) : resultText(shown, outcome, strings)).join("\n"),
  );
}

interface Choosing {
  readonly only: readonly string[];
  readonly keep: boolean;
  readonly take: boolean;
  readonly merge: boolean;
}

/**
 * Throws if options for single files are given, but another agent restores the files. That agent restores either all
 * the files that it knows or none, so the options would have no effect.
 */
export function refuseChoice({ name }: Pick<FileRewinder, "name">, given: Choosing): void {
  const flags = [
    ...(given.only.length > 0 ? ["--only"] : []),
    ...(["keep", "take", "merge"] as const).filter((flag) => given[flag]).map((flag) => `--${flag}`),
  ];
  const [flag] = flags;
  if (flag === undefined) return;
  throw new WorldlineError("choice-beyond-host", { flag, rewinder: name });
}
