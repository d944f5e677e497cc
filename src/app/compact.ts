import {
  type CompactionOutcome,
  type Cut,
  compactSession,
  cutOf,
  decideCompaction,
} from "../agent/compaction/compact-session.ts";
import { KEPT_BY_SDK } from "../hosts/claude-agent-sdk/turn/compaction.ts";
import { startOfPrompt } from "../machine/checkpoint-list.ts";
import { presentAuthor, progressOf } from "../machine/files/look.ts";
import { recapOf } from "../machine/queries/recap.ts";
import type { Session } from "../machine/session.ts";
import type { SessionView } from "../machine/view.ts";
import type { CompactionTold } from "../ports/agent-events.ts";
import type { Person } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import { lastHost } from "./agent/agent-request.ts";
import { type OpenedModels, openModel, openNamedModel } from "./agent/open-model.ts";
import { type AppContext, heard } from "./context.ts";
import { patiently, withFiles } from "./files/files.ts";
import { filesKnownTo } from "./files/history.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps } from "./sessions/store.ts";

/** Who makes the summary: the Claude Agent SDK where the conversation is its own, because it would not know of ours. */
export async function summarizerOf(view: SessionView): Promise<"claude" | "worldline"> {
  return (await lastHost(view)) === "claude" ? "claude" : "worldline";
}

/** What would be summarized, and what kept. */
export interface CompactionPreview {
  readonly cut: Cut;
  /** How many exchanges are kept. */
  readonly keep: number;
  /** How the prompts begin that are kept. */
  readonly prompts: readonly string[];
}

/** Throws where there is nothing to compact. */
export async function previewCompaction(context: AppContext, view: SessionView): Promise<CompactionPreview> {
  const keep = Math.max(1, (await context.settings()).values["compaction.keep"]);
  const changedFiles = (await recapOf(view)).done.files;
  const decided = await decideCompaction(view, { keep, changedFiles });
  if (decided === undefined) throw new WorldlineError("nothing-to-compact", { kept: keep });
  const pinned = await view.entries(decided.cut.pinned.map(({ seq }) => seq));
  return { cut: decided.cut, keep, prompts: pinned.map(startOfPrompt).filter((text) => text !== "") };
}

export interface CompactionRequest {
  /** What the summary should keep in particular detail; "" for nothing. */
  readonly focus: string;
  /** The model that writes the summary; undefined: as the settings say. */
  readonly model: string | undefined;
  /** Called when a model is asked, with its name, and again as its answer comes. */
  readonly onAsking: (model: string) => void;
}

type Compacted = Extract<CompactionOutcome, { outcome: "done" }>;

/** Throws where no usable summary comes about; then nothing has changed. */
export async function performCompaction(
  context: AppContext,
  view: SessionView,
  request: CompactionRequest & Pick<CompactionPreview, "keep">,
): Promise<Compacted> {
  const deps = await openSessionDeps(context);
  const outcome = await withFiles(context, view.header.workspace, async ({ files }) =>
    withHeld({ context, deps, files, session: view.id, name: "worldline compact" }, (session) =>
      heard(context, async () => {
        const { model } = request;
        const models = model === undefined ? await openModel(context) : await openNamedModel(context, model);
        if (files !== undefined) await captureBefore(context, session, files);
        return compactHeld(context, session, { ...request, models });
      }),
    ),
  );
  if (outcome.outcome === "nothing") throw new WorldlineError("nothing-to-compact", { kept: request.keep });
  if (outcome.outcome === "failed") {
    throw new WorldlineError("compaction-failed", { code: outcome.code, why: outcome.why });
  }
  return outcome;
}

async function compactHeld(
  { surroundings }: AppContext,
  session: Session,
  request: Pick<CompactionRequest, "focus" | "onAsking"> & {
    readonly models: OpenedModels;
    readonly keep: number;
  },
): Promise<CompactionOutcome> {
  const { models, keep, focus, onAsking } = request;
  const { model: main, summariser: model = main } = models;
  return compactSession({
    session,
    model,
    ...(model === main ? {} : { fallback: main }),
    keep,
    reason: "asked",
    ...(focus === "" ? {} : { focus }),
    changedFiles: (await recapOf(session)).done.files,
    signal: surroundings.cancelled,
    onModelEvent: () => onAsking(model.name),
  });
}

/**
 * Makes a checkpoint of the files as they are, where they are not as the timeline knows them. A failed capture is
 * reported and stops nothing: a compaction touches no file.
 */
async function captureBefore(context: AppContext, session: Session, files: WorkspaceFiles): Promise<void> {
  try {
    await patiently(context, async (progress) => {
      const { snapshot } = await files.capture({ look: "everything", ...progressOf(progress) });
      if (snapshot === (await filesKnownTo(session))) return;
      // The files were captured just now: they need not be looked at again.
      await session.checkpoint(undefined, {
        author: await presentAuthor(session, {}),
        look: [],
        ...progress,
      });
    });
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    context.listener.report({ code: "without-files", problem: error });
  }
}

type CompactedByHost = Extract<CompactionTold, { outcome: "done" }>;

/** The summary is made by the Claude Agent SDK; `person` answers what it may ask. */
export async function compactByHost(
  context: AppContext,
  view: SessionView,
  { focus, model, onAsking, person }: CompactionRequest & { readonly person: Person },
): Promise<CompactedByHost> {
  // As the agent decides it, before a process is started for it.
  if ((await cutOf(view, KEPT_BY_SDK)) === undefined)
    throw new WorldlineError("nothing-to-compact", { kept: KEPT_BY_SDK });
  // The agent brings providers and tools along, which no other compaction needs.
  const { openAgent } = await import("./agent/open-agent.ts");
  const opened = await openAgent(
    context,
    {
      ...{ allow: [], deny: [], fork: "no", keepSession: "yes" },
      host: "claude",
      model,
      resume: { how: "resume", wanted: view.id },
    },
    person,
  );
  const { agent } = opened;
  const release = context.surroundings.onInterrupt(() => void agent.interrupt());
  try {
    onAsking(agent.model);
    const outcome = await agent.compact(focus === "" ? undefined : focus);
    if (outcome.outcome === "done") return outcome;
    throw new WorldlineError("compaction-failed", { code: "MODEL_FAILED", why: outcome.why });
  } finally {
    release();
    await opened.close();
  }
}
