import { summarise } from "../../machine/looking/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import { visibleName } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";

/** `k3f9x2m7q1 "Find the leak"`: the id to copy, and what the person knows it by. */
export async function sessionName(view: SessionView, strings: Strings): Promise<string> {
  const { title } = await summarise(view);
  if (title !== "") return `${view.id} "${visibleName(title)}"`;
  const { phrases, sessionsHere } = strings;
  return view.header.mode === "workspace" ? phrases.aside(view.id, sessionsHere.workspacesOwn) : view.id;
}
