import type { Reserve } from "./compaction/policy.ts";

/** What the agent needs to know of the settings. */
export interface AgentSettings {
  /** How many model calls a turn may make; those that a backtrack took back do not count. */
  readonly maxSteps: number;
  /** How often a model call that failed is tried again from the last checkpoint. */
  readonly maxRetries: number;
  /** How long tools of unknown reach wait for the first capture of the workspace. */
  readonly firstWaitMs: number;
  readonly backtrack: {
    /** What the user sees of a backtrack. */
    readonly display: "card" | "line" | "off";
    /** Whether the model may tell the user that it went back. */
    readonly mention: "allowed" | "never";
  };
  readonly compaction: {
    readonly auto: "on" | "off";
    readonly ratio: number;
    readonly keep: number;
    /** How many tokens of the window stay free for the reply and its results. */
    readonly reserve: Reserve;
  };
}

export const defaultAgentSettings: AgentSettings = {
  maxSteps: 100,
  maxRetries: 3,
  firstWaitMs: 60_000,
  backtrack: { display: "card", mention: "allowed" },
  compaction: { auto: "on", ratio: 0.85, keep: 2, reserve: "auto" },
};
