import type { CallReason } from "../record/call-reason.ts";
import type { Remark } from "../record/error.ts";
import type { Json } from "../record/parts.ts";

/**
 * What the agent may do without permission, unless a rule says otherwise. "manual": no changes. "accept-edits": edits
 * inside the workspace. "plan": nothing may be changed at all until the user has approved a plan. "auto": everything
 * inside the workspace. Rules take precedence over the mode.
 */
export type PermissionMode = "manual" | "accept-edits" | "plan" | "auto";

/**
 * The user, who answers the agent's questions. In print mode there is no user, so every answer is "no", with that as
 * the reason.
 */
export interface Person {
  /** Resolves with "no" when the signal aborts. */
  allow(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Resolves with the answers, in the order of the questions, or with undefined if there are none. */
  answer(questions: readonly Question[], signal: AbortSignal): Promise<readonly string[] | undefined>;
  /** Asks whether the plan may be carried out, and in which mode. */
  approve(plan: string, signal: AbortSignal): Promise<PlanAnswer>;
}

export interface PermissionRequest {
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
  /** The subject of the call in one line, such as a path or a command. */
  readonly about: string;
  /**
   * Why permission is needed, as a code with parameters, such as `{ code: "outside-workspace", path: "/etc/hosts" }`.
   */
  readonly reason: CallReason;
  /** The reason in English. */
  readonly why: string;
  /**
   * What would allow the call without asking. "mode": auto mode, or a rule. "rule": only a rule, because every mode
   * asks. "none": nothing, because an ask rule applies, which takes precedence over allow rules.
   */
  readonly help: "mode" | "rule" | "none";
  /** A unified diff against the current content of the file; absent if the tool cannot make one. */
  readonly diff?: string;
  /** Why there is no diff for a change to a file. */
  readonly without?: "not-text" | "too-different" | "unknown";
  /** Why the call would currently fail. There is no diff in this case either. */
  readonly cannot?: Remark;
  /** The programs that a command starts, in order, as far as they can be recognized. */
  readonly runs?: readonly string[];
  /** Set if a sub-agent asks, rather than the agent that the user talks to. */
  readonly by?: "sub-agent";
  /** The rule that "always" would add for this session, such as `Bash(npm test:*)`. */
  readonly rule: string;
}

export type PermissionAnswer =
  | { readonly answer: "once" }
  /** Allows the rule for the rest of this session, on this branch. */
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
