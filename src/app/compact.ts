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
import type { Person } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { Usage } from "../record/parts.ts";
import { lastHost } from "./agent/agent-request.ts";
import { type OpenedModels, openModel, openNamedModel } from "./agent/open-model.ts";
import { type AppContext, heard } from "./context.ts";
import { patiently, withFiles } from "./files/files.ts";
import { filesKnownTo } from "./files/history.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openSessionDeps } from "./sessions/store.ts";

/** A preview of what a compaction would summarize and what it would keep. */
export interface CompactionPreview {
  readonly cut: Cut;
  /** Number of exchanges that are kept. */
  readonly keep: number;
  /** The beginnings of the prompts that are kept. */
  readonly prompts: readonly string[];
}

/**
 * Previews a compaction. Throws if there is nothing to compact, or if the Claude Agent SDK decides what is compacted.
 */
export async function previewCompaction(context: AppContext, view: SessionView): Promise<CompactionPreview> {
  if (await isSummarizedByClaude(view)) throw new WorldlineError("compaction-not-foreseen", {});
  const { cut, keep } = await requireCut(context, view);
  const pinned = await view.entries(cut.pinned.map(({ seq }) => seq));
  return { cut, keep, prompts: pinned.map(startOfPrompt).filter((text) => text !== "") };
}

/**
 * Checks whether the Claude Agent SDK makes the summary. The SDK keeps its own conversation, which would not contain
 * our summary.
 */
async function isSummarizedByClaude(view: SessionView): Promise<boolean> {
  return (await lastHost(view)) === "claude";
}

async function requireCut(
  context: AppContext,
  view: SessionView,
): Promise<Pick<CompactionPreview, "cut" | "keep">> {
  const keep = Math.max(1, (await context.settings()).values["compaction.keep"]);
  const changedFiles = (await recapOf(view)).done.files;
  const decided = await decideCompaction(view, { keep, changedFiles });
  if (decided === undefined) throw new WorldlineError("nothing-to-compact", { kept: keep });
  return { cut: decided.cut, keep };
}

export interface CompactionRequest {
  /** A topic that the summary should describe in particular detail; "" for none. */
  readonly focus: string;
  /** The model that writes the summary; undefined to use the model in the settings. */
  readonly model: string | undefined;
  /** Answers questions that the Claude Agent SDK asks. */
  readonly person: Person;
}

export interface Compacted {
  /** Tokens in the context before the compaction. */
  readonly before: number;
  readonly after: number;
  readonly model: string;
  /** The tokens used for the summary; absent if the Claude Agent SDK made it. */
  readonly usage?: Usage;
}

/**
 * Compacts the conversation. Throws, without changing anything, if there is nothing to compact or if no usable summary
 * was written.
 */
export async function compactConversation(
  context: AppContext,
  view: SessionView,
  request: CompactionRequest,
): Promise<Compacted> {
  if (await isSummarizedByClaude(view)) return compactByClaude(context, view, request);
  const { keep } = await requireCut(context, view);
  const deps = await openSessionDeps(context);
  const outcome = await withFiles(context, view.header.workspace, async ({ files }) =>
    withHeld({ context, deps, files, session: view.id, name: "worldline compact" }, (session) =>
      heard(context, async () => {
        const { model } = request;
        const models = model === undefined ? await openModel(context) : await openNamedModel(context, model);
        if (files !== undefined) await captureBefore(context, session, files);
        return compactHeld(context, session, { ...request, models, keep });
      }),
    ),
  );
  switch (outcome.outcome) {
    case "done":
      return outcome;
    case "nothing":
      throw new WorldlineError("nothing-to-compact", { kept: keep });
    case "failed":
      throw new WorldlineError("compaction-failed", { code: outcome.code, why: outcome.why });
    default:
      return outcome satisfies never;
  }
}

async function compactHeld(
  { listener, surroundings }: AppContext,
  session: Session,
  request: Pick<CompactionRequest, "focus"> & { readonly models: OpenedModels; readonly keep: number },
): Promise<CompactionOutcome> {
  const { models, keep, focus } = request;
  const { model: main, summariser: model = main } = models;
  try {
    return await compactSession({
      session,
      model,
      ...(model === main ? {} : { fallback: main }),
      keep,
      reason: "asked",
      ...(focus === "" ? {} : { focus }),
      changedFiles: (await recapOf(session)).done.files,
      signal: surroundings.cancelled,
      onModelEvent: () => listener.progress({ doing: "summarize", model: model.name }),
    });
  } finally {
    listener.progress("done");
  }
}

/**
 * Makes a checkpoint of the files if they differ from the last state on the timeline. If the capture fails, the failure
 * is reported and the compaction continues, because a compaction does not change files.
 */
async function captureBefore(context: AppContext, session: Session, files: WorkspaceFiles): Promise<void> {
  try {
    await patiently(context, async (progress) => {
      const { snapshot } = await files.capture({ look: "everything", ...progressOf(progress) });
      if (snapshot === (await filesKnownTo(session))) return;
      // The files have just been captured, so the checkpoint does not examine them again.
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

async function compactByClaude(
  context: AppContext,
  view: SessionView,
  { focus, model, person }: CompactionRequest,
): Promise<Compacted> {
  const { listener, surroundings } = context;
  // The agent would perform the same check, but not until its process has started.
  if ((await cutOf(view, KEPT_BY_SDK)) === undefined)
    throw new WorldlineError("nothing-to-compact", { kept: KEPT_BY_SDK });
  // Imported lazily because the agent loads all providers and tools, which no other compaction needs.
  const { startAgent } = await import("./agent/start-agent.ts");
  const { agent, close } = await startAgent(context, {
    request: {
      ...{ allow: [], deny: [], fork: "no", keepSession: "yes" },
      host: "claude",
      model,
      resume: { how: "resume", wanted: view.id },
    },
    person,
  });
  const release = surroundings.onInterrupt(() => void agent.interrupt());
  try {
    listener.progress({ doing: "summarize", model: agent.model });
    const outcome = await agent.compact(focus === "" ? undefined : focus);
    if (outcome.outcome === "done") return outcome;
    throw new WorldlineError("compaction-failed", { code: "MODEL_FAILED", why: outcome.why });
  } finally {
    listener.progress("done");
    release();
    await close();
  }
}
