import type { PermissionMode } from "../../ports/person.ts";

/** Which session an agent is opened for, and how it is to work. */
export interface AgentRequest {
  /** "provider/name"; absent: what settings and keys allow. */
  readonly model?: string | undefined;
  /** Absent: as the settings say. */
  readonly mode?: PermissionMode | undefined;
  /** Permission rules, beside those of the settings. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly maxSteps?: number | undefined;
  readonly resume: ResumeRequest;
  /** "yes": the session that was named stays as it is. */
  readonly fork: "yes" | "no";
  /** Whose agent it is; absent: the one that the session had, else as the settings say. */
  readonly host?: HostName | undefined;
  /** "no": nothing is written under Worldline's home. */
  readonly keepSession: "yes" | "no";
}

/** "claude": the Claude Agent SDK. */
export const hostNames = ["native", "claude"] as const;

export type HostName = (typeof hostNames)[number];

export type ResumeRequest =
  | { readonly how: "new" }
  /** The agent's session last used in the workspace. */
  | { readonly how: "continue" }
  /** An id, the beginning of one, or a title; absent: the user is to choose. */
  | { readonly how: "resume"; readonly wanted?: string };
