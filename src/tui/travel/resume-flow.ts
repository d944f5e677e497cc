import type { SessionRow } from "../../ports/station/sessions.ts";
import type { Desk } from "../commands/desk.ts";
import { type SessionPicked, sessionPicker } from "../dialogs/choices/session-picker.ts";
import { confirm } from "../dialogs/pieces/confirm.ts";
import { sayingErrors } from "./saying-errors.ts";

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
      if (picked.do === "open") return open(desk, picked.row);
      await sayingErrors(desk, () => toTrash(desk, picked.row));
    }
  });
}

async function open(desk: Desk, { session, title, place }: SessionRow): Promise<void> {
  const words = desk.strings.terminal.dialogs.sessions;
  if (place === "here") return desk.say({ tone: "quiet", line: words.alreadyHere });
  await desk.wait(words.opening(title), () => desk.station.sessions.open(session));
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
