/** Our server inside the SDK's process, and what the SDK calls its tools. */
export const OWN_SERVER = "worldline";
const OWN_PREFIX = `mcp__${OWN_SERVER}__`;

/** Our own tools keep their names in the log, so that whoever reads it knows them whichever agent called. */
export function logName(tool: string): string {
  return tool.startsWith(OWN_PREFIX) ? tool.slice(OWN_PREFIX.length) : tool;
}
