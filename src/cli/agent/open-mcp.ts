import type { Tool } from "../../agent/tools/tool.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Frame } from "../command/frame.ts";

export interface McpHere {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

export const NO_MCP: McpHere = { tools: [], close: async () => undefined };

/**
 * The tools of the workspace's MCP servers, once it is trusted: they start programs. Whoever stops it gets CANCELLED when
 * those that were started are gone.
 */
export async function openMcp(frame: Frame, signal: AbortSignal): Promise<McpHere> {
  const { mcp, trust } = await frame.settings();
  if (mcp === undefined) return NO_MCP;
  const { output, strings, surroundings } = frame;
  if (trust !== "trusted") {
    output.warn(strings.agent.mcpUntrusted(mcp));
    return NO_MCP;
  }
  const { readMcpConfig } = await import("../../agent/mcp/config.ts");
  const workspace = await frame.workspace();
  const config = await readMcpConfig(workspace);
  if (config === undefined) return NO_MCP;
  const { DEFAULT_LIMITS, httpFetch } = await import("../../agent/http/http-fetch.ts");
  const { connectMcp } = await import("../../agent/mcp/connect.ts");
  const connections = await connectMcp(config, {
    workspace,
    signal,
    environment: surroundings.environment,
    fetch: httpFetch(surroundings.environment, DEFAULT_LIMITS),
    onTrouble: ({ server, message, hint }) => {
      // That it did not start is then no trouble of the server's.
      if (!signal.aborted) output.warn(strings.agent.mcpTrouble(server, message, hint));
    },
  });
  if (!signal.aborted) return connections;
  await connections.close();
  throw new WorldlineError("cancelled", { left: "unasked" });
}
