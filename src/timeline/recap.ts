import type { Entry, EntryOf } from "../record/entry.ts";
import type { TodoItem, ToolCallPart } from "../record/parts.ts";
import { isJsonObject, type Json } from "../record/parts.ts";
import { isPersonCall, OpenCalls, typedFor } from "./calls.ts";
import { aboutCall, type TurnState } from "./turn-state.ts";

/** A summary of a session's state, derived from its todos and its log without asking a model. */
export interface Recap {
  /** The session's title or, if it has none, the beginning of its first prompt; empty if there is no prompt either. */
  readonly title: string;
  /** The user's last prompt. */
  readonly prompt?: string;
  readonly done: Done;
  readonly open: Open;
  readonly next: Next;
  /** The previous holder. Present only if the session was or will be taken over from a program on another machine. */
  readonly leftBy?: LeftBy;
  /**
   * Files captured by other machines. Present only if several machines share the log and another machine captured
   * files.
   */
  readonly elsewhere?: readonly FilesElsewhere[];
}

/** A program on another machine that held the session and did not release it. */
interface LeftBy {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
}

/** Checkpoints whose files are stored only on another machine. */
export interface FilesElsewhere {
  readonly machine: string;
  readonly checkpoints: readonly number[];
}

export interface Open {
  readonly todos: readonly TodoItem[];
  readonly turn: TurnState;
  /** The user's command that was running when the program ended, as typed, such as `! npm test`. */
  readonly command?: string;
}

export interface Done {
  readonly todos: readonly string[];
  /**
   * The files changed by tools that name their files, most recently changed last. Files changed by commands are not
   * included.
   */
  readonly files: readonly string[];
  /** The commands that were run, most recent last. */
  readonly commands: readonly CommandRun[];
  /** The answer to the last prompt; absent if there is no answer yet. */
  readonly answer?: string;
  /** How much of the branch was examined. "recent": only the end of a long branch. */
  readonly reach: "whole" | "recent";
}

export interface CommandRun {
  readonly command: string;
  readonly outcome: EntryOf<"tool-end">["outcome"];
}

export type Next =
  | { readonly do: "todo"; readonly text: string }
  | { readonly do: "answer"; readonly prompt: string }
  | { readonly do: "nothing" };

/** The files and commands of the calls in these entries, and the outcomes. Includes commands that the user ran. */
export function workIn(entries: readonly Entry[], workspace: string): Pick<Done, "files" | "commands"> {
  const ended = endedCalls(entries);
  const files = ended.filter(({ input, outcome }) => isChange(input) && outcome === "ok");
  const commands = ended.filter(({ input, outcome }) => isCommand(input) && outcome !== "denied");
  const changes = lastOfEach(
    files.map(({ about, outcome }) => [inWorkspace(about, workspace), outcome] as const),
  );
  const outcomes = lastOfEach(commands.map(({ about, outcome }) => [about, outcome] as const));
  return {
    files: [...changes.keys()],
    commands: [...outcomes].map(([command, outcome]) => ({ command, outcome })),
  };
}

/** The user's last command that began but did not end, as typed; undefined if there is none. */
export function cutCommandIn(entries: readonly Entry[]): string | undefined {
  const ended = new Set(entries.filter((entry) => entry.kind === "tool-end").map(({ call }) => call));
  const cut = entries.findLast(
    (entry): entry is EntryOf<"tool-start"> =>
      entry.kind === "tool-start" && isPersonCall(entry.call) && !ended.has(entry.call),
  );
  return cut === undefined ? undefined : typedIn(cut);
}

function typedIn({ name, input }: EntryOf<"tool-start">): string {
  return typedFor(name, aboutCall(input));
}

interface Ended {
  /** The input that the call ran with. */
  readonly input: Json;
  readonly outcome: CommandRun["outcome"];
  /** The subject of the call; for a command that the user ran, the command as typed. */
  readonly about: string;
}

function endedCalls(entries: readonly Entry[]): Ended[] {
  const calls = new OpenCalls<ToolCallPart>();
  const started = new Map<string, EntryOf<"tool-start">>();
  return entries.flatMap((entry): Ended[] => {
    if (entry.kind === "step") calls.seal();
    if (entry.kind === "reply") calls.open(entry.parts.filter((part) => part.type === "tool-call"));
    if (entry.kind === "tool-start") started.set(entry.call, entry);
    if (entry.kind !== "tool-end") return [];
    const start = started.get(entry.call);
    // Providers reuse ids, so a later call with this id may have no start of its own.
    started.delete(entry.call);
    return endedBy(entry, start, calls);
  });
}

function endedBy(
  { call, outcome }: EntryOf<"tool-end">,
  start: EntryOf<"tool-start"> | undefined,
  calls: OpenCalls<ToolCallPart>,
): Ended[] {
  if (start !== undefined && isPersonCall(call)) {
    return [{ input: start.input ?? null, outcome, about: typedIn(start) }];
  }
  const asked = calls.take(call);
  if (asked === undefined) return [];
  const input = start?.input ?? asked.input;
  return [{ input, outcome, about: aboutCall(input) }];
}

/** Keeps each key once, at its last position. */
function lastOfEach<Value>(pairs: readonly (readonly [string, Value])[]): Map<string, Value> {
  const last = new Map<string, Value>();
  for (const [key, value] of pairs) {
    last.delete(key);
    last.set(key, value);
  }
  return last;
}

/** The first open todo or, if there is none, the answer that the user is still waiting for. */
export function nextOf(todos: readonly TodoItem[], turn: TurnState): Next {
  const first =
    todos.find(({ status }) => status === "doing") ?? todos.find(({ status }) => status === "open");
  if (first !== undefined) return { do: "todo", text: first.text };
  return turn.state === "cut" ? { do: "answer", prompt: turn.prompt } : { do: "nothing" };
}

/**
 * Checks whether a call changes a file. Relies on the input rather than the tool's name, because other agents' tools
 * have other names.
 */
function isChange(input: Json): boolean {
  if (!isJsonObject(input)) return false;
  if ("notebook_path" in input) return "new_source" in input;
  return "file_path" in input && ("content" in input || "new_string" in input);
}

function isCommand(input: Json): boolean {
  return isJsonObject(input) && typeof input["command"] === "string";
}

function inWorkspace(path: string, workspace: string): string {
  return workspace !== "" && path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}
