import type { Entry, EntryOf } from "../record/entry.ts";
import { isEntryId, newEntryId, type RandomBytes } from "../record/ids.ts";

/**
 * Calls without results yet, in the order in which they were made. All code that shows or cuts calls must use this class, so
 * that it matches calls and results in the same way.
 */
export class OpenCalls<Waiting extends { readonly call: string }> {
  /** One list for each reply. */
  #replies: Waiting[][] = [];

  open(calls: readonly Waiting[]): void {
    if (calls.length > 0) this.#replies.push([...calls]);
  }

  /** Takes the first call with that id from the newest reply that has one, because providers reuse ids. */
  take(call: string): Waiting | undefined {
    const reply = this.#replies.findLast((calls) => calls.some((waiting) => waiting.call === call));
    const index = reply?.findIndex((waiting) => waiting.call === call) ?? -1;
    return reply?.splice(index, 1)[0];
  }

  /** Forgets the open calls when the model is called: what was sent then, including calls without a result, must stay as it was sent. */
  seal(): void {
    this.#replies = [];
  }

  get waiting(): readonly Waiting[] {
    return this.#replies.flat();
  }
}

/**
 * For the line of each reply, the last line of its results; infinite while one of its calls is open. For the start of each
 * command of the user's, the last line of what the model is shown of it. The lines in between belong together.
 */
export function reachesOf(entries: readonly Entry[]): ReadonlyMap<number, number> {
  const calls = new OpenCalls<{ readonly call: string; readonly reply: number }>();
  const reaches = new Map<number, number>();
  for (const entry of entries) {
    if (entry.kind === "step") calls.seal();
    if (entry.kind === "reply") {
      const made = entry.parts.flatMap((part) => (part.type === "tool-call" ? part.call : []));
      calls.open(made.map((call) => ({ call, reply: entry.seq })));
    }
    const reply = entry.kind === "tool-end" ? calls.take(entry.call)?.reply : undefined;
    if (reply !== undefined) reaches.set(reply, entry.seq);
  }
  for (const { reply } of calls.waiting) reaches.set(reply, Number.POSITIVE_INFINITY);
  for (const [start, end] of personCommands(entries)) reaches.set(start, end);
  return reaches;
}

/** The first and last line of each command that the user ran. The last is its end, or the notice that was written with it. */
function personCommands(entries: readonly Entry[]): (readonly [start: number, end: number])[] {
  const starts = new Map(
    entries.flatMap((entry) =>
      entry.kind === "tool-start" && isPersonCall(entry.call) ? [[entry.call, entry.seq]] : [],
    ),
  );
  return entries.flatMap((entry, index) => {
    const start = entry.kind === "tool-end" ? starts.get(entry.call) : undefined;
    const next = entries[index + 1];
    return start === undefined ? [] : [[start, next?.kind === "notice" ? next.seq : entry.seq]];
  });
}

/** The name of the user's shell commands in the log, where tools are identified by name. */
export const SHELL_TOOL = "Shell";

/** The name of `/load-context` in the log. */
export const LOAD_TOOL = "LoadContext";

const PREFIX = "shell-";

/** A new id for a call that no reply asked for. Random, so that a fork's copied lines and its later ones never share an id. */
export function newPersonCall(random: RandomBytes): string {
  return `${PREFIX}${newEntryId(random)}`;
}

/** Whether the user ran the call. A result names only its call, so the id itself must show it. */
export function isPersonCall(call: string): boolean {
  return call.startsWith(PREFIX) && isEntryId(call.slice(PREFIX.length));
}

/** The command as the user typed it, such as `! npm test` or `/load-context notes.md`. `about` is the essential part of its input. */
export function typedFor(tool: string, about: string): string {
  return tool === LOAD_TOOL ? `/load-context ${about}` : `! ${about}`;
}

const TAGGED = /^\s*<tool_use_error>(?:Error: )?(?<said>[\s\S]*?)<\/tool_use_error>\s*$/u;

/** The text of a result without the error tag that agents wrap around it for their model: the outcome is shown next to it anyway. */
export function resultText(outcome: EntryOf<"tool-end">["outcome"], text: string): string {
  return outcome === "error" ? (TAGGED.exec(text)?.groups?.["said"] ?? text) : text;
}
