import type { CallReason } from "../record/call-reason.ts";
import type { Json } from "../record/parts.ts";

/**
 * "manual": changes need permission. "accept-edits": edits inside the workspace do not. "plan": nothing may be changed
 * until a plan was approved. "auto": nothing inside the workspace needs permission. Rules take precedence over all of
 * them.
 */
export type PermissionMode = "manual" | "accept-edits" | "plan" | "auto";

/** The user, who answers questions. In print mode there is none: then every answer is no, with the reason. */
export interface Person {
  /** Resolves with "no" when the signal aborts. */
  allow(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Resolves with the answers, in the order of the questions; undefined if there is no answer. */
  answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly string[] | undefined>;
  /** Whether the plan may be carried out, and in which mode. */
  approve(plan: string, signal: AbortSignal): Promise<PlanAnswer>;
}

export interface PermissionRequest {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  /** The subject in one line: a path, a command. */
  readonly about: string;
  /** Why permission is needed, as a code with parameters: `{ code: "outside-workspace", path: "/etc/hosts" }`. */
  readonly reason: CallReason;
  /** The reason in English. */
  readonly why: string;
  /**
   * What else would allow it. "mode": auto mode, or a rule. "rule": only a rule, because every mode asks. "none": an
   * ask rule applies, which takes precedence over allow rules.
   */
  readonly help: "mode" | "rule" | "none";
  /** A unified diff against the file at the time of the question, if the tool can make one. */
  readonly diff?: string;
  /** Why a change of a file has no diff. */
  readonly without?: "not-text" | "too-different" | "unknown";
  /** Why the call would fail now; then it has no diff either. */
  readonly cannot?: string;
  /** The programs that a command starts, as far as they can be recognized, in order. */
  readonly runs?: readonly string[];
  /** Who is asking, if not the agent that the user talks to. */
  readonly by?: "sub-agent";
  /** The rule that "always" would add for this session, such as `Bash(npm test:*)`. */
  readonly rule: string;
}

export type PermissionAnswer =
  | { readonly answer: "once" }
  /** For the rest of this session, on this branch. */
  | { readonly answer: "session"; readonly rule: string }
  | Refusal;

/**
 * `reason`: in English, or in the user's own words, for the model. `because`: the same as a code, if the user typed
 * nothing.
 */
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
