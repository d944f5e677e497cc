import { viewSession } from "../../machine/open.ts";
import { resolveSession } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { provideHome } from "../places/home.ts";
import { newSystemPrompt } from "./agent-session.ts";
import { openStore } from "./store.ts";

/**
 * The facts that the user reads before confirming a session: where it came from, what it claims, and where it would
 * work.
 */
export interface SessionClaims {
  readonly session: SessionId;
  /** "" if the session has no title. */
  readonly title: string;
  readonly imported: EntryOf<"session">["imported"];
  /** The kind of store that contains the session. */
  readonly store: StoreAddress["kind"];
  /** The folder that the session claims to have worked in; "" if it does not name one. */
  readonly claimed: string;
  readonly workspace: string;
}

export async function sessionClaims(context: AppContext, view: SessionView): Promise<SessionClaims> {
  const { header } = view;
  return {
    session: view.id,
    title: (await view.title()) ?? "",
    imported: header.imported,
    store: context.common.store.kind,
    claimed: header.confirmation?.stored.workspace ?? "",
    workspace: await context.workspace(),
  };
}

/** Whether the user must confirm a session before it can work in the current folder. */
export interface ConfirmationNeed {
  readonly view: SessionView;
  /** The folder that the session claims to have worked in. */
  readonly claimed: string;
  readonly workspace: string;
  /** "own": this home wrote the session. "given": it was confirmed for this folder earlier. */
  readonly state: "own" | "given" | "needed";
}

export async function confirmationNeed(context: AppContext, wanted: string): Promise<ConfirmationNeed> {
  const store = openStore(context);
  const view = await viewSession(store, await resolveSession(store, wanted));
  const { confirmation, workspace: own } = view.header;
  const workspace = await context.workspace();
  const isGiven = confirmation?.state === "given" && own === workspace;
  const state = confirmation === undefined ? "own" : isGiven ? "given" : "needed";
  return { view, claimed: confirmation?.stored.workspace ?? own, workspace, state };
}

/**
 * Lets the user confirm a session. `ask` shows what the session claims, and throws if the user refuses. If the
 * confirmation could not be stored, throws before asking.
 */
export async function confirmByUser(
  context: AppContext,
  session: SessionId,
  ask: (claims: SessionClaims) => Promise<void>,
): Promise<void> {
  const store = openStore(context);
  const view = await viewSession(store, session);
  store.checkKey?.();
  await provideHome(context.home);
  await ask(await sessionClaims(context, view));
  await confirmSession(context, store, view);
}

/** Records in this home that its user has confirmed the session for the current folder. */
export async function confirmSession(context: AppContext, store: LogStore, view: SessionView): Promise<void> {
  if (store.confirm === undefined) throw new WorldlineError("confirmation-not-needed", {});
  await store.confirm(view.id, {
    workspace: await context.workspace(),
    system: await promptFor(context, view.header),
  });
}

/**
 * Returns a new system prompt, as for a new session in this folder, because the session's own system prompt is not
 * trusted.
 */
async function promptFor(context: AppContext, { mode, backtrack }: EntryOf<"session">): Promise<string> {
  return mode === "agent" ? newSystemPrompt(context, backtrack) : "";
}
