import { dirname } from "node:path";
import type { Tool } from "../../agent/tools/tool.ts";
import type { Frame } from "../command/frame.ts";

export interface McpHere {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

const NONE: McpHere = { tools: [], close: async () => undefined };

/** The tools of the workspace's MCP servers, once it is trusted: they start programs. */
export async function openMcp(frame: Frame, workspace: string): Promise<McpHere> {
  const { mcp, trust } = await frame.settings();
  // A session that is resumed may work elsewhere than here, and it is here that was trusted.
  if (mcp === undefined || dirname(mcp) !== workspace) return NONE;
  const { output, strings, surroundings } = frame;
  if (trust !== "trusted") {
    output.warn(strings.agent.mcpUntrusted(mcp));
    return NONE;
  }
  const { readMcpConfig } = await import("../../agent/mcp/config.ts");
  const config = await readMcpConfig(workspace);
  if (config === undefined) return NONE;
  const { DEFAULT_PATIENCE, proxiedFetch } = await import("../../agent/models/proxy.ts");
  const { connectMcp } = await import("../../agent/mcp/connect.ts");
  return connectMcp(config, {
    workspace,
    signal: surroundings.cancelled,
    environment: surroundings.environment,
    fetch: proxiedFetch(surroundings.environment, DEFAULT_PATIENCE),
    onTrouble: ({ server, message, hint }) => output.warn(strings.agent.mcpTrouble(server, message, hint)),
  });
}
