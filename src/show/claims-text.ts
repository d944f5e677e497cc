import type { SessionClaims } from "../app/sessions/confirm-session.ts";
import { oneLine } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";

/** What the user is told before they confirm a session. */
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
