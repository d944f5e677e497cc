import { renameSession } from "../../../app/sessions/hold-session.ts";
import { defineCommand, required } from "../../command.ts";

export const rename = defineCommand({
  help: (help) => help.sessionsRename,
  arguments: {
    session: required(),
    title: required(),
  },
  run: async ({ arguments: given, frame }) => {
    const { output, strings } = frame;
    const { session, title, before = null } = await renameSession(frame, given.session, given.title);
    const changed = before !== title;
    output.answer({ session, title, before, changed }, () =>
      changed ? strings.sessions.renamed(session, title) : strings.sessions.alreadyNamed(session, title),
    );
  },
});
