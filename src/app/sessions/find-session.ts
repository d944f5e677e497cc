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
 * The session that a command works on: the one that `--session` names, else the one last used in the
 * workspace, which is said. Undefined when nothing was named and there is none.
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

/** As `chooseSession`, for a command that needs one. */
export async function requireSession(context: AppContext, store: LogStore): Promise<SessionView> {
  const view = await chooseSession(context, store);
  if (view === undefined) {
    throw new WorldlineError("no-checkpoints-yet", { workspace: await context.workspace() });
  }
  return view;
}

/** The same, for a command that does more than read it. */
export async function openToAct(context: AppContext, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await openNamed(context, store, wanted);
  requireConfirmed(store, view.header);
  return view;
}

/** The session that a person means by an id, the beginning of one, or a title. */
export async function openNamed(context: AppContext, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await viewSession(store, await resolveSession(store, wanted));
  warnOfUnread(context, view);
  return view;
}

/** What users know the session by. */
export async function namedSession(view: SessionView): Promise<NamedSession> {
  return { id: view.id, title: (await summarise(view)).title, mode: view.header.mode };
}

/** Reports all that cannot be read: what is known now, and what turns out to be damaged while the command works. */
export function warnOfUnread({ listener }: AppContext, view: SessionView): void {
  const { id: session, damage: known, foreign } = view;
  if (known.length > 0) listener.report({ code: "session-damaged", session, count: known.length });
  if (foreign.length > 0) listener.report({ code: "session-foreign", session, count: foreign.length });
  listener.atEnd(() => {
    const damage = damageBeside(view.damage, known);
    if (damage.length > 0) listener.report({ code: "session-damaged-since", session, damage });
  });
}

/** What is not among `known`: the same damage, found twice, is reported once. */
export function damageBeside(found: readonly Damage[], known: readonly Damage[]): Damage[] {
  const places = new Set(known.map(placeOf));
  return found.filter((damage) => !places.has(placeOf(damage)));
}

function placeOf({ what, file, line }: Damage): string {
  return `${what} ${file} ${line}`;
}

/**
 * The sessions of the workspace, last used first. Those that came from elsewhere and are not confirmed are passed over, which is
 * said where one would have been the newest. One that cannot be opened is named and passed over; those of sub-agents
 * belong to the session they worked for, and those of programs to whoever wrote the program: only `--session` names them.
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

/** Whether a command comes upon it without being told its name. */
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

/** For a session that is given as an argument: another way to write `--session`. Both together must mean the same one. */
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
 * The context of the workspace that a session works in. Where that is not the one that the person is in, it is said: all
 * that follows is about those files. A `--workspace` that says otherwise is a contradiction.
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

/** What is said in the session of a program would stand between its steps: only the program goes on with it. */
export function refuseExecution({ session, mode, execution }: EntryOf<"session">): void {
  if (mode !== "execution") return;
  const id = execution?.id ?? session;
  throw new WorldlineError("execution-not-conversation", { id, session });
}
