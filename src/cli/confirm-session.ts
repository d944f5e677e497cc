import { provideHome } from "../app/places/home.ts";
import { confirmSession, sessionClaims } from "../app/sessions/confirm-session.ts";
import { openStore } from "../app/sessions/ground.ts";
import { viewSession } from "../machine/open.ts";
import type { SessionId } from "../record/ids.ts";
import { oneLine } from "../record/printable.ts";
import { claimsText } from "../show/claims-text.ts";
import type { Frame } from "./command/frame.ts";
import { requireConsent } from "./confirm.ts";

/** Says what the session is, asks the user unless they have said yes already, and confirms it. */
export async function confirmNamed(
  frame: Frame,
  session: SessionId,
  yes: "given" | "absent" = "absent",
): Promise<void> {
  const store = openStore(frame);
  const view = await viewSession(store, session);
  store.checkKey?.();
  for (const line of claimsText(await sessionClaims(frame, view), frame.strings)) frame.output.notice(line);
  await provideHome(frame.home);
  const { question } = frame.strings.sessionsHere.unconfirmed;
  await requireConsent({ question: question(view.id, oneLine(await frame.workspace())), yes }, frame);
  await confirmSession(frame, store, view);
}
