import type { TurnGate } from "../../../agent/agent.ts";
import type { Rules } from "../../../agent/permissions/rules.ts";
import type { ClaudeModel } from "../../../hosts/claude-agent-sdk/models.ts";
import type { ClaudeStart } from "../../../hosts/claude-agent-sdk/options.ts";
import type { ClaudeSdk } from "../../../hosts/claude-agent-sdk/sdk/sdk-types.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { PermissionMode, Person } from "../../../ports/person.ts";
import type { AgentRequest } from "../agent-request.ts";
import type { AgentSession } from "../agent-session.ts";
import type { FinderModel } from "../finder-model.ts";
import type { OpenedModels } from "../open-model.ts";

/** Who answers, and what that one is made of; opened before there is a session. */
export type Answering = NativeAnswering | ClaudeAnswering;

export interface NativeAnswering {
  readonly host: "native";
  readonly models: OpenedModels;
  /** Told of the session, in case that it is the model, or becomes it. */
  readonly finder: FinderModel;
}

export interface ClaudeAnswering {
  readonly host: "claude";
  readonly sdk: ClaudeSdk;
  readonly start: ClaudeStart;
}

/** What an agent is made of, before it has a session. */
export interface AgentToAssemble<Answers extends Answering = Answering> {
  readonly wish: AgentRequest;
  readonly person: Person;
  readonly rules: Rules;
  readonly answering: Answers;
  /** See `AgentOptions`. */
  readonly gate?: TurnGate | undefined;
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

/** The same, with its session. */
export interface AgentMaterial<Answers extends Answering = Answering> extends AgentToAssemble<Answers> {
  readonly opened: AgentSession;
}

export interface MadeAgent {
  readonly agent: Agent;
  /** Those that can be chosen, where only the agent itself knows them. */
  readonly models?: () => Promise<readonly ClaudeModel[]>;
}
