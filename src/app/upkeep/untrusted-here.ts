import { join } from "node:path";
import { type McpServer, readMcpConfig } from "../../agent/mcp/config.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { HostName } from "../agent/agent-request.ts";
import type { AppContext } from "../context.ts";
import { provideHome } from "../places/home.ts";
import { readValues } from "../settings/file/read-values.ts";
import { loadSettings, readTrustSubject } from "../settings/settings.ts";
import { recordWholeTrust, sealOf, trustedPaths } from "../settings/trust.ts";
import { shownValue } from "../settings/value-text.ts";
import type { Untrusted } from "./upkeep-types.ts";

/** Files that change all the time cannot be shown to anybody. */
const MOST_READS = 3;

/** What in the folder is ignored until it is trusted; undefined where there is nothing, or it is trusted. */
export async function untrustedHere(context: AppContext, host: HostName): Promise<Untrusted | undefined> {
  for (let read = 1; ; read += 1) {
    const seal = await sealHere(context);
    const listed = await listHere(context, host);
    if (listed === undefined) return undefined;
    if ((await sealHere(context)) === seal) return { ...listed, seal };
    // Nothing has this seal, so nothing can be trusted by it.
    if (read === MOST_READS) return { ...listed, seal: "" };
  }
}

async function sealHere(context: AppContext): Promise<string> {
  return sealOf(await readTrustSubject(context.home, await context.workspace()));
}

async function listHere(context: AppContext, host: HostName): Promise<Omit<Untrusted, "seal"> | undefined> {
  const { explained, trust, mcp, claude } = await loadSettings(await context.settingsRequest());
  const isClaudes = host === "claude" && claude === "untrusted";
  if (trust !== "untrusted" && !isClaudes) return undefined;
  const settings = explained.flatMap(({ key, ignored }) =>
    ignored.map(({ value }) => `${key}: ${shownValue(value)}`),
  );
  const folder = await context.workspace();
  const servers = mcp === undefined || trust !== "untrusted" ? [] : await serversIn(folder);
  return { folder, what: [...settings, ...servers, ...(isClaudes ? [join(folder, ".claude")] : [])] };
}

/** What would be started, or reached: whoever is to trust a file must see what it says. */
async function serversIn(folder: string): Promise<readonly string[]> {
  try {
    const { servers = [], file = "" } = (await readMcpConfig(folder)) ?? {};
    return servers.length === 0 ? [file] : servers.map((server) => `MCP ${server.name}: ${startOf(server)}`);
  } catch (error) {
    if (isWorldlineError(error)) return [error.message];
    throw error;
  }
}

function startOf(server: McpServer): string {
  if (server.kind === "http") return server.url;
  const variables = Object.entries(server.env).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...[server.command, ...server.args].map(asWord)].join(" ");
}

/** Where one word ends and the next begins must be seen. */
function asWord(word: string): string {
  return /^[^\s"'\\]+$/u.test(word) ? word : JSON.stringify(word);
}

/** Trusts the folder's files exactly as they were shown. */
export async function trustHere(
  context: AppContext,
  shown: Untrusted,
): Promise<"trusted" | "nothing" | "changed"> {
  const subject = await readTrustSubject(context.home, await context.workspace());
  if (sealOf(subject) !== shown.seal) return "changed";
  // A file that cannot be read has not been seen, so it cannot be trusted either.
  for (const content of subject.files) readValues(content, content.layer);
  if (trustedPaths(subject).length === 0) return "nothing";
  await provideHome(context.home);
  await recordWholeTrust(subject);
  return "trusted";
}
