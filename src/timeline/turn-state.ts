import type { Entry, EntryOf } from "../record/entry.ts";
import { reasonFields } from "../record/error.ts";
import { isJsonObject, type Json, textOf } from "../record/parts.ts";
import { isPersonCall, OpenCalls } from "./calls.ts";

/** The state of the turn at the head: ended, or interrupted before its end. */
export type TurnState = { readonly state: "idle" } | CutTurn;

/** A turn that was interrupted before its end. All fields are derived from the branch. */
export interface CutTurn {
  readonly state: "cut";
  /** The number of the turn's last step; 0 if the first step had not begun. */
  readonly step: number;
  readonly while: "before-first-step" | "replying" | "tools";
  /** The user's request. */
  readonly prompt: string;
  /** Calls that started, but whose end was not recorded. It is unknown whether these calls took effect. */
  readonly openCalls: readonly CallMade[];
  readonly finishedCalls: readonly CallMade[];
  /** Calls that were requested but never started. */
  readonly unstartedCalls: readonly CallMade[];
  /** The calls in `unstartedCalls` that have no result yet. */
  readonly unansweredCalls: readonly CallMade[];
  readonly interruptedBy: EntryOf<"interrupt">["by"] | "unknown";
  /** The last error, if one was recorded. */
  readonly error?: Pick<EntryOf<"error">, "code" | "message" | "hint" | "reason" | "params">;
}

export interface CallMade {
  readonly call: string;
  readonly name: string;
  /** The subject of the call on one line, such as a path or a command; empty if the input contains none. */
  readonly about: string;
}

/**
 * Determines the state of a turn from the end of its branch: the last prompt, and everything after the last reply or
 * step. The caller can omit the content of results.
 */
export function turnStateIn(branch: readonly Entry[]): TurnState {
  const entries = branch.filter((entry) => !isOfPerson(entry));
  const prompt = entries.findLast(isAsking);
  if (prompt === undefined) return { state: "idle" };
  const last = entries.findLast(isProgress) ?? prompt;
  if (last.kind === "reply" && isFinal(last)) return { state: "idle" };
  const calls = callsIn(entries);
  const doing = whileDoing(last, calls);
  const step = entries.findLast((entry): entry is EntryOf<"step"> => entry.kind === "step");
  return {
    state: "cut",
    step: doing === "before-first-step" ? 0 : (step?.number ?? 0),
    while: doing,
    prompt: promptText(prompt),
    openCalls: calls.open,
    finishedCalls: calls.finished,
    unstartedCalls: calls.unstarted,
    unansweredCalls: calls.unanswered,
    ...endOf(entries),
  };
}

/**
 * The name of the input field that `about` was derived from; undefined if there is no single such field. The field
 * contains the text as the model wrote it. In `about`, the text is on one line, and its middle may be omitted.
 */
export function wholeAbout(input: Json, about: string): string | undefined {
  if (!isJsonObject(input)) return undefined;
  const flat = (text: string): string => text.replace(/\s+/gu, " ").trim();
  const begin = flat(about.replace(/[…⋯].*/su, ""));
  const isCut = /[…⋯]/u.test(about);
  const isIt = (key: string): boolean => {
    const value = input[key];
    if (!isSaid(value)) return false;
    return isCut ? begin !== "" && flat(value).startsWith(begin) : flat(value) === begin;
  };
  return [...ABOUT, ...Object.keys(input)].find(isIt);
}

/** The subject of a call on one line. */
export function aboutCall(input: Json | undefined): string {
  if (!isJsonObject(input)) return "";
  const named = ABOUT.map((key) => input[key]).find(isSaid);
  const told = named ?? Object.keys(input).flatMap((key) => inOneLine(key, input[key]))[0] ?? "";
  return told.replace(/\s+/gu, " ").trim();
}

/**
 * Fields that may contain the subject of a call. For every tool, the first of these fields that has a value is used.
 */
export const ABOUT: readonly string[] = [
  "file_path",
  "notebook_path",
  "command",
  "path",
  "url",
  "uri",
  "pattern",
  "query",
  "skill",
  "subject",
  "description",
  "prompt",
];

function isSaid(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/**
 * Returns the value if it can be the subject of a call, for tools with other field names. The value must be on one
 * line. Plans and notes are never used, because they are prose even if they are short.
 */
function inOneLine(key: string, value: Json | undefined): readonly string[] {
  if (typeof value === "number") return [String(value)];
  return isSaid(value) && key !== "plan" && key !== "note" && !value.trim().includes("\n") ? [value] : [];
}

type Progress = EntryOf<"prompt" | "step" | "reply" | "tool-start" | "tool-end" | "backtrack">;

/**
 * Checks whether the entry advances a turn. Other entries, such as titles and snapshots, can come after the turn's end.
 */
function isProgress(entry: Entry): entry is Progress {
  return ["prompt", "step", "reply", "tool-start", "tool-end", "backtrack"].includes(entry.kind);
}

/**
 * Checks whether the entry is about a command that the user ran. Such an entry is not part of a turn, regardless of its
 * position on the branch.
 */
function isOfPerson(entry: Entry): boolean {
  return (entry.kind === "tool-start" || entry.kind === "tool-end") && isPersonCall(entry.call);
}

/**
 * Checks whether the entry contains the user's request. The prompts in a backtrack repeat the user's requests on the
 * abandoned path, so they are the current task.
 */
function isAsking(entry: Entry): entry is EntryOf<"prompt" | "backtrack"> {
  return entry.kind === "prompt" || (entry.kind === "backtrack" && entry.prompts.length > 0);
}

function isFinal(reply: EntryOf<"reply">): boolean {
  return reply.end !== "interrupted" && reply.parts.every((part) => part.type !== "tool-call");
}

function promptText(entry: EntryOf<"prompt" | "backtrack">): string {
  return textOf(entry.kind === "prompt" ? entry.parts : (entry.prompts.at(-1) ?? []));
}

function whileDoing(last: Progress, { open, finished }: Calls): CutTurn["while"] {
  if (last.kind === "prompt") return "before-first-step";
  if (last.kind === "step" || last.kind === "backtrack") return "replying";
  const isBroken = last.kind === "reply" && last.end === "interrupted";
  return isBroken && open.length + finished.length === 0 ? "replying" : "tools";
}

interface Calls {
  readonly open: readonly CallMade[];
  readonly finished: readonly CallMade[];
  readonly unstarted: readonly CallMade[];
  readonly unanswered: readonly CallMade[];
}

interface Followed extends CallMade {
  /** "dropped": the call has a result, but it never started. */
  state: "unstarted" | "dropped" | "open" | "finished";
}

/**
 * The calls of the last step. Results are matched to calls in the same way as in the context, because providers reuse
 * ids.
 */
function callsIn(entries: readonly Entry[]): Calls {
  let made: Followed[] = [];
  let waiting = new OpenCalls<Followed>();
  for (const entry of entries) {
    if (entry.kind === "step") {
      made = [];
      waiting = new OpenCalls();
    }
    if (entry.kind === "reply") {
      const calls = followed(entry);
      made.push(...calls);
      waiting.open(calls);
    }
    if (entry.kind === "tool-start") start(made, entry);
    if (entry.kind === "tool-end") end(made, waiting.take(entry.call), entry);
  }
  const inState = (wanted: Followed["state"]): CallMade[] =>
    made.flatMap(({ state, ...call }) => (state === wanted ? [call] : []));
  const unanswered = inState("unstarted");
  return {
    open: inState("open"),
    finished: inState("finished"),
    unstarted: [...unanswered, ...inState("dropped")],
    unanswered,
  };
}

function followed({ parts }: EntryOf<"reply">): Followed[] {
  return parts.flatMap((part): Followed[] => {
    if (part.type !== "tool-call") return [];
    return [{ call: part.call, name: part.name, about: aboutCall(part.input), state: "unstarted" }];
  });
}

/** Records that a call started. If no reply contains the call, adds it, because the line of its reply may be lost. */
function start(made: Followed[], { call, name, input }: EntryOf<"tool-start">): void {
  const known = made.find((each) => each.call === call && each.state === "unstarted");
  if (known === undefined) made.push({ call, name, about: aboutCall(input), state: "open" });
  else known.state = "open";
}

function end(
  made: readonly Followed[],
  waiting: Followed | undefined,
  { call, outcome }: EntryOf<"tool-end">,
): void {
  const ended = waiting ?? made.find((each) => each.call === call && each.state === "open");
  if (ended === undefined) return;
  ended.state = ended.state === "unstarted" && outcome === "interrupted" ? "dropped" : "finished";
}

/** What ended the turn, if an entry after the turn's last progress records it. */
function endOf(entries: readonly Entry[]): Pick<CutTurn, "interruptedBy" | "error"> {
  const after = entries.slice(entries.findLastIndex(isProgress) + 1);
  const ended = after.findLast(isEnding);
  const error = after.findLast((entry): entry is EntryOf<"error"> => entry.kind === "error");
  return {
    interruptedBy: ended === undefined ? "unknown" : ended.kind === "interrupt" ? ended.by : "person",
    ...(error === undefined ? {} : { error: errorOf(error) }),
  };
}

/** Checks whether the entry ends a turn. A journey that moves only the files does not end a turn. */
function isEnding(entry: Entry): boolean {
  return (
    entry.kind === "interrupt" ||
    ((entry.kind === "rewind" || entry.kind === "redo") && entry.scope !== "files")
  );
}

function errorOf({ code, message, hint, reason, params }: EntryOf<"error">): NonNullable<CutTurn["error"]> {
  return { code, message, ...(hint === undefined ? {} : { hint }), ...reasonFields({ reason, params }) };
}
