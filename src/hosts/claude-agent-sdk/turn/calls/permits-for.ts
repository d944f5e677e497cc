import { grantsOn } from "../../../../agent/branch/grants.ts";
import type { PermitScene } from "../../permissions/permit-call.ts";
import type { ClaudeContext } from "../claude-context.ts";
import type { Call } from "./call-book.ts";

/** What a sub-agent was granted is in its own log, and holds for itself alone, beside what the session was granted. */
export function permitsFor({ permits }: ClaudeContext, { task, session }: Call): PermitScene {
  if (task === undefined) return permits;
  return { ...permits, grants: async () => [...(await permits.grants()), ...(await grantsOn(session))] };
}
