import type { AgentSettings } from "../../agent/agent-context.ts";
import { type Rules, requireRule } from "../../agent/permissions/rules.ts";
import { viewSession } from "../../machine/open.ts";
import type { SessionView } from "../../machine/view.ts";
import type { HostName } from "../../ports/agent.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { hostLineOfPrompt } from "../../timeline/checkpoints.ts";
import { nearest, type Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import type { AppContext } from "../context.ts";
import type { ResumeRequest } from "../sessions/agent-session.ts";
import { wantedSession } from "../sessions/agent-session.ts";
import { openStore } from "../sessions/store.ts";
import type { Settings } from "../settings/table.ts";

/** The session that an agent is opened for, and how the agent works. */
export interface AgentRequest {
  /** The model, as "provider/name"; if absent, the settings and keys determine which model is used. */
  readonly model?: string | undefined;
  /** The permission mode; if absent, the mode in the settings applies. */
  readonly mode?: PermissionMode | undefined;
  /** Permission rules in addition to those in the settings. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly maxSteps?: number | undefined;
  readonly resume: ResumeRequest;
  /** "yes": the agent works on a fork, and the named session stays unchanged. */
  readonly fork: "yes" | "no";
  /** If absent, the host that last worked on the session is used or, for a new session, the host in the settings. */
  readonly host?: HostName | undefined;
  /** "no": nothing is written under Worldline's home. */
  readonly keepSession: "yes" | "no";
  /**
   * "open": the agent opens even without a model, and everything except the conversation works. By default, opening an
   * agent without a model fails.
   */
  readonly withoutModel?: "open" | undefined;
}

export const hostNames: readonly HostName[] = ["native", "claude"];

/** Combines the settings and the command line into the agent's settings. */
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

/** Returns the rules from the settings and the command line. Throws if a rule is invalid, before anything is opened. */
export function readableRules(values: Settings, request: Pick<AgentRequest, "allow" | "deny">): Rules {
  const rules = permissionRules(values, request);
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

interface SettledHost {
  readonly host: HostName;
  /** The original request, but with the session's id if the request identified the session in another way. */
  readonly request: AgentRequest;
}

/**
 * Decides which host's agent works on the session: the host in the request, otherwise the host that last worked on the
 * session, otherwise `usual`, otherwise the host in the settings.
 */
export async function settleHost(
  context: AppContext,
  request: AgentRequest,
  usual?: HostName,
): Promise<SettledHost> {
  if (request.host !== undefined) return { host: request.host, request };
  const { values } = await context.settings();
  const otherwise = usual ?? values.host;
  const session = await wantedSession(context, request.resume);
  if (session === undefined) return { host: otherwise, request };
  const host = await lastHost(await viewSession(openStore(context), session));
  return { host: host ?? otherwise, request: { ...request, resume: { how: "resume", wanted: session } } };
}

/** Returns the host that last answered on the head's branch, or in the whole log if that branch has no prompt. */
export async function lastHost(view: SessionView): Promise<HostName | undefined> {
  const { outline } = view;
  const row = nearest(outline, outline.head, saysWho) ?? newest(outline);
  if (row === undefined) return undefined;
  const said = row.kind === "host" ? row : hostLineOfPrompt(outline, row);
  if (said === undefined) return "native";
  const [entry] = await view.storedEntries([said.seq]);
  return entry?.kind === "host" ? hostNames.find((name) => name === entry.host) : undefined;
}

/**
 * Checks whether an entry shows which host answered. After every prompt, another host's agent logs an entry that names
 * the host, whereas our own agent does not.
 */
function saysWho({ kind }: Row): boolean {
  return kind === "host" || kind === "prompt";
}

function newest(outline: Outline): Row | undefined {
  const line = Math.max(outline.linesOf("host").at(-1) ?? 0, outline.linesOf("prompt").at(-1) ?? 0);
  return outline.at(line);
}
