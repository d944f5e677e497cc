import type { ListedSession } from "../../app/current/sessions.ts";
import { claimsText, sessionTitle } from "../../show/session-text.ts";
import { confirm } from "../dialogs/dialog.ts";
import { type SessionPicked, sessionPicker } from "../dialogs/session-picker.ts";
import { cut } from "../look/text.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";

/**
 * Maximum length of a title in a question. The question after the title must stay visible, even if the title is
 * hostile.
 */
const MAX_TITLE = 32;

/** Runs `/resume`. The user chooses a session to open. After a session is deleted, the list is shown again. */
export async function resumeFlow(
  context: CommandContext,
  first: SessionPicked["of"] = "workspace",
): Promise<void> {
  const { sessions } = context.app;
  let of = first;
  await withErrorsShown(context, async () => {
    for (;;) {
      const picked: SessionPicked | undefined = await context.ask(
        sessionPicker(context.strings, {
          list: (request) => sessions.list(request),
          unreadable: () => sessions.unreadable(),
          of,
        }),
      );
      if (picked === undefined) return;
      of = picked.of;
      if (picked.do === "open") return void (await openSession(context, picked.row));
      await withErrorsShown(context, () => moveToTrash(context, picked.row));
    }
  });
}

/** Opens the session. A session that this home did not write is opened only after the user has confirmed it. */
export async function openSession(context: CommandContext, row: ListedSession): Promise<"opened" | "stayed"> {
  const words = context.strings.terminal.dialogs.sessions;
  const { sessions } = context.app;
  const { id: session, place, unconfirmed } = row;
  const title = sessionTitle(row, context.strings);
  if (place === "here") {
    context.say({ tone: "quiet", line: words.alreadyHere });
    return "stayed";
  }
  if (unconfirmed !== undefined) {
    const answer = await context.ask(
      confirm(context.strings, {
        question: words.confirmQuestion(cut(title, MAX_TITLE)),
        about: [...claimsText(await sessions.claims(session), context.strings)],
        yes: words.confirmYes,
        no: words.confirmNo,
      }),
    );
    if (answer !== "yes") return "stayed";
    await sessions.confirm(session);
  }
  await context.wait(words.opening(title), () => sessions.open(session));
  return "opened";
}

async function moveToTrash(context: CommandContext, row: ListedSession): Promise<void> {
  const { id: session } = row;
  const title = sessionTitle(row, context.strings);
  const words = context.strings.terminal.dialogs.sessions;
  const answer = await context.ask(
    confirm(context.strings, {
      question: words.deleteQuestion(title),
      about: [words.deleteAbout],
      yes: words.deleteYes,
      no: words.deleteNo,
    }),
  );
  if (answer !== "yes") return;
  await context.app.sessions.delete(session);
  context.say({ tone: "good", line: words.deleted(title, session) });
}
