import type { AgentOptions } from "../../agent/agent-context.ts";
import type { KnownModel } from "./conversation/known-model.ts";
import type { ClaudeSdk, SdkOptions } from "./sdk/sdk-types.ts";

/** What the agent of the Claude Agent SDK is opened with. */
export interface ClaudeAgentOptions extends AgentOptions {
  readonly sdk: ClaudeSdk;
  /** How its processes are started. */
  readonly start: ClaudeStart;
  /** What the session's log says of its model; see `knownModel`. */
  readonly known?: KnownModel | undefined;
}

/** What every process of the SDK gets, whichever session it works on. */
export interface ClaudeStart {
  /** The whole environment of the process: a key or a login is found there, and nowhere else. */
  readonly env: SdkOptions["env"];
  /** As the SDK calls it; absent: the SDK's own choice. */
  readonly model?: string | undefined;
  /** How many tokens its context holds, where the user knows better than the SDK. */
  readonly window?: number | undefined;
  /** Whose settings it reads: those of the workspace only where that is trusted, because they can run programs. */
  readonly settingSources: SdkOptions["settingSources"];
  /** "on": the SDK keeps its own file checkpoints too. */
  readonly checkpoints: "on" | "off";
}
