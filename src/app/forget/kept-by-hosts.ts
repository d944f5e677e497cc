import type { HostSession } from "../../machine/forget/other-agents.ts";
import type { AppContext } from "../context.ts";

/** What other agents keep of sessions that had it. It is not ours to change: the user is shown where it is. */
export interface KeptByHosts {
  readonly home: string;
  readonly sessions: readonly string[];
  readonly paths: readonly string[];
}

export async function keptByHosts(
  context: AppContext,
  hostSessions: readonly HostSession[],
): Promise<KeptByHosts> {
  const { keptFilesOf, sdkHome } = await import("../../hosts/claude-agent-sdk/sdk/kept-files.ts");
  const home = sdkHome(context.surroundings.environment);
  const sessions = hostSessions.filter(({ host }) => host === "claude").map(({ hostSession }) => hostSession);
  return { home, sessions, paths: sessions.length === 0 ? [] : await keptFilesOf(home, sessions) };
}
