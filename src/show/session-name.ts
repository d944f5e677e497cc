import type { NamedSession } from "../app/notices.ts";
import { visibleName } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";

/** `k3f9x2m7q1 "Find the leak"`: the id to copy, and what users know it by. */
export function sessionName({ id, title, mode }: NamedSession, { phrases, sessionsHere }: Strings): string {
  if (title !== "") return `${id} "${visibleName(title)}"`;
  return mode === "workspace" ? phrases.aside(id, sessionsHere.workspacesOwn) : id;
}
