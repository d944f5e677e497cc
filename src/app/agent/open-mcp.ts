import type { Tool } from "../../agent/tools/tool.ts";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";

export interface McpHere {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

export const NO_MCP: McpHere = { tools: [], close: async () => undefined };

/**
 * The tools of the workspace's MCP servers, once it is trusted: they start programs. Whoever stops it gets CANCELLED when
 * those that were started are gone.
 */
export async function openMcp(context: AppContext, signal: AbortSignal): Promise<McpHere> {
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
    onTrouble: ({ server, message, hint }) => {
      // That it did not start is then no trouble of the server's.
      if (!signal.aborted) listener.report({ code: "mcp-trouble", server, message, hint });
    },
  });
  if (!signal.aborted) return connections;
  await connections.close();
  throw new WorldlineError("cancelled", { left: "unasked" });
}
