import { openNamed, withSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import { checkTitle } from "../../../machine/names.ts";
import { defineCommand, required } from "../../command.ts";

export const rename = defineCommand({
  help: (help) => help.sessionsRename,
  arguments: {
    session: required(),
    title: required(),
  },
  run: async ({ arguments: { session, title }, frame }) => {
    const { output, strings } = frame;
    const wanted = checkTitle(title);
    const deps = await openSessionDeps(frame);
    await withSession(frame, deps.store, session);
    const view = await openNamed(frame, deps.store, session);
    const before = (await view.title()) ?? null;
    const document = { session: view.id, title: wanted, before };
    if (before === wanted) {
      output.answer({ ...document, changed: false }, () => strings.sessions.alreadyNamed(view.id, wanted));
      return;
    }
    await withHeld({ context: frame, deps, session: view.id, name: "worldline sessions rename" }, (held) =>
      held.retitle(wanted),
    );
    output.answer({ ...document, changed: true }, () => strings.sessions.renamed(view.id, wanted));
  },
});
