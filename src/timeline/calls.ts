import type { Entry, EntryOf } from "../record/entry.ts";
import { isEntryId, newEntryId, type RandomBytes } from "../record/ids.ts";

/** Calls that wait for their results, in the order they were made. Whoever shows or cuts them must agree on which is which. */
export class OpenCalls<Waiting extends { readonly call: string }> {
  /** One list per reply. */
  #replies: Waiting[][] = [];

  open(calls: readonly Waiting[]): void {
    if (calls.length > 0) this.#replies.push([...calls]);
  }

  /** Takes the first call of that id in the newest reply that has one: providers use ids again. */
  take(call: string): Waiting | undefined {
    const reply = this.#replies.findLast((calls) => calls.some((waiting) => waiting.call === call));
    const index = reply?.findIndex((waiting) => waiting.call === call) ?? -1;
    return reply?.splice(index, 1)[0];
  }

  /** The model is called: what was sent then, calls without a result included, stays as it was sent. */
  seal(): void {
    this.#replies = [];
  }

  get waiting(): readonly Waiting[] {
    return this.#replies.flat();
  }
}

/**
 * Up to which line the results of each reply reach; without end while one of its calls is open. From the start of a
 * command of the person's, up to what the model is told of it. What lies in between belongs together.
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

/** The lines of each command of the person's: its start, and its end or the notice that was written with it. */
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

const TAGGED = /^\s*<tool_use_error>(?:Error: )?(?<said>[\s\S]*?)<\/tool_use_error>\s*$/u;

/** What a result says beyond its outcome, which is shown beside it: agents repeat that for their model. */
export function resultText(outcome: EntryOf<"tool-end">["outcome"], text: string): string {
  return outcome === "error" ? (TAGGED.exec(text)?.groups?.["said"] ?? text) : text;
}
