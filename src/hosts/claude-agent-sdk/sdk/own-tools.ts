import { BACKTRACK_TOOL } from "../../../record/parts.ts";

/** Our server inside the SDK's process. */
export const OWN_SERVER = "worldline";

export type LogName = (tool: string) => string;

/**
 * What our log calls a tool of the SDK's: our own keeps its name, so that whoever reads the log knows it whichever agent
 * called. Where ours is not there, a server of the person's may be called so.
 */
export function logNames(backtrack: "on" | "off"): LogName {
  const own = `mcp__${OWN_SERVER}__${BACKTRACK_TOOL}`;
  return (tool) => (backtrack === "on" && tool === own ? BACKTRACK_TOOL : tool);
}
