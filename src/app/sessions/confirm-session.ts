import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { StoreAddress } from "../../ports/store-address.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { newSystemPrompt } from "./agent-session.ts";

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
