import type { CallReason } from "../record/call-reason.ts";
import type { Json } from "../record/parts.ts";

/**
 * "manual": what changes something asks. "accept-edits": edits inside the workspace do not. "plan": nothing may be
 * changed until a plan was approved. "auto": nothing inside the workspace asks. Rules come before all of them.
 */
export type PermissionMode = "manual" | "accept-edits" | "plan" | "auto";

/** Who is asked. In print mode nobody can be: then every answer is no, with the reason. */
export interface Person {
  /** Resolves with "no" when the signal aborts. */
  allow(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Resolves with the answers, in the order of the questions; undefined when nobody answers. */
  answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly string[] | undefined>;
  /** Whether the plan may be carried out, and in which mode. */
  approve(plan: string, signal: AbortSignal): Promise<PlanAnswer>;
}

export interface PermissionRequest {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  /** What it is about, in one line: a path, a command. */
  readonly about: string;
  /** Why it is asked at all, as a code with parameters: `{ code: "outside-workspace", path: "/etc/hosts" }`. */
  readonly reason: CallReason;
  /** The reason in English. */
  readonly why: string;
  /**
   * What else would let it pass: "mode": auto mode, or a rule that allows it. "rule": such a rule alone, because every mode
   * asks. "none": it is asked by a rule, which goes before those that allow.
   */
  readonly help: "mode" | "rule" | "none";
  /** A unified diff, where the tool can say what it would change. Of the file as it is when the question is asked. */
  readonly diff?: string;
  /** Why a change of a file comes without a diff. */
  readonly without?: "not-text" | "too-different" | "unknown";
  /** Why the call would fail as things are: then it has no diff either. */
  readonly cannot?: string;
  /** The programs that a command starts, as far as can be seen, in their order. */
  readonly runs?: readonly string[];
  /** Who wants it, where that is not the agent whom the person talks with. */
  readonly by?: "sub-agent";
  /** The rule that "always" would add for this session, such as `Bash(npm test:*)`. */
  readonly rule: string;
}

export type PermissionAnswer =
  | { readonly answer: "once" }
  /** For the rest of this session, on this branch. */
  | { readonly answer: "session"; readonly rule: string }
  | Refusal;

/** `reason`: in English, or in the user's own words; the model reads it. `because`: the same as a code, where the user typed nothing. */
interface Refusal {
  readonly answer: "no";
  readonly reason: string;
  readonly because?: CallReason;
}

export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly several: "one" | "any";
}

export type PlanAnswer =
  | { readonly answer: "approved"; readonly mode: Exclude<PermissionMode, "plan"> }
  | Refusal;
