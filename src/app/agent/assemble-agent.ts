import { rm } from "node:fs/promises";
import type { Agent } from "../../ports/agent.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { noteCaptured } from "../files/files.ts";
import { tidyStore } from "../files/tidy-store.ts";
import { type AgentSession, openAgentSession } from "./agent-session.ts";
import type { AgentMaterial, AgentToAssemble, MadeAgent } from "./hosts/answering.ts";
import { makeClaudeAgent } from "./hosts/make-claude-agent.ts";
import { makeNativeAgent } from "./hosts/make-native-agent.ts";
import { windowOf } from "./hosts/window-of.ts";
import { type McpHere, NO_MCP, openMcp } from "./open-mcp.ts";

export interface AssembledAgent extends MadeAgent {
  readonly opened: AgentSession;
  close(): Promise<void>;
}

/**
 * Opens the session and what the agent needs beside it, in the context of the session's workspace. Whatever goes wrong, or
 * stops it, closes what was opened.
 */
export async function assembleAgent(
  context: AppContext,
  wanted: AgentToAssemble,
  signal: AbortSignal,
): Promise<AssembledAgent> {
  const { wish, answering } = wanted;
  const { values } = await context.settings();
  const opened = await openAgentSession(context, { ...wish, window: windowOf(answering, values) });
  if (answering.host === "native") answering.finder.workOn(opened);
  let mcp = NO_MCP;
  try {
    // Else nobody would know that what the agent does to files cannot be taken back.
    if (opened.here.state === "unusable") {
      context.listener.report({ code: "without-files", problem: opened.here.error });
    }
    if (answering.host === "native") mcp = await openMcp(context, signal);
    const made = await makeAgent(context, { ...wanted, opened }, mcp);
    if (signal.aborted) throw new WorldlineError("cancelled", { left: "unasked" });
    const parts = { agent: made.agent, opened, mcp };
    return { ...made, opened, close: async () => closeAll(context, parts) };
  } catch (error) {
    // What went wrong first is what the person is told.
    await Promise.allSettled([opened.session.close(), mcp.close()]);
    await Promise.allSettled([opened.here.files?.close()]);
    throw error;
  }
}

async function makeAgent(context: AppContext, material: AgentMaterial, mcp: McpHere): Promise<MadeAgent> {
  const { answering } = material;
  return answering.host === "native"
    ? makeNativeAgent(context, { ...material, answering }, mcp)
    : makeClaudeAgent(context, { ...material, answering });
}

interface Opened {
  readonly agent: Agent;
  readonly opened: AgentSession;
  readonly mcp: McpHere;
}

/** Each to its end, whatever the others do: nothing may be left behind. */
async function closeAll(context: AppContext, { agent, opened, mcp }: Opened): Promise<void> {
  const { files } = opened.here;
  const ends = await Promise.allSettled([agent.close(), mcp.close()]);
  if (opened.kept === "no") await rm(opened.outputs, { recursive: true, force: true });
  const closed = await Promise.allSettled([files?.close()]);
  if (files !== undefined) {
    noteCaptured(files);
    await tidyStore(context);
  }
  for (const end of [...ends, ...closed]) if (end.status === "rejected") throw end.reason;
}
