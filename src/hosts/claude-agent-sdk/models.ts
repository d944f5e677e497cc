import { WorldlineError } from "../../record/error.ts";
import type { ClaudeAgentParts } from "./claude-agent-parts.ts";
import { PromptStream } from "./conversation/prompt-stream.ts";
import { failureOfThrown } from "./sdk/failure.ts";
import type { SdkModel, SdkQuery } from "./sdk/sdk-types.ts";

/** A model as the SDK offers it. */
export interface ClaudeModel {
  readonly name: string;
  readonly description: string;
  /** What its name stands for today. */
  readonly resolved?: string;
}

/** Asks the process that runs, or one that is started only to be asked. */
export async function modelsOf(
  parts: Pick<ClaudeAgentParts, "sdk" | "start" | "session">,
  live: SdkQuery | undefined,
): Promise<readonly ClaudeModel[]> {
  if (live !== undefined) return (await live.supportedModels()).map(modelOf);
  const input = new PromptStream();
  const { env, settingSources } = parts.start;
  const cwd = parts.session.header.workspace;
  const query = parts.sdk.query({
    prompt: input,
    options: { cwd, env, settingSources, persistSession: false },
  });
  try {
    return (await query.supportedModels()).map(modelOf);
  } catch (error) {
    throw failureOfThrown(error, "");
  } finally {
    input.end();
    query.close();
  }
}

function modelOf({ value, description, resolvedModel }: SdkModel): ClaudeModel {
  return { name: value, description, ...(resolvedModel === undefined ? {} : { resolved: resolvedModel }) };
}

/** The SDK's own name for the model; also a full name that its list does not have, as new ones and gateways need. */
export function requireModel(wanted: string, models: readonly ClaudeModel[]): string {
  const name = wanted.replace(/^(?:anthropic|claude)\//u, "");
  const known = models.find((model) => model.name === name || model.resolved === name);
  if (known !== undefined || /^claude-|[.:/]/u.test(name)) return name;
  throw new WorldlineError("claude-model-unknown", {
    model: wanted,
    offered: models.map((model) => model.name),
  });
}
