import type { Frame } from "../../cli/frame.ts";
import type { HostSession } from "../../machine/forget/other-agents.ts";
import { oneLine } from "../../record/visible-text.ts";

/** What other agents keep of sessions that knew it. It is not ours: the person is told where it is. */
export interface KeptByHosts {
  readonly home: string;
  readonly sessions: readonly string[];
  readonly paths: readonly string[];
}

export async function keptByHosts(frame: Frame, hostSessions: readonly HostSession[]): Promise<KeptByHosts> {
  const { keptFilesOf, sdkHome } = await import("../../hosts/claude-agent-sdk/sdk/kept-files.ts");
  const home = sdkHome(frame.surroundings.environment);
  const sessions = hostSessions.filter(({ host }) => host === "claude").map(({ hostSession }) => hostSession);
  return { home, sessions, paths: sessions.length === 0 ? [] : await keptFilesOf(home, sessions) };
}

export function keptLines(
  words: Frame["strings"]["forget"],
  { home, sessions, paths }: KeptByHosts,
): readonly string[] {
  if (sessions.length === 0) return [];
  if (paths.length === 0) return [words.notKeptByClaude(oneLine(home), oneLine(sessions.join(", ")))];
  return [words.keptByClaude(oneLine(home)), ...paths.map((path) => words.place(oneLine(path)))];
}
