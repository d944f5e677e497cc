import { provideHome } from "../../../app/places/home.ts";
import { confirmSession, sessionClaims } from "../../../app/sessions/confirm-session.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { viewSession } from "../../../machine/open.ts";
import { resolveSession } from "../../../machine/queries/sessions.ts";
import type { SessionId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { claimsText } from "../../../show/session-text.ts";
import { requireConsent } from "../../ask.ts";
import { defineCommand, flag, required } from "../../command.ts";
import type { Frame } from "../../frame.ts";

export const confirm = defineCommand({
  help: (help) => help.sessionsConfirm,
  arguments: { session: required() },
  options: { yes: flag() },
  run: async ({ arguments: { session }, options: { yes }, frame }) => {
    const { output, strings } = frame;
    const store = openStore(frame);
    const view = await viewSession(store, await resolveSession(store, session));
    const { confirmation } = view.header;
    const workspace = await frame.workspace();
    const claimed = confirmation?.stored.workspace ?? view.header.workspace;
    const document = { session: view.id, claimed };
    const isDone =
      confirmation === undefined || (confirmation.state === "given" && view.header.workspace === workspace);
    if (isDone) {
      output.answer({ ...document, workspace: view.header.workspace, changed: false }, () =>
        confirmation === undefined
          ? strings.sessionsHere.unconfirmed.isOwn(view.id)
          : strings.sessionsHere.unconfirmed.already(view.id, view.header.workspace),
      );
      return;
    }
    await confirmNamed(frame, view.id, yes ? "given" : "absent");
    output.answer({ ...document, workspace, changed: true }, () =>
      strings.sessionsHere.unconfirmed.confirmed(view.id, workspace),
    );
  },
});

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
