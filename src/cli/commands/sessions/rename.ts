import { openNamed, withSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import { checkTitle } from "../../../machine/names.ts";
import { defineCommand, required } from "../../command.ts";

export const rename = defineCommand({
  description: "Gives a session a title. Earlier titles stay in its log; the last one counts.",
  arguments: {
    session: required("the session: its id, the beginning of it, or its title"),
    title: required("its new title"),
  },
  examples: [
    {
      command: 'worldline sessions rename k3f9 "The leak in the pool"',
      meaning: "from now on it is called that",
    },
    {
      command: 'worldline sessions rename "find the leak" "The leak"',
      meaning: "found by what it was called",
    },
  ],
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
