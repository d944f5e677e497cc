import type { SessionRow } from "../../app/current/sessions.ts";
import { claimsText, sessionTitle } from "../../show/session-text.ts";
import { confirm } from "../dialogs/dialog.ts";
import { type SessionPicked, sessionPicker } from "../dialogs/session-picker.ts";
import { cut } from "../look/text.ts";
import { type Desk, sayingErrors } from "./command-context.ts";

/** The question after the title must be seen, whoever wrote the title. */
const MOST_TITLE = 32;

/** `/resume`: choose a session and go there. Deleting one leads back to the list. */
export async function resumeFlow(desk: Desk, first: SessionPicked["of"] = "workspace"): Promise<void> {
  const { sessions } = desk.station;
  let of = first;
  await sayingErrors(desk, async () => {
    for (;;) {
      const picked: SessionPicked | undefined = await desk.ask(
        sessionPicker(desk.strings, {
          list: (request) => sessions.list(request),
          unreadable: () => sessions.unreadable(),
          of,
        }),
      );
      if (picked === undefined) return;
      of = picked.of;
      if (picked.do === "open") return void (await openRow(desk, picked.row));
      await sayingErrors(desk, () => toTrash(desk, picked.row));
    }
  });
}

/** Goes there; one that came from elsewhere only after the user has confirmed it. */
export async function openRow(
  desk: Desk,
  { place, unconfirmed, ...row }: SessionRow,
): Promise<"opened" | "stayed"> {
  const words = desk.strings.terminal.dialogs.sessions;
  const { sessions } = desk.station;
  const { session } = row;
  const title = sessionTitle(row, desk.strings);
  if (place === "here") {
    desk.say({ tone: "quiet", line: words.alreadyHere });
    return "stayed";
  }
  if (unconfirmed !== undefined) {
    const answer = await desk.ask(
      confirm(desk.strings, {
        question: words.confirmQuestion(cut(title, MOST_TITLE)),
        about: [...claimsText(await sessions.claims(session), desk.strings)],
        yes: words.confirmYes,
        no: words.confirmNo,
      }),
    );
    if (answer !== "yes") return "stayed";
    await sessions.confirm(session);
  }
  await desk.wait(words.opening(title), () => sessions.open(session));
  return "opened";
}

async function toTrash(desk: Desk, { session, title }: SessionRow): Promise<void> {
  const words = desk.strings.terminal.dialogs.sessions;
  const answer = await desk.ask(
    confirm(desk.strings, {
      question: words.deleteQuestion(title),
      about: [words.deleteAbout],
      yes: words.deleteYes,
      no: words.deleteNo,
    }),
  );
  if (answer !== "yes") return;
  await desk.station.sessions.delete(session);
  desk.say({ tone: "good", line: words.deleted(title, session) });
}
