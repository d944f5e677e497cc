import type { AgentSettings } from "../../agent/agent-context.ts";
import { type Rules, requireRule } from "../../agent/permissions/rules.ts";
import type { Settings } from "../settings/table.ts";
import type { AgentRequest } from "./agent-request.ts";

/** What the settings and the command line say of how the agent works. */
export function agentSettings(values: Settings, { maxSteps }: Pick<AgentRequest, "maxSteps">): AgentSettings {
  return {
    maxSteps: maxSteps ?? values["agent.maxSteps"],
    maxRetries: values["recovery.maxRetries"],
    firstWaitMs: values["snapshots.firstWaitMs"],
    backtrack: { display: values["backtrack.display"], mention: values["backtrack.mention"] },
    compaction: {
      auto: values["compaction.auto"] ? "on" : "off",
      ratio: values["compaction.ratio"],
      keep: values["compaction.keep"],
      reserve: values["compaction.reserve"],
    },
  };
}

/** Those of the settings and of the command line. One that cannot be read is said before anything is opened. */
export function readableRules(values: Settings, wish: Pick<AgentRequest, "allow" | "deny">): Rules {
  const rules = permissionRules(values, wish);
  for (const rule of [...rules.allow, ...rules.ask, ...rules.deny]) requireRule(rule);
  return rules;
}

function permissionRules(values: Settings, { allow, deny }: Pick<AgentRequest, "allow" | "deny">): Rules {
  return {
    allow: [...values["permissions.allow"], ...allow],
    ask: values["permissions.ask"],
    deny: [...values["permissions.deny"], ...deny],
  };
}
