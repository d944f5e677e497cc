import { requireConfirmed, viewSession } from "../../machine/open.ts";
import { lastUsedFirst, listedWorkspace, resolveSession, summarise } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Damage, LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { type AppContext, contextIn } from "../context.ts";
import type { NamedSession } from "../notices.ts";
import { openStore, sessionHeaders } from "./store.ts";

/**
 * Returns the session that a command works on: the session that `--session` names, otherwise the workspace's most
 * recently used session. If `--session` is absent, reports which session was chosen, or returns undefined if the
 * workspace has no sessions.
 */
export async function chooseSession(context: AppContext, store: LogStore): Promise<SessionView | undefined> {
  const { session: wanted } = context.common;
  if (wanted !== undefined) return openNamed(context, store, wanted);
  const [latest] = await sessionsHere(context, store);
  if (latest === undefined) return undefined;
  context.listener.report({ code: "session-chosen", session: await namedSession(latest) });
  warnOfUnread(context, latest);
  return latest;
}

/** Works like `chooseSession`, but throws if there is no session. */
export async function requireSession(context: AppContext, store: LogStore): Promise<SessionView> {
  const view = await chooseSession(context, store);
  if (view === undefined) {
    throw new WorldlineError("no-checkpoints-yet", { workspace: await context.workspace() });
  }
  return view;
}

/**
 * Works like `openNamed`, for a command that does more than read the session. The session must therefore be confirmed.
 */
export async function openToAct(context: AppContext, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await openNamed(context, store, wanted);
  requireConfirmed(store, view.header);
  return view;
}

/** Opens the session that the user named by its id, a prefix of its id, or its title. */
export async function openNamed(context: AppContext, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await viewSession(store, await resolveSession(store, wanted));
  warnOfUnread(context, view);
  return view;
}

/** Returns the session's id and the title that users see. */
export async function namedSession(view: SessionView): Promise<NamedSession> {
  return { id: view.id, title: (await summarise(view)).title, mode: view.header.mode };
}

/**
 * Reports everything unreadable in the session: the damage that is already known, and damage that is found while the
 * command runs.
 */
export function warnOfUnread({ listener }: AppContext, view: SessionView): void {
  const { id: session, foreign } = view;
  let known = view.damage;
  if (known.length > 0) listener.report({ code: "session-damaged", session, count: known.length });
  if (foreign.length > 0) listener.report({ code: "session-foreign", session, count: foreign.length });
  listener.afterWork(() => {
    const damage = damageBeside(view.damage, known);
    known = view.damage;
    if (damage.length > 0) listener.report({ code: "session-damaged-since", session, damage });
  });
}

/** Returns the damage that `known` does not contain, so that the same damage is not reported twice. */
export function damageBeside(found: readonly Damage[], known: readonly Damage[]): Damage[] {
  const places = new Set(known.map(placeOf));
  return found.filter((damage) => !places.has(placeOf(damage)));
}

function placeOf({ what, file, line }: Damage): string {
  return `${what} ${file} ${line}`;
}

/**
 * Returns the sessions in the workspace, most recently used first. Unconfirmed sessions from elsewhere are skipped,
 * with a notice if one of them would have been first. Unreadable sessions are skipped with a warning. Sub-agents' and
 * programs' sessions are never included, because only `--session` can name them.
 */
export async function sessionsHere(context: AppContext, store: LogStore): Promise<readonly SessionView[]> {
  const { listener } = context;
  const workspace = await context.workspace();
  const { views, unconfirmed } = await sessionsOf(workspace, store, (session, problem) =>
    listener.report({ code: "session-broken", session, problem }),
  );
  const [latest] = views;
  const newer = unconfirmed.filter(({ used }) => latest === undefined || used > latest.used);
  const [first] = newer.sort(lastUsedFirst);
  if (first !== undefined)
    listener.report({ code: "sessions-passed-over", session: first.id, count: newer.length });
  return views;
}

/** Checks whether commands may choose the session if the user does not name one. */
export function isOfPerson({ task, mode }: EntryOf<"session">): boolean {
  return task === undefined && mode !== "execution";
}

interface Found {
  readonly views: readonly SessionView[];
  readonly unconfirmed: SessionView[];
}

async function sessionsOf(
  workspace: string,
  store: LogStore,
  onBroken: (session: SessionId, problem: WorldlineError) => void,
): Promise<Found> {
  const views: SessionView[] = [];
  const unconfirmed: SessionView[] = [];
  for (const { id, header } of await sessionHeaders(store, { workspace })) {
    if (header !== undefined && (listedWorkspace(header) !== workspace || !isOfPerson(header))) continue;
    try {
      const view = await viewSession(store, id);
      if (view.header.workspace === workspace) views.push(view);
      else if (view.header.confirmation?.state === "needed") unconfirmed.push(view);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      onBroken(id, error);
    }
  }
  return { views: views.sort(lastUsedFirst), unconfirmed };
}

/**
 * Returns the context for a session that was given as an argument, which has the same effect as `--session`. If both
 * are given, they must name the same session.
 */
export async function withSession<Context extends AppContext>(
  context: Context,
  store: LogStore,
  session: string | undefined,
): Promise<Context> {
  if (session === undefined) return context;
  const named = await resolveSession(store, session);
  const { session: other } = context.common;
  if (other !== undefined && (await resolveSession(store, other)) !== named) {
    throw new WorldlineError("two-sessions-named", { session, other });
  }
  return { ...context, common: { ...context.common, session: named } };
}

/**
 * Returns the context of a session's workspace. If the session's workspace differs from the user's, a notice is
 * reported, because the command will affect other files. A contradicting `--workspace` is an error.
 */
export async function contextOfSession<Context extends AppContext>(
  context: Context,
  header: Pick<EntryOf<"session">, "session" | "workspace" | "confirmation">,
): Promise<Context> {
  requireConfirmed(openStore(context), header);
  const { session, workspace } = header;
  const here = await context.workspace();
  if (here === workspace) return context;
  if (context.common.workspace !== undefined) {
    throw new WorldlineError("session-of-other-folder", { session, workspace, here });
  }
  context.listener.report({ code: "session-elsewhere", session, workspace });
  return contextIn(context, workspace);
}

/**
 * Throws for a program's session. Only the program may add entries to its session, because a user's entry would come
 * between the program's steps.
 */
export function refuseExecution({ session, mode, execution }: EntryOf<"session">): void {
  if (mode !== "execution") return;
  const id = execution?.id ?? session;
  throw new WorldlineError("execution-not-conversation", { id, session });
}
