import { resolveSession } from "../../machine/looking/sessions.ts";
import { requireConfirmed, viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Frame } from "../command/frame.ts";
import { damageBeside, damageText } from "../show/damage-text.ts";
import { sessionName } from "../show/session-name.ts";
import { sessionsHere } from "./sessions-here.ts";

/**
 * The session that a command works on: the one that `--session` names, else the one last used in the
 * workspace, which is said. Undefined when nothing was named and there is none.
 */
export async function chooseSession(frame: Frame, store: LogStore): Promise<SessionView | undefined> {
  const { session: wanted } = frame.common;
  if (wanted !== undefined) return openNamed(frame, store, wanted);
  const [latest] = await sessionsHere(frame, store);
  if (latest === undefined) return undefined;
  frame.output.notice(frame.strings.sessionsHere.chosen(await sessionName(latest, frame.strings)));
  warnOfUnread(frame, latest);
  return latest;
}

/** As `chooseSession`, for a command that needs one. */
export async function requireSession(frame: Frame, store: LogStore): Promise<SessionView> {
  const view = await chooseSession(frame, store);
  if (view === undefined) {
    throw new WorldlineError("no-checkpoints-yet", { workspace: await frame.workspace() });
  }
  return view;
}

/** The same, for a command that does more than read it. */
export async function openToAct(frame: Frame, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await openNamed(frame, store, wanted);
  requireConfirmed(store, view.header);
  return view;
}

/** The session that a person means by an id, the beginning of one, or a title. */
export async function openNamed(frame: Frame, store: LogStore, wanted: string): Promise<SessionView> {
  const view = await viewSession(store, await resolveSession(store, wanted));
  warnOfUnread(frame, view);
  return view;
}

/** Nothing that cannot be read is passed over in silence, nor what turns out so while the command works. */
export function warnOfUnread({ output, strings }: Frame, view: SessionView): void {
  const { damage: told, foreign } = view;
  if (told.length > 0) output.warn(strings.sessionsHere.damaged(view.id, told.length));
  if (foreign.length > 0) output.warn(strings.sessionsHere.foreign(view.id, foreign.length));
  output.beforeFinish(() => {
    const found = damageBeside(view.damage, told).map((damage) => damageText(damage, strings));
    if (found.length > 0) output.warn(strings.sessionsHere.damagedSince(view.id, found));
  });
}
