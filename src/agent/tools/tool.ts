import { z } from "zod";
import type { Seen } from "../../record/entry.ts";
import type { OutsideChange } from "../../record/outside.ts";
import { type Part, textPart } from "../../record/parts.ts";
import type { CommandPlan } from "../permissions/unasked/plan.ts";

/**
 * What a tool can change. "nothing": not even a file, and it is not asked about. "reads": looks at files or the network.
 * "files": exactly the files that it names. "anything": nobody can say, so everything is looked at afterwards.
 */
export type Reach = "nothing" | "reads" | "files" | "anything";

/** What a call is about, for rules and for whoever is asked. Paths are absolute and real, as far as they exist. */
export type Subject =
  | { readonly kind: "path"; readonly path: string; readonly access: "read" | "write" }
  /** `plan`: what it runs, word for word, where that can be said without a shell. */
  | { readonly kind: "command"; readonly command: string; readonly plan?: CommandPlan }
  | { readonly kind: "url"; readonly url: string }
  /** Nothing that a rule could say more of than the tool's name. */
  | { readonly kind: "tool" };

/**
 * A tool that the model may call. Made by a factory that takes what it needs, such as `bashTool({ ... })`. Its name and its
 * parameters are what models know from elsewhere; its description stands in a .md file beside it.
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** What does not fit is answered with "Invalid arguments: ..." and never reaches `run`. */
  readonly input: z.ZodType<Input>;
  /** For tools whose schema comes from elsewhere (MCP); by default made from `input`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly reach: Reach;
  /** "by-calls": it changes nothing itself, but by calls of its own, each of which is looked at. */
  readonly works?: "by-calls";
  /** "others": runs beside its neighbours although it may change something; what only reads does anyway. */
  readonly beside?: "others";
  /** What the call is about. Looks, and changes nothing. */
  subjects(input: Input): Promise<readonly Subject[]>;
  /** In one line, for the person: a path, a command. */
  about(input: Input): string;
  /** What it would change now, for the user who is asked. Changes nothing itself. */
  preview?(input: Input): Promise<Preview | undefined>;
  /** Resolves soon after the signal aborts, having ended all that it started. Throws only for what is a fault of ours. */
  run(input: Input, call: ToolCall): Promise<ToolResult | Later>;
}

/** What a call would change, or why it would fail now: then the user is not asked. */
export type Preview =
  /** A unified diff. */
  | { readonly diff: string }
  | { readonly without: "not-text" | "too-different" }
  | { readonly refused: string };

/** The result is written when all calls of the step have ended, by whoever carries the call out. */
export type Later = "later";

/** The call that a tool works for. */
export interface ToolCall {
  readonly id: string;
  readonly signal: AbortSignal;
  /** The real paths that it was allowed to read or write: a link that leads elsewhere by now is not followed. */
  readonly places?: readonly string[];
  /** Of a command whose words were allowed: it must run so, and not as a shell would read it. */
  readonly plan?: CommandPlan | undefined;
  /** Live, for the person; what the model gets is the result. */
  readonly onOutput: (text: string) => void;
}

export interface ToolResult {
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** The files whose content the model now knows: Edit refuses where one has changed since. */
  readonly seen?: readonly Seen[] | undefined;
  /** Absolute paths that it wrote, where it knows all of them. */
  readonly touched?: readonly string[];
  /** The processes that it started: when the last of them had ended, or whether some go on. */
  readonly processes?: { readonly endedAt: number } | { readonly isRunning: () => boolean };
  /** What it changed where no snapshot looks, where it has followed that itself. */
  readonly outside?: readonly OutsideChange[] | undefined;
}

/** For a table of tools whose inputs differ. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  // Each is only ever given what its own schema has parsed, which the type of a mixed table cannot say.
  return tool as unknown as Tool;
}

export function done(text: string): ToolResult {
  return { outcome: "ok", parts: [textPart(text)] };
}

/** What the model can do something about: it is told what, and goes on. */
export function failed(text: string): ToolResult {
  return { outcome: "error", parts: [textPart(text)] };
}

export function interrupted(text = "Interrupted."): ToolResult {
  return { outcome: "interrupted", parts: [textPart(text)] };
}

/** A text that goes to the system, which takes none with a NUL. Refined, so that no pattern stands in the JSON Schema. */
export function systemText(description: string): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not contain a NUL character")
    .describe(description);
}

/**
 * The schema, with fields that models add out of habit and that say nothing here: they are dropped instead of refused,
 * and the model is not told of them.
 */
export function tolerating<Input>(fields: readonly string[], schema: z.ZodType<Input>): z.ZodType<Input> {
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
  }, schema);
}
