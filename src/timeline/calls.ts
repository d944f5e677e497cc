import type { Entry, EntryOf } from "../record/entry.ts";
import { isEntryId, newEntryId, type RandomBytes } from "../record/ids.ts";

/**
 * The calls that have no result yet, in the order in which they were made. All code that shows or omits calls must use
 * this class, so that calls and results are matched in the same way everywhere.
 */
export class OpenCalls<Waiting extends { readonly call: string }> {
  /** The open calls, in one list for each reply. */
  #replies: Waiting[][] = [];

  open(calls: readonly Waiting[]): void {
    this.#replies.push([...calls]);
  }

  /**
   * Removes and returns the first call with this id from the newest reply that contains such a call. Providers reuse
   * ids, so an older reply may contain the same id.
   */
  take(call: string): Waiting | undefined {
    const isWanted = (waiting: Waiting): boolean => waiting.call === call;
    const reply = this.#replies.findLast((calls) => calls.some(isWanted));
    return reply?.splice(reply.findIndex(isWanted), 1)[0];
  }

  /**
   * Drops the open calls. Called before each model call, because the context must stay exactly as it was sent,
   * including calls without a result.
   */
  seal(): void {
    this.#replies = [];
  }

  get waiting(): readonly Waiting[] {
    return this.#replies.flat();
  }
}

/**
 * Finds the lines that must stay together. Maps the line of each reply to the last line of its results, or to infinity
 * if one of its calls is still open. Maps the first line of each user command to the last of its lines that is shown to
 * the model.
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

/**
 * The first and last line of each command that the user ran. The last line is the command's end, or the notice that was
 * written with it.
 */
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

/**
 * Returns a new id for a call made by the user. The id is random, so that the lines that a fork copied and the lines
 * added to it later never share an id.
 */
export function newPersonCall(random: RandomBytes): string {
  return `${PREFIX}${newEntryId(random)}`;
}

/**
 * Checks whether the user made the call. Only the id shows who made a call, because a result contains no other
 * information about its call.
 */
export function isPersonCall(call: string): boolean {
  return call.startsWith(PREFIX) && isEntryId(call.slice(PREFIX.length));
}

/**
 * The command as the user typed it, such as `! npm test` or `/load-context notes.md`. `about` is the command's subject.
 */
export function typedFor(tool: string, about: string): string {
  return tool === LOAD_TOOL ? `/load-context ${about}` : `! ${about}`;
}

const TAGGED = /^\s*<tool_use_error>(?:Error: )?(?<said>[\s\S]*?)<\/tool_use_error>\s*$/u;

/**
 * A result's text, without the error tag that agents add for their model. Every view shows the outcome next to the
 * text, so the tag is not needed.
 */
export function resultText(outcome: EntryOf<"tool-end">["outcome"], text: string): string {
  return outcome === "error" ? (TAGGED.exec(text)?.groups?.["said"] ?? text) : text;
}

/** How a command's shell ended. */
export type ShellEnd =
  | { readonly ended: "exited"; readonly code: number }
  | { readonly ended: "signalled"; readonly signal: string }
  | { readonly ended: "not-started"; readonly why: string };

/** The last line of a command's result, which states how the command ended; undefined if the command ended normally. */
export function shellEndText(end: ShellEnd): string | undefined {
  switch (end.ended) {
    case "exited":
      return end.code === 0 ? undefined : `[Exit code ${end.code}]`;
    case "signalled":
      return `[Ended by ${end.signal}]`;
    case "not-started":
      return `[Could not be started: ${end.why}]`;
    default:
      return end satisfies never;
  }
}

const SHELL_END = /(?:^|\n)\[(?:Exit code (?<code>\d+)|Ended by (?<signal>\w+))\]$/u;

/**
 * Reads how a command ended from the last line of an error result. Used by our own models, which have only the context.
 * Returns undefined if the command did not end on its own.
 */
export function readShellEnd(text: string): Exclude<ShellEnd, { ended: "not-started" }> | undefined {
  const { code, signal } = SHELL_END.exec(text)?.groups ?? {};
  if (code !== undefined) return { ended: "exited", code: Number(code) };
  return signal === undefined ? undefined : { ended: "signalled", signal };
}
