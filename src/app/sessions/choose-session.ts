import { requireConfirmed, viewSession } from "../../machine/open.ts";
import { resolveSession, summarise } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Damage, LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import type { NamedSession } from "../notices.ts";
import { sessionsHere } from "./sessions-here.ts";

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
