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

/** What the model sees at some place of a session. */
interface ContextThere {
  readonly session: SessionId;
  /** The checkpoint that was asked for; absent for the head. */
  readonly checkpoint?: number | undefined;
  readonly context: Context;
  readonly size: ContextSize;
}

export interface ContextSize {
  readonly tokens: number;
  /** "counted": a provider's counts are in it. */
  readonly basis: "counted" | "estimated";
  /** How many there is room for; undefined where that is not known. */
  readonly window: number | undefined;
}

/** The context at a checkpoint, named as users name one, or at the head. */
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

/** Estimates are scaled by a provider's count on any branch, so it is part of every number. */
function basisOf(outline: Outline): ContextSize["basis"] {
  const isCounted = outline.linesOf("reply").some((line) => (outline.at(line)?.input ?? 0) > 0);
  return isCounted ? "counted" : "estimated";
}

/** Settings that cannot be read cost the percentage, not the answer: reading a session needs none. */
async function windowOf(context: AppContext, view: SessionView): Promise<number | undefined> {
  try {
    // 0 is the model's own, and no model is asked here; another agent's is in the log.
    const window = (await context.settings()).values["context.window"];
    if (window > 0 || (await lastHost(view)) !== "claude") return window || undefined;
    return (await knownModel(view))?.window;
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    context.listener.report({ code: "window-unknown", problem: problemOf(error) });
    return undefined;
  }
}
