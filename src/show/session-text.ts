import { visibleId } from "../app/executions/find-execution.ts";
import type { NamedSession } from "../app/notices.ts";
import type { SessionClaims } from "../app/sessions/confirm-session.ts";
import type { SessionRow } from "../app/sessions/session-rows.ts";
import type { Damage } from "../ports/log-store.ts";
import { oneLine, visibleName } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";
import { remarkText } from "../strings/wording.ts";
import { shortened } from "./text-width.ts";

/** `k3f9x2m7q1 "Find the leak"`: the id to copy, and the title by which users know the session. */
export function sessionName({ id, title, mode }: NamedSession, { phrases, sessionsHere }: Strings): string {
  if (title !== "") return `${id} "${visibleName(title)}"`;
  return mode === "workspace" ? phrases.aside(id, sessionsHere.workspacesOwn) : id;
}

/** The facts that the user must know before confirming a session. */
export function claimsText(
  claims: SessionClaims,
  { sessionsHere: { unconfirmed } }: Strings,
): readonly string[] {
  const { session, title, imported, store, claimed, workspace } = claims;
  return [
    unconfirmed.session(session, oneLine(title)),
    imported === undefined
      ? unconfirmed.fromStore(store)
      : unconfirmed.imported(imported.from, oneLine(imported.name)),
    unconfirmed.claims(oneLine(claimed)),
    unconfirmed.worksIn(oneLine(workspace)),
    unconfirmed.means,
  ];
}

/** The place of the damage, and what is wrong there. */
export function damageText({ what, file, line, ...said }: Damage, strings: Strings): string {
  const { damaged } = strings.looking;
  const why = remarkText(strings, said);
  if (line === 0) return damaged.file(file, why);
  return what === "line" ? damaged.line(file, line, why) : damaged.at(file, line, why);
}

/**
 * The name of a session in a list. Never empty: a user who is asked whether to delete a session must see which one it
 * is.
 */
export function sessionTitle(
  { id, title, mode, isNamedAsSource }: Pick<SessionRow, "id" | "title" | "mode" | "isNamedAsSource">,
  { sessionsHere, terminal }: Strings,
): string {
  const name = title || (mode === "workspace" ? sessionsHere.workspacesOwn : id);
  return isNamedAsSource ? terminal.app.forkOf(name) : name;
}

/** The widest id that fits into a row of a list. */
const MAX_ID_COLUMNS = 60;

/** The id of an execution for a list or a sentence. */
export function listedId(id: string, ellipsis = "…"): string {
  return shortened(visibleId(id), MAX_ID_COLUMNS, ellipsis);
}
