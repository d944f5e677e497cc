import { z } from "zod";
import { backtrackTool } from "../../../agent/tools/conversation.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { parseInput } from "../../../agent/tools/tool.ts";
import { isJsonObject, type Json, textOf } from "../../../record/parts.ts";
import { OWN_SERVER } from "../sdk/content.ts";
import type { ClaudeSdk, SdkToolResult } from "../sdk/sdk-types.ts";
import type { ClaudeContext } from "./claude-context.ts";

/** The field that the SDK uses to identify a tool's call. */
const CALL_ID = "claudecode/toolUseId";

/**
 * Creates a server inside the SDK's process that offers Backtrack as a tool. Does not create a server if backtracks are
 * off in the session.
 */
export function ownServers(sdk: ClaudeSdk, context: ClaudeContext): Readonly<Record<string, unknown>> {
  if (context.session.header.backtrack === "off") return {};
  const { name, description, input } = toolOf(context);
  // The SDK needs the list of fields. The input is checked for other fields when the call arrives.
  const fields = input instanceof z.ZodObject ? input.shape : {};
  const tool = sdk.tool(name, description, fields, async (given, extra) =>
    backtrack(context, given, callOf(extra)),
  );
  return { [OWN_SERVER]: sdk.createSdkMcpServer({ name: OWN_SERVER, alwaysLoad: true, tools: [tool] }) };
}

function toolOf({ session, settings, mode }: ClaudeContext): Tool {
  return backtrackTool({ session, manner: settings.backtrack, mode });
}

function callOf(extra: unknown): string {
  const meta = (extra as { readonly _meta?: unknown } | undefined)?._meta;
  const id = isJsonObject(meta) ? meta[CALL_ID] : undefined;
  return typeof id === "string" ? id : "";
}

/**
 * Records the request for a backtrack. The backtrack is carried out when all calls of the step have ended. The hook
 * that runs after the calls waits for this.
 */
async function backtrack(context: ClaudeContext, given: unknown, id: string): Promise<SdkToolResult> {
  const call = context.calls.get(id);
  if (call === undefined || call.task !== undefined)
    return refused("Backtrack is not available in this context.");
  const tool = toolOf(context);
  // The input came as JSON from another process.
  const parsed = parseInput(tool, given as Json);
  if ("error" in parsed) return refused(parsed.error);
  const onOutput = (): void => undefined;
  const result = await tool.run(parsed.input, { id, signal: context.now.signal, onOutput });
  if (result !== "later") {
    const text = textOf(result.parts);
    if (result.outcome === "denied") {
      call.denied = text;
      call.deniedFor = result.reason;
    }
    return refused(text);
  }
  call.result = "later";
  context.now.stop = "backtrack";
  return { content: [{ type: "text", text: "Going back when this step ends." }] };
}

function refused(text: string): SdkToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
