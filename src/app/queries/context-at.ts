import { knownModel } from "../../hosts/claude-agent-sdk/models.ts";
import type { SessionView } from "../../machine/view.ts";
import { isWorldlineError, problemOf } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Context } from "../../timeline/context/context.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { contextTokens } from "../../timeline/token-count.ts";
import { lastHost } from "../agent/agent-request.ts";
import { findCheckpoint } from "../checkpoints/find-checkpoint.ts";
import type { AppContext } from "../context.ts";
import { requireSession } from "../sessions/find-session.ts";
import { openStore } from "../sessions/store.ts";

/** The context that the model receives at a place in a session. */
interface ContextThere {
  readonly session: SessionId;
  /** The requested checkpoint; absent for the head. */
  readonly checkpoint?: number | undefined;
  readonly context: Context;
  readonly size: ContextSize;
}

export interface ContextSize {
  readonly tokens: number;
  /** "counted": the number is scaled by token counts that a provider reported. */
  readonly basis: "counted" | "estimated";
  /** Size of the model's window, in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
}

/** Returns the context at the checkpoint that the user names; by default, at the head. */
export async function contextAt(context: AppContext, at: string | undefined): Promise<ContextThere> {
  const { view, row } = await placeOf(context, at);
  const checkpoint = at === undefined ? undefined : row?.number;
  const there = await view.context(checkpoint);
  const tokens = contextTokens(view.outline, row);
  const window = await windowOf(context, view);
  return {
    session: view.id,
    checkpoint,
    context: there,
    size: { tokens, basis: basisOf(view.outline), window },
  };
}

async function placeOf(
  context: AppContext,
  at: string | undefined,
): Promise<{ readonly view: SessionView; readonly row: Row | undefined }> {
  const store = openStore(context);
  if (at !== undefined) return findCheckpoint(context, store, at);
  const view = await requireSession(context, store);
  return { view, row: view.outline.head };
}

/** Returns "counted" if any branch has a reported count, because one count scales the estimates on all branches. */
function basisOf(outline: Outline): ContextSize["basis"] {
  const isCounted = outline.linesOf("reply").some((line) => (outline.at(line)?.input ?? 0) > 0);
  return isCounted ? "counted" : "estimated";
}

/**
 * Returns the size of the model's window. If the settings cannot be read, returns undefined, because a session can be
 * read without settings.
 */
async function windowOf(context: AppContext, view: SessionView): Promise<number | undefined> {
  try {
    // 0 stands for the model's own window, which is unknown here because no model is opened. For the Claude Agent SDK,
    // the log contains the size of the window.
    const window = (await context.settings()).values["context.window"];
    if (window > 0 || (await lastHost(view)) !== "claude") return window || undefined;
    return (await knownModel(view))?.window;
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    context.listener.report({ code: "window-unknown", problem: problemOf(error) });
    return undefined;
  }
}
