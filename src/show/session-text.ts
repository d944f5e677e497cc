import { visibleId } from "../app/executions/find-execution.ts";
import type { NamedSession } from "../app/notices.ts";
import type { SessionClaims } from "../app/sessions/confirm-session.ts";
import type { SessionRow } from "../app/sessions/session-rows.ts";
import type { Damage } from "../ports/log-store.ts";
import { oneLine, visibleName } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";
import { remarkText } from "../strings/wording.ts";
import { shortened } from "./text-width.ts";

/**
 * Returns the name of a session, such as `k3f9x2m7q1 "Find the leak"`: the id to copy, and the title that users know.
 */
export function sessionName({ id, title, mode }: NamedSession, { phrases, sessionsHere }: Strings): string {
  if (title !== "") return `${id} "${visibleName(title)}"`;
  return mode === "workspace" ? phrases.aside(id, sessionsHere.workspacesOwn) : id;
}

/** Returns the facts that the user must know before confirming a session. */
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

/** Describes where the damage is and what is wrong there. */
export function damageText({ what, file, line, ...said }: Damage, strings: Strings): string {
  const { damaged } = strings.looking;
  const why = remarkText(strings, said);
  if (line === 0) return damaged.file(file, why);
  return what === "line" ? damaged.line(file, line, why) : damaged.at(file, line, why);
}

/**
 * Returns the name that a list shows for a session. The name is never empty, because a user who is asked whether to
 * delete a session must see which one it is.
 */
export function sessionTitle(
  { id, title, mode, isNamedAsSource }: Pick<SessionRow, "id" | "title" | "mode" | "isNamedAsSource">,
  { sessionsHere, terminal }: Strings,
): string {
  const name = title || (mode === "workspace" ? sessionsHere.workspacesOwn : id);
  return isNamedAsSource ? terminal.app.forkOf(name) : name;
}

/** Maximum width, in columns, of an id in a list row. */
const MAX_ID_COLUMNS = 60;

/** Returns an execution's id in the form used in a list or a sentence. */
export function listedId(id: string, ellipsis = "…"): string {
  return shortened(visibleId(id), MAX_ID_COLUMNS, ellipsis);
}
