import {
  type CompactionOutcome,
  type Cut,
  compactSession,
  cutOf,
  decideCompaction,
} from "../../agent/compaction/compact-session.ts";
import { lastHost } from "../../app/agent/agent-request.ts";
import { type OpenedModels, openModel, openNamedModel } from "../../app/agent/open-model.ts";
import { heard } from "../../app/context.ts";
import { patiently, withFiles } from "../../app/files/files.ts";
import { filesKnownTo } from "../../app/files/history.ts";
import { contextOfSession, refuseExecution, requireSession } from "../../app/sessions/find-session.ts";
import { withHeld } from "../../app/sessions/hold-session.ts";
import { openSessionDeps, openStore } from "../../app/sessions/store.ts";
import { KEPT_BY_SDK } from "../../hosts/claude-agent-sdk/turn/compaction.ts";
import { startOfPrompt } from "../../machine/checkpoint-list.ts";
import { presentAuthor, progressOf } from "../../machine/files/look.ts";
import { recapOf } from "../../machine/queries/recap.ts";
import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { CompactionTold } from "../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { defineCommand, flag, rest, text } from "../command.ts";
import type { Frame } from "../frame.ts";
import { openProgress } from "../output.ts";
import { printPerson } from "./agent/denied-calls.ts";

export const compact = defineCommand({
  help: (help) => help.compact,
  arguments: { focus: rest() },
  options: {
    model: text("<provider/name>"),
    dryRun: flag(),
  },
  run: async ({ arguments: { focus }, options: { dryRun, model }, frame: here }) => {
    if (model?.trim() === "") throw noModelNamed();
    const view = await requireSession(here, openStore(here));
    refuseExecution(view.header);
    const frame = await contextOfSession(here, view.header);
    if ((await lastHost(view)) === "claude") {
      return compactByHost(frame, view, {
        focus: focus.join(" "),
        dryRun: dryRun ? "yes" : "no",
        ...(model === undefined ? {} : { model }),
      });
    }
    const keep = Math.max(1, (await frame.settings()).values["compaction.keep"]);
    const decided = await decideCompaction(view, {
      keep,
      changedFiles: (await recapOf(view)).done.files,
    });
    if (decided === undefined) throw new WorldlineError("nothing-to-compact", { kept: keep });
    if (dryRun) return answerPreview(frame, view, { cut: decided.cut, keep });
    const deps = await openSessionDeps(frame);
    const outcome = await withFiles(frame, view.header.workspace, async ({ files }) =>
      withHeld({ context: frame, deps, files, session: view.id, name: "worldline compact" }, (session) =>
        heard(frame, async () => {
          const models = model === undefined ? await openModel(frame) : await openNamedModel(frame, model);
          if (files !== undefined) await captureBefore(frame, session, files);
          return compactHeld(frame, session, { models, keep, focus: focus.join(" ") });
        }),
      ),
    );
    return answer(frame, view, { outcome, keep });
  },
});

interface SummaryOptions {
  readonly models: OpenedModels;
  readonly keep: number;
  readonly focus: string;
}

async function compactHeld(
  frame: Frame,
  session: Session,
  { models, keep, focus }: SummaryOptions,
): Promise<CompactionOutcome> {
  const { model: main, summariser: model = main } = models;
  const progress = openProgress(frame);
  const show = (): void => progress.show(frame.strings.compact.asking(model.name));
  try {
    return await compactSession({
      session,
      model,
      ...(model === main ? {} : { fallback: main }),
      keep,
      reason: "asked",
      ...(focus === "" ? {} : { focus }),
      changedFiles: (await recapOf(session)).done.files,
      signal: frame.surroundings.cancelled,
      onModelEvent: show,
    });
  } finally {
    progress.clear();
  }
}

function answer(
  { output, strings: { compact: words } }: Frame,
  view: SessionView,
  { outcome, keep }: { readonly outcome: CompactionOutcome; readonly keep: number },
): void {
  if (outcome.outcome === "nothing") throw new WorldlineError("nothing-to-compact", { kept: keep });
  if (outcome.outcome === "failed") {
    throw new WorldlineError("compaction-failed", { code: outcome.code, why: outcome.why });
  }
  const { before, after, model, usage } = outcome;
  const document = {
    session: view.id,
    changed: true,
    tokensBefore: before,
    tokensAfter: after,
    model,
    usage,
  };
  output.answer(document, () => [words.done(before, after, model), words.nothingLost].join("\n"));
}

async function answerPreview(
  { output, strings: { compact: words } }: Frame,
  view: SessionView,
  { cut, keep }: { readonly cut: Cut; readonly keep: number },
): Promise<void> {
  const { summarised, replaced, kept } = cut;
  const pinned = await view.entries(cut.pinned.map(({ seq }) => seq));
  const prompts = pinned.map(startOfPrompt).filter((text) => text !== "");
  const document = {
    session: view.id,
    changed: false,
    summarised: { entries: summarised.length, tokens: replaced },
    kept: { exchanges: keep, entries: kept.length, prompts },
  };
  output.answer(document, () =>
    [
      words.wouldSummarise(summarised.length, replaced),
      words.wouldKeep(keep, kept.length),
      ...prompts.map(words.wouldPin),
      words.dryRun,
    ].join("\n"),
  );
}

function noModelNamed(): WorldlineError {
  return new WorldlineError("model-not-named", {});
}

export interface HostCompaction {
  readonly focus: string;
  readonly dryRun: "yes" | "no";
  /** The SDK's name of the model that is to write the summary. */
  readonly model?: string;
}

/** The conversation is the Claude Agent SDK's, so it has to make the summary: it would not know of ours. */
export async function compactByHost(
  frame: Frame,
  view: SessionView,
  { focus, dryRun, model: wanted }: HostCompaction,
): Promise<void> {
  if (dryRun === "yes") throw new WorldlineError("compaction-not-foreseen", {});
  // The same as the agent decides, before a process is started for it.
  if ((await cutOf(view, KEPT_BY_SDK)) === undefined)
    throw new WorldlineError("nothing-to-compact", { kept: KEPT_BY_SDK });
  const told = await compacted(frame, view, { focus: focus === "" ? undefined : focus, model: wanted });
  if (told.outcome !== "done") {
    throw new WorldlineError("compaction-failed", { code: "MODEL_FAILED", why: told.why });
  }
  const { before, after, model } = told;
  const { compact: words } = frame.strings;
  frame.output.answer(
    { session: view.id, changed: true, tokensBefore: before, tokensAfter: after, model },
    () => [words.done(before, after, model), words.nothingLost].join("\n"),
  );
}

async function compacted(
  frame: Frame,
  view: SessionView,
  { focus, model }: { readonly focus: string | undefined; readonly model: string | undefined },
): Promise<CompactionTold> {
  const { surroundings, strings } = frame;
  // The agent brings providers and tools along, which no other compaction needs.
  const { openAgent } = await import("../../app/agent/open-agent.ts");
  const opened = await openAgent(
    frame,
    {
      ...{ allow: [], deny: [], fork: "no", keepSession: "yes" },
      host: "claude",
      model,
      resume: { how: "resume", wanted: view.id },
    },
    printPerson(() => undefined),
  );
  const { agent } = opened;
  const release = surroundings.onInterrupt(() => void agent.interrupt());
  const progress = openProgress(frame);
  progress.show(strings.compact.asking(agent.model));
  try {
    return await agent.compact(focus);
  } finally {
    progress.clear();
    release();
    await opened.close();
  }
}

/**
 * Makes a checkpoint of the files as they are, where they are not as the timeline knows them. A failed capture is
 * reported and stops nothing: a compaction touches no file.
 */
export async function captureBefore(frame: Frame, session: Session, files: WorkspaceFiles): Promise<void> {
  try {
    await patiently(frame, async (request) => {
      const { snapshot } = await files.capture({ look: "everything", ...progressOf(request) });
      if (snapshot === (await filesKnownTo(session))) return;
      // It was looked at just now.
      await session.checkpoint(undefined, { author: await presentAuthor(session, {}), look: [], ...request });
    });
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    frame.output.warn(frame.strings.files.without(error.message));
  }
}
