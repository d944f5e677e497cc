import { viewSession } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import { hostLineOfPrompt } from "../../../timeline/checkpoints.ts";
import type { Outline } from "../../../timeline/outline.ts";
import { nearest } from "../../../timeline/outline.ts";
import type { Row } from "../../../timeline/row.ts";
import type { AppContext } from "../../context.ts";
import { openStore } from "../../sessions/ground.ts";
import { type AgentRequest, type HostName, hostNames } from "../agent-request.ts";
import { wantedSession } from "../agent-session.ts";

export interface SettledHost {
  readonly host: HostName;
  /** The same wish; a session that was only described is named now. */
  readonly wish: AgentRequest;
}

/**
 * Whose agent it is: the one that the wish names; else the one that the session had last; else `usual`, or what the
 * settings say.
 */
export async function settleHost(
  context: AppContext,
  wish: AgentRequest,
  usual?: HostName,
): Promise<SettledHost> {
  if (wish.host !== undefined) return { host: wish.host, wish };
  const { values } = await context.settings();
  const otherwise = usual ?? values.host;
  const session = await wantedSession(context, wish.resume);
  if (session === undefined) return { host: otherwise, wish };
  const host = await lastHost(await viewSession(openStore(context), session));
  return { host: host ?? otherwise, wish: { ...wish, resume: { how: "resume", wanted: session } } };
}

/** Who answered last on the branch of the head; where nothing was asked there, in the whole log. */
export async function lastHost(view: SessionView): Promise<HostName | undefined> {
  const { outline } = view;
  const row = nearest(outline, outline.head, saysWho) ?? newest(outline);
  if (row === undefined) return undefined;
  const said = row.kind === "host" ? row : hostLineOfPrompt(outline, row);
  if (said === undefined) return "native";
  const [entry] = await view.storedEntries([said.seq]);
  return entry?.kind === "host" ? hostNames.find((name) => name === entry.host) : undefined;
}

/** Another agent writes who it is behind every prompt; ours does not. */
function saysWho({ kind }: Row): boolean {
  return kind === "host" || kind === "prompt";
}

function newest(outline: Outline): Row | undefined {
  const line = Math.max(outline.linesOf("host").at(-1) ?? 0, outline.linesOf("prompt").at(-1) ?? 0);
  return outline.at(line);
}
