import { isEntryId, newEntryId, type RandomBytes } from "../record/ids.ts";

/** What a command of the person's is called on the log, as tools are called by their names. */
export const SHELL_TOOL = "Shell";

/** What `/load-context` is called there. */
export const LOAD_TOOL = "LoadContext";

const PREFIX = "shell-";

/** The id of a call that no reply asked for. Random, so that a fork's lines and later ones never share one. */
export function newPersonCall(random: RandomBytes): string {
  return `${PREFIX}${newEntryId(random)}`;
}

/** Whether the person ran it. A result names only its call, so the id itself must tell. */
export function isPersonCall(call: string): boolean {
  return call.startsWith(PREFIX) && isEntryId(call.slice(PREFIX.length));
}

/** What the user typed for it, of whose input `about` is the essence: `! npm test`, or `/load-context notes.md`. */
export function typedFor(tool: string, about: string): string {
  return tool === LOAD_TOOL ? `/load-context ${about}` : `! ${about}`;
}
