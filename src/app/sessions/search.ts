import { viewSession } from "../../machine/open.ts";
import { type Found, searchSession } from "../../machine/queries/search.ts";
import type { BrokenSession } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { openNamed, warnOfUnread } from "./find-session.ts";
import { type Reach, type SessionRow, viewsOf, workspaceWanted } from "./session-rows.ts";
import { openStore } from "./store.ts";

interface SearchOptions {
  readonly text: string;
  /** The sessions to search if the user names none. */
  readonly reach: Reach;
  /** Called before each session is searched, with its position and the number of sessions. */
  readonly onSession: (at: number, all: number) => void;
}

/** A match, and the session that contains it. */
interface Hit {
  readonly hit: Found;
  readonly view: SessionView;
}

interface Search {
  /** Sessions that cannot be searched. */
  readonly broken: readonly BrokenSession[];
  /** The matches. The search runs while the caller iterates, so a caller that has enough matches can stop it. */
  readonly hits: AsyncIterable<Hit>;
}

/** Searches all text of the session that the user named, or of all sessions in `reach`. */
export async function searchSessions(
  context: AppContext,
  { text, reach, onSession }: SearchOptions,
): Promise<Search> {
  if (text.trim() === "") throw new WorldlineError("nothing-to-look-for", {});
  const store = openStore(context);
  const { session } = context.common;
  if (session !== undefined) {
    const views = [await openNamed(context, store, session)];
    return { broken: [], hits: hitsIn(views, text, onSession) };
  }
  const { views, broken } = await viewsOf(store, await workspaceWanted(context, reach));
  for (const view of views) warnOfUnread(context, view);
  return { broken, hits: hitsIn(views, text, onSession) };
}

/**
 * Checks whether the session's title or any other text in the session contains `text`. An empty string is found in
 * every session.
 */
export async function isFound(
  store: LogStore,
  { id, title }: Pick<SessionRow, "id" | "title">,
  text: string,
): Promise<boolean> {
  const wanted = text.trim();
  if (title.toLowerCase().includes(wanted.toLowerCase())) return true;
  for await (const { kind } of searchSession(await viewSession(store, id), wanted)) {
    // The first entry contains text that is the same in every session, so it is not searched.
    if (kind !== "session") return true;
  }
  return false;
}

async function* hitsIn(
  views: readonly SessionView[],
  text: string,
  onSession: SearchOptions["onSession"],
): AsyncGenerator<Hit> {
  for (const [index, view] of views.entries()) {
    onSession(index + 1, views.length);
    for await (const hit of searchSession(view, text)) yield { hit, view };
  }
}
