import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Frame } from "../command/frame.ts";
import { requireConsent } from "../confirm.ts";
import { oneLine } from "../output/printable.ts";
import { provideHome } from "../places/home.ts";
import { openStore } from "../timeline/ground.ts";
import { newSystemPrompt } from "./agent-session.ts";

/** What the user is told before they confirm a session: what it is called, where it came from, what it claims, and where it would work. */
export async function confirmationText(frame: Frame, view: SessionView): Promise<readonly string[]> {
  const { sessionsHere } = frame.strings;
  const { header } = view;
  const claimed = header.confirmation?.stored.workspace ?? "";
  const { imported } = header;
  const title = (await view.title()) ?? "";
  return [
    sessionsHere.unconfirmed.session(view.id, oneLine(title)),
    imported === undefined
      ? sessionsHere.unconfirmed.fromStore(frame.common.store.kind)
      : sessionsHere.unconfirmed.imported(imported.from, oneLine(imported.name)),
    sessionsHere.unconfirmed.claims(oneLine(claimed)),
    sessionsHere.unconfirmed.worksIn(oneLine(await frame.workspace())),
    sessionsHere.unconfirmed.means,
  ];
}

/** Asks the user, unless they have said yes already, and has this home remember that they confirmed it for the folder they are in. */
export async function confirmSession(
  frame: Frame,
  {
    store,
    view,
    yes,
  }: { readonly store: LogStore; readonly view: SessionView; readonly yes: "given" | "absent" },
): Promise<void> {
  const { header } = view;
  if (store.confirm === undefined) throw new WorldlineError("confirmation-not-needed", {});
  const workspace = await frame.workspace();
  const question = frame.strings.sessionsHere.unconfirmed.question(view.id, oneLine(workspace));
  await requireConsent({ question, yes }, frame);
  await store.confirm(view.id, { workspace, system: await promptFor(frame, header) });
}

/** Says what the session is, and asks. */
export async function confirmNamed(
  frame: Frame,
  session: SessionId,
  yes: "given" | "absent" = "absent",
): Promise<void> {
  const store = openStore(frame);
  const view = await viewSession(store, session);
  store.checkKey?.();
  for (const line of await confirmationText(frame, view)) frame.output.notice(line);
  await provideHome(frame.home);
  await confirmSession(frame, { store, view, yes });
}

/** Its own is not used: a new one, as for a new session in this folder. */
async function promptFor(frame: Frame, { mode, backtrack }: EntryOf<"session">): Promise<string> {
  return mode === "agent" ? newSystemPrompt(frame, backtrack) : "";
}
