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

/** What the user is told before they confirm a session: where it came from, what it claims, and where it would work. */
export interface SessionClaims {
  readonly session: SessionId;
  /** "" where it has none. */
  readonly title: string;
  readonly imported: EntryOf<"session">["imported"];
  /** The kind of store that it was found in. */
  readonly store: StoreAddress["kind"];
  /** The folder that it says it worked in; "" where it names none. */
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

/** Whether a session waits for its user to confirm it for the folder that they are in. */
export interface ConfirmationNeed {
  readonly view: SessionView;
  /** The folder that it says it worked in. */
  readonly claimed: string;
  readonly workspace: string;
  /** "own": this home wrote it. "given": it was confirmed for this folder earlier. */
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
 * Has the user confirm a session: `ask` shows them what it claims, and throws where they refuse. Throws before that
 * where the confirmation could not be kept.
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

/** Has this home remember that its user confirmed the session for the folder they are in. */
export async function confirmSession(context: AppContext, store: LogStore, view: SessionView): Promise<void> {
  if (store.confirm === undefined) throw new WorldlineError("confirmation-not-needed", {});
  await store.confirm(view.id, {
    workspace: await context.workspace(),
    system: await promptFor(context, view.header),
  });
}

/** Its own is not used: a new one, as for a new session in this folder. */
async function promptFor(context: AppContext, { mode, backtrack }: EntryOf<"session">): Promise<string> {
  return mode === "agent" ? newSystemPrompt(context, backtrack) : "";
}
