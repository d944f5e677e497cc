import { confirmationNeed, confirmByUser } from "../../../app/sessions/confirm-session.ts";
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
    const { view, claimed, workspace, state } = await confirmationNeed(frame, session);
    const document = { session: view.id, claimed };
    const { unconfirmed } = strings.sessionsHere;
    if (state !== "needed") {
      output.answer({ ...document, workspace: view.header.workspace, changed: false }, () =>
        state === "own" ? unconfirmed.isOwn(view.id) : unconfirmed.already(view.id, view.header.workspace),
      );
      return;
    }
    await confirmNamed(frame, view.id, yes ? "given" : "absent");
    output.answer({ ...document, workspace, changed: true }, () => unconfirmed.confirmed(view.id, workspace));
  },
});

/** Shows what the session claims, asks the user unless --yes was given, and confirms the session. */
export async function confirmNamed(
  frame: Frame,
  session: SessionId,
  yes: "given" | "absent" = "absent",
): Promise<void> {
  const { output, strings } = frame;
  await confirmByUser(frame, session, async (claims) => {
    for (const line of claimsText(claims, strings)) output.notice(line);
    const { question } = strings.sessionsHere.unconfirmed;
    await requireConsent({ question: question(session, oneLine(claims.workspace)), yes }, frame);
  });
}
