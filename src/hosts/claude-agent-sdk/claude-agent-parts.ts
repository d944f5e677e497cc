import type { Rules } from "../../agent/permissions/rules.ts";
import type { AgentSettings } from "../../agent/settings.ts";
import type { OpenSubSession } from "../../agent/sub-agent.ts";
import type { KeepOutput } from "../../agent/tools/bash/kept-output.ts";
import type { TurnGate } from "../../agent/turn-gate.ts";
import type { Session } from "../../machine/session.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { KnownModel } from "./conversation/known-model.ts";
import type { ClaudeSdk, SdkOptions } from "./sdk/sdk-types.ts";

/** What the agent of the Claude Agent SDK is made of. */
export interface ClaudeAgentParts {
  readonly sdk: ClaudeSdk;
  /** How its processes are started. */
  readonly start: ClaudeStart;
  /** Held; the agent closes it. */
  readonly session: Session;
  /** What the session's log says of its model; see `knownModel`. */
  readonly known?: KnownModel;
  readonly resumed: "new" | "resumed" | "forked";
  readonly mode: PermissionMode;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  /** The files of the workspace, where the session has them. Whoever opened them closes them. */
  readonly files?: WorkspaceFiles;
  /** For commands of the person's. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secretVariables: readonly string[];
  readonly keepOutput: KeepOutput;
  readonly outputs: string;
  readonly openSubSession: OpenSubSession;
  /** Shared by the agents of one front end; by default one of its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws where the user may not enter that mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

/** What every process of the SDK gets, whichever session it works on. */
export interface ClaudeStart {
  /** The whole environment of the process: a key or a login is found there, and nowhere else. */
  readonly env: SdkOptions["env"];
  /** As the SDK calls it; absent: the SDK's own choice. */
  readonly model?: string;
  /** How many tokens its context holds, where the person knows better than the SDK. */
  readonly window?: number;
  /** Whose settings it reads: those of the workspace only where that is trusted, because they can run programs. */
  readonly settingSources: SdkOptions["settingSources"];
  /** "on": the SDK keeps its own file checkpoints too. */
  readonly checkpoints: "on" | "off";
}
