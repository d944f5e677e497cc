import type { CallReason } from "../record/call-reason.ts";
import type { Remark } from "../record/error.ts";
import type { Json } from "../record/parts.ts";

/**
 * What the agent can do without asking for permission. "manual": nothing that changes anything. "accept-edits": edits
 * inside the workspace. "plan": nothing can be changed, even with permission, until the user has approved a plan.
 * "auto": everything inside the workspace. Rules take precedence over the mode.
 */
export type PermissionMode = "manual" | "accept-edits" | "plan" | "auto";

/**
 * The user, who answers the agent's questions. In print mode, no user is present, so every answer is "no", and the
 * reason says so.
 */
export interface Person {
  /** Asks for permission for a call. Resolves with "no" if the signal aborts. */
  allow(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
  /**
   * Asks the questions. Resolves with the answers in the order of the questions, or with undefined if the user did not
   * answer.
   */
  answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly string[] | undefined>;
  /** Asks whether to carry out the plan, and in which mode. */
  approve(plan: string, signal: AbortSignal): Promise<PlanAnswer>;
}

export interface PermissionRequest {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  /** The subject of the call as one line, such as a path or a command. */
  readonly about: string;
  /**
   * Why permission is needed, as a code with parameters, such as `{ code: "outside-workspace", path: "/etc/hosts" }`.
   */
  readonly reason: CallReason;
  /** The reason in English. */
  readonly why: string;
  /**
   * What would allow the call without asking the user. "mode": auto mode or a rule. "rule": only a rule, because every
   * mode asks. "none": nothing, because an ask rule applies, and it takes precedence over allow rules.
   */
  readonly help: "mode" | "rule" | "none";
  /** A unified diff against the current content of the file; absent if the tool cannot create one. */
  readonly diff?: string;
  /** Why there is no diff for a change to a file. */
  readonly without?: "not-text" | "too-different" | "unknown";
  /** Why the call would currently fail. In that case, there is no diff either. */
  readonly cannot?: Remark;
  /** The programs that a command starts, in order, as far as they can be recognized. */
  readonly runs?: readonly string[];
  /** Set if a sub-agent, rather than the agent that the user talks to, asks for permission. */
  readonly by?: "sub-agent";
  /** The rule that "always" would add for this session, such as `Bash(npm test:*)`. */
  readonly rule: string;
}

export type PermissionAnswer =
  | { readonly answer: "once" }
  /** Allows everything that the rule matches for the rest of this session, on this branch. */
  | { readonly answer: "session"; readonly rule: string }
  | Refusal;

/**
 * `reason` is for the model, in English or in the user's own words. `because` is the same reason as a code; absent if
 * the user typed a reason.
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
