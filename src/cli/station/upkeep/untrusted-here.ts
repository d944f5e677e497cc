import { join } from "node:path";
import { type McpServer, readMcpConfig } from "../../../agent/mcp/config.ts";
import type { Untrusted } from "../../../ports/station/upkeep.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";
import type { HostName } from "../../commands/agent/wish.ts";
import { provideHome } from "../../places/home.ts";
import { readValues } from "../../settings/file/read-values.ts";
import { loadSettings, readTrustSubject } from "../../settings/settings.ts";
import { recordWholeTrust, sealOf, trustedPaths } from "../../settings/trust.ts";
import { shownValue } from "../../settings/value-text.ts";

/** Files that change all the time cannot be shown to anybody. */
const MOST_READS = 3;

/** What in the folder is ignored until it is trusted; undefined where there is nothing, or it is trusted. */
export async function untrustedHere(frame: Frame, host: HostName): Promise<Untrusted | undefined> {
  for (let read = 1; ; read += 1) {
    const seal = await sealHere(frame);
    const listed = await listHere(frame, host);
    if (listed === undefined) return undefined;
    if ((await sealHere(frame)) === seal) return { ...listed, seal };
    // Nothing has this seal, so nothing can be trusted by it.
    if (read === MOST_READS) return { ...listed, seal: "" };
  }
}

async function sealHere(frame: Frame): Promise<string> {
  return sealOf(await readTrustSubject(frame.home, await frame.workspace()));
}

async function listHere(frame: Frame, host: HostName): Promise<Omit<Untrusted, "seal"> | undefined> {
  const { explained, trust, mcp, claude } = await loadSettings(await frame.settingsRequest());
  const isClaudes = host === "claude" && claude === "untrusted";
  if (trust !== "untrusted" && !isClaudes) return undefined;
  const settings = explained.flatMap(({ key, ignored }) =>
    ignored.map(({ value }) => `${key}: ${shownValue(value)}`),
  );
  const folder = await frame.workspace();
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
export async function trustHere(frame: Frame, shown: Untrusted): Promise<"trusted" | "nothing" | "changed"> {
  const subject = await readTrustSubject(frame.home, await frame.workspace());
  if (sealOf(subject) !== shown.seal) return "changed";
  // A file that cannot be read has not been seen, so it cannot be trusted either.
  for (const content of subject.files) readValues(content, content.layer);
  if (trustedPaths(subject).length === 0) return "nothing";
  await provideHome(frame.home);
  await recordWholeTrust(subject);
  return "trusted";
}
