import type { Entry, EntryOf } from "../record/entry.ts";
import type { TodoItem, ToolCallPart } from "../record/parts.ts";
import { isJsonObject, type Json } from "../record/parts.ts";
import { isPersonCall, OpenCalls } from "./calls.ts";
import { aboutCall, type TurnState } from "./turn-state.ts";

/** Where a session stands, from its todos and its log: no model is asked. */
export interface Recap {
  /** Its name, or how it began; empty where it has neither. */
  readonly title: string;
  /** What the person asked last. */
  readonly prompt?: string;
  readonly done: Done;
  readonly open: Open;
  readonly next: Next;
  /** Only where the session was, or is to be, taken over from another machine. */
  readonly leftBy?: LeftBy;
  /** Only where the log is shared between machines and others captured files. */
  readonly elsewhere?: readonly FilesElsewhere[];
}

/** A program on another machine that had the session and did not give it back. */
interface LeftBy {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
}

/** The checkpoints whose files only another machine has. */
export interface FilesElsewhere {
  readonly machine: string;
  readonly checkpoints: readonly number[];
}

export interface Open {
  readonly todos: readonly TodoItem[];
  readonly turn: TurnState;
  /** A command of the person's that was running when the program ended, with the sign that it was typed with. */
  readonly command?: string;
}

export interface Done {
  readonly todos: readonly string[];
  /** Changed by tools that name their file, last changed last. What a command changed is not among them. */
  readonly files: readonly string[];
  /** Last run last. */
  readonly commands: readonly CommandRun[];
  /** How the last prompt was answered; absent while it is not. */
  readonly answer?: string;
  /** "recent": only the end of a long branch was looked at. */
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

/** What was done, as the calls of these entries and their outcomes tell; commands of the person's are among them. */
export function workIn(entries: readonly Entry[], workspace: string): Pick<Done, "files" | "commands"> {
  const ended = endedCalls(entries);
  const files = ended.filter(({ input, outcome }) => isChange(input) && outcome === "ok");
  const commands = ended.filter(({ input, outcome }) => isCommand(input) && outcome !== "denied");
  const outcomes = lastOfEach(
    commands.map(({ input, outcome, by }) => [commandText(input, by), outcome] as const),
  );
  return {
    files: [...lastOfEach(files.map(({ input }) => [inWorkspace(aboutCall(input), workspace), "ok"])).keys()],
    commands: [...outcomes].map(([command, outcome]) => ({ command, outcome })),
  };
}

/** The last command of the person's that began and did not end, where there is one. */
export function cutCommandIn(entries: readonly Entry[]): string | undefined {
  const ended = new Set(entries.flatMap((entry) => (entry.kind === "tool-end" ? [entry.call] : [])));
  const cut = entries.findLast((entry) => isPersonStart(entry) && !ended.has(entry.call));
  return cut?.kind === "tool-start" ? commandText(cut.input ?? null, "person") : undefined;
}

interface Ended {
  readonly input: Json;
  readonly outcome: CommandRun["outcome"];
  readonly by: "agent" | "person";
}

function endedCalls(entries: readonly Entry[]): Ended[] {
  const calls = new OpenCalls<ToolCallPart>();
  const typed = new Map<string, Json>();
  return entries.flatMap((entry): Ended[] => {
    if (entry.kind === "step") calls.seal();
    if (entry.kind === "reply") calls.open(entry.parts.filter((part) => part.type === "tool-call"));
    if (isPersonStart(entry)) typed.set(entry.call, entry.input ?? null);
    return entry.kind === "tool-end" ? endedBy(entry, calls, typed) : [];
  });
}

function endedBy(
  { call, outcome }: EntryOf<"tool-end">,
  calls: OpenCalls<ToolCallPart>,
  typed: ReadonlyMap<string, Json>,
): Ended[] {
  const own = typed.get(call);
  if (own !== undefined) return [{ input: own, outcome, by: "person" }];
  const asked = calls.take(call);
  return asked === undefined ? [] : [{ input: asked.input, outcome, by: "agent" }];
}

function isPersonStart(entry: Entry): entry is EntryOf<"tool-start"> {
  return entry.kind === "tool-start" && isPersonCall(entry.call);
}

function commandText(input: Json, by: Ended["by"]): string {
  return by === "person" ? `! ${aboutCall(input)}` : aboutCall(input);
}

/** Each key once, where it came last. */
function lastOfEach<Value>(pairs: readonly (readonly [string, Value])[]): Map<string, Value> {
  const last = new Map<string, Value>();
  for (const [key, value] of pairs) {
    last.delete(key);
    last.set(key, value);
  }
  return last;
}

/** The first thing on the list, else the answer that the person still waits for. */
export function nextOf(todos: readonly TodoItem[], turn: TurnState): Next {
  const first =
    todos.find(({ status }) => status === "doing") ?? todos.find(({ status }) => status === "open");
  if (first !== undefined) return { do: "todo", text: first.text };
  return turn.state === "cut" ? { do: "answer", prompt: turn.prompt } : { do: "nothing" };
}

/** By what they are given, not by their names: tools of others are called otherwise. */
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
