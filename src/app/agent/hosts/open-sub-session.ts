import type { OpenSubSession } from "../../../agent/agent-context.ts";
import { createSession, type Ground } from "../../../machine/open.ts";
import type { AgentSession } from "../agent-session.ts";

/** Makes the logs of sub-agents, beside that of the session they work for. */
export function openSubSessionIn({ ground, session }: AgentSession): OpenSubSession {
  return async (task) =>
    createSession(
      withoutFiles(ground),
      { ...task, workspace: session.header.workspace, backtrack: "off" },
      { name: "worldline, a sub-agent" },
    );
}

/** What a sub-agent changes is captured by the session that it works for. */
function withoutFiles({ files: _, ...ground }: Ground): Ground {
  return ground;
}
