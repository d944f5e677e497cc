import { rm } from "node:fs/promises";
import type { AgentOptions, OpenSubSession } from "../../agent/agent-context.ts";
import { DEFAULT_LIMITS, httpFetch } from "../../agent/http-fetch.ts";
import { costOf, DEFAULT_WINDOW } from "../../agent/models/catalogue.ts";
import { NativeAgent } from "../../agent/native-agent.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { type ClaudeModel, knownModel } from "../../hosts/claude-agent-sdk/models.ts";
import type { ClaudeStart } from "../../hosts/claude-agent-sdk/options.ts";
import type { ClaudeSdk } from "../../hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { createSession, type SessionContext } from "../../machine/open.ts";
import type { Agent } from "../../ports/agent.ts";
import type { Model } from "../../ports/model.ts";
import { WorldlineError } from "../../record/error.ts";
import { repeatableAddress, type StoreAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { tidyStore } from "../files/files.ts";
import { type Environment, keptOutputs } from "../places/home.ts";
import { type AgentSession, openAgentSession } from "../sessions/agent-session.ts";
import type { Settings } from "../settings/table.ts";
import { type AgentRequest, agentSettings } from "./agent-request.ts";
import { type FinderModel, openModel, pricesOf, type RequestedModel } from "./open-model.ts";

export interface AssembledAgent extends MadeAgent {
  readonly opened: AgentSession;
  close(): Promise<void>;
}

/**
 * Opens the session and everything that its agent needs, in the context of the session's workspace. If a step fails or
 * is interrupted, everything that was opened is closed again.
 */
export async function assembleAgent(
  context: AppContext,
  wanted: AgentToAssemble,
  signal: AbortSignal,
): Promise<AssembledAgent> {
  const { request, answering } = wanted;
  const { values } = await context.settings();
  const opened = await openAgentSession(context, { ...request, window: windowOf(answering, values) });
  if (answering.host === "native") answering.finder.workOn(opened);
  let mcp = NO_MCP;
  try {
    // Without this warning, the user would not know that the agent's changes to files cannot be undone.
    if (opened.workspaceFiles.state === "unusable") {
      context.listener.report({ code: "without-files", problem: opened.workspaceFiles.error });
    }
    if (answering.host === "native") mcp = await openMcp(context, signal);
    const made = await makeAgent(context, { ...wanted, opened }, mcp);
    if (signal.aborted) throw new WorldlineError("cancelled", { left: "unasked" });
    const parts = { agent: made.agent, opened, mcp };
    return { ...made, opened, close: async () => closeAll(context, parts) };
  } catch (error) {
    // A second error during closing must not hide the error that the user needs to see.
    await Promise.allSettled([opened.session.close(), mcp.close()]);
    await Promise.allSettled([opened.workspaceFiles.files?.close()]);
    throw error;
  }
}

async function makeAgent(
  context: AppContext,
  material: AgentMaterial,
  { tools }: McpTools,
): Promise<MadeAgent> {
  const { answering } = material;
  const { values } = await context.settings();
  const options = agentOptions(context, material, values);
  return answering.host === "native"
    ? makeNativeAgent(context, options, { ...answering, tools })
    : makeClaudeAgent(options, answering);
}

interface Opened {
  readonly agent: Agent;
  readonly opened: AgentSession;
  readonly mcp: McpTools;
}

/** Closes every part, even if closing one of them fails. */
async function closeAll(context: AppContext, { agent, opened, mcp }: Opened): Promise<void> {
  const { files } = opened.workspaceFiles;
  const ends = await Promise.allSettled([agent.close(), mcp.close()]);
  if (opened.kept === "no") await rm(opened.outputs, { recursive: true, force: true });
  const closed = await Promise.allSettled([files?.close()]);
  if (files !== undefined) await tidyStore(context);
  for (const end of [...ends, ...closed]) if (end.status === "rejected") throw end.reason;
}

/** The models or the SDK that will answer prompts, opened before the agent's session. */
export type Answering = NativeAnswering | ClaudeAnswering;

export interface NativeAnswering extends RequestedModel {
  readonly host: "native";
  /**
   * The finder receives the session as soon as the session is open, because the finder can become the session's model
   * at any time.
   */
  readonly finder: FinderModel;
}

export interface ClaudeAnswering {
  readonly host: "claude";
  readonly sdk: ClaudeSdk;
  readonly start: ClaudeStart;
}

/** Everything that is needed to create an agent, except its session. */
interface AgentToAssemble extends Pick<AgentOptions, "person" | "rules" | "gate" | "checkMode"> {
  readonly request: AgentRequest;
  readonly answering: Answering;
}

/** Everything that is needed to create an agent, including its session. */
interface AgentMaterial extends AgentToAssemble {
  readonly opened: AgentSession;
}

export interface MadeAgent {
  readonly agent: Agent;
  /** Lists the models that the user can choose from; present if only the agent's process knows them. */
  readonly models?: () => Promise<readonly ClaudeModel[]>;
}

/** Returns the options that every agent needs, whichever host runs it. */
function agentOptions(context: AppContext, material: AgentMaterial, values: Settings): AgentOptions {
  const { opened, rules, request, person, gate, checkMode } = material;
  return {
    session: opened.session,
    resumed: opened.resumed,
    mode: request.mode ?? values["permissions.mode"],
    person,
    rules,
    settings: agentSettings(values, request),
    clock: systemClock,
    files: opened.workspaceFiles.files,
    environment: withoutPassword(context.surroundings.environment, context.common.store),
    secretVariables: Object.values(values.providers).flatMap(({ keyVariable }) => keyVariable ?? []),
    ...keptOutputs(opened.outputs),
    openSubSession: openSubSessionIn(opened),
    gate,
    checkMode,
  };
}

/** Creates our own agent, with its models and the MCP servers' tools. */
async function makeNativeAgent(
  context: AppContext,
  options: AgentOptions,
  { finder, models, tools }: NativeAnswering & Pick<McpTools, "tools">,
): Promise<MadeAgent> {
  const { model, summariser } = models;
  const prices = await pricesOf(context);
  const agent = new NativeAgent({
    ...options,
    model,
    summariser,
    fetch: httpFetch(context.surroundings.environment, DEFAULT_LIMITS),
    priceOf: (name, usage) => costOf(usage, name, prices),
    tools,
    openModel: async (name): Promise<Model> =>
      (await openModel(context, { wanted: name, finder: () => finder.model })).model,
  });
  return { agent };
}

/** Creates the agent that runs on the Claude Agent SDK. The SDK itself starts the servers in a trusted `.mcp.json`. */
async function makeClaudeAgent(options: AgentOptions, { sdk, start }: ClaudeAnswering): Promise<MadeAgent> {
  const { ClaudeAgent } = await import("../../hosts/claude-agent-sdk/claude-agent.ts");
  const agent = new ClaudeAgent({ ...options, sdk, start, known: await knownModel(options.session) });
  return { agent, models: async () => agent.models() };
}

/** Creates sub-agents' sessions in the same store as the session that the sub-agents work for. */
function openSubSessionIn({ deps, session }: AgentSession): OpenSubSession {
  return async (task) =>
    createSession(
      withoutFiles(deps),
      { ...task, workspace: session.header.workspace, backtrack: "off" },
      { name: "worldline, a sub-agent" },
    );
}

/** Drops the file capture, because a sub-agent's changes are captured by the session that it works for. */
function withoutFiles({ files: _, ...deps }: SessionContext): SessionContext {
  return deps;
}

/**
 * Returns the size of the context window in tokens. The SDK reports the actual size only with its answers, so for the
 * SDK, this function returns the size from the settings or a default size.
 */
function windowOf(answering: Answering, values: Pick<Settings, "context.window">): number {
  if (answering.host === "native") return answering.models.model.window;
  return values["context.window"] || DEFAULT_WINDOW;
}

/**
 * Removes the password from the store's address, because the model can read the environment of the commands that it
 * runs.
 */
export function withoutPassword(environment: Environment, store: StoreAddress): Environment {
  if (environment["WORLDLINE_STORE"] === undefined) return environment;
  return { ...environment, WORLDLINE_STORE: repeatableAddress(store).text };
}

interface McpTools {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

const NO_MCP: McpTools = { tools: [], close: async () => undefined };

/**
 * Starts the workspace's MCP servers and returns their tools. Because servers are programs, none are started in an
 * untrusted workspace. If the signal is aborted, throws CANCELLED after the servers that were started have stopped.
 */
async function openMcp(context: AppContext, signal: AbortSignal): Promise<McpTools> {
  const { mcp, trust } = await context.settings();
  if (mcp === undefined) return NO_MCP;
  const { listener, surroundings } = context;
  if (trust !== "trusted") {
    listener.report({ code: "mcp-untrusted", file: mcp });
    return NO_MCP;
  }
  const { readMcpConfig } = await import("../../agent/mcp/config.ts");
  const workspace = await context.workspace();
  const config = await readMcpConfig(workspace);
  if (config === undefined) return NO_MCP;
  const { DEFAULT_LIMITS, httpFetch } = await import("../../agent/http-fetch.ts");
  const { connectMcp } = await import("../../agent/mcp/connect.ts");
  const connections = await connectMcp(config, {
    workspace,
    signal,
    environment: surroundings.environment,
    fetch: httpFetch(surroundings.environment, DEFAULT_LIMITS),
    onTrouble: ({ server, problem }) => {
      // A server that failed to start because of an interrupt is not reported as a problem.
      if (!signal.aborted) listener.report({ code: "mcp-trouble", server, problem });
    },
  });
  if (!signal.aborted) return connections;
  await connections.close();
  throw new WorldlineError("cancelled", { left: "unasked" });
}
