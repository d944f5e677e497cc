import { join } from "node:path";
import type { McpServer } from "../../agent/mcp/config.ts";
import type { HostName } from "../../ports/agent.ts";
import { foreignText, isWorldlineError, type Problem, problemOf } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { provideHome } from "../places/home.ts";
import { readValues } from "./files.ts";
import { shownValue } from "./kinds.ts";
import {
  forgetTrust,
  loadSettings,
  readTrust,
  readTrustSubject,
  recordWholeTrust,
  sealOf,
  type TrustSubject,
  trustedPaths,
} from "./settings.ts";

/** A workspace's configuration that is ignored until the user trusts it. */
export interface Untrusted {
  readonly folder: string;
  /** Settings that are ignored, and MCP servers that are not started. */
  readonly what: readonly Problem[];
  /** Identifies the exact configuration that was shown. */
  readonly seal: string;
}

/**
 * Maximum number of reads while the files keep changing. If the files are still changing during the last read, they are
 * shown but cannot be trusted.
 */
const MAX_READS = 3;

/**
 * Returns the configuration that is ignored until the workspace is trusted. Returns undefined if there is none or if
 * the workspace is already trusted.
 */
export async function untrustedIn(context: AppContext, host: HostName): Promise<Untrusted | undefined> {
  for (let read = 1; ; read += 1) {
    const seal = await sealNow(context);
    const listed = await listNow(context, host);
    if (listed === undefined) return undefined;
    if ((await sealNow(context)) === seal) return { ...listed, seal };
    // No configuration has this seal, so `trustShown` will trust nothing.
    if (read === MAX_READS) return { ...listed, seal: "" };
  }
}

async function sealNow(context: AppContext): Promise<string> {
  return sealOf(await readTrustSubject(context.home, await context.workspace()));
}

async function listNow(context: AppContext, host: HostName): Promise<Omit<Untrusted, "seal"> | undefined> {
  const { explained, trust, mcp, claude } = await loadSettings(await context.settingsRequest());
  const isClaudes = host === "claude" && claude === "untrusted";
  if (trust !== "untrusted" && !isClaudes) return undefined;
  const settings = explained.flatMap(({ key, ignored }) =>
    ignored.map(({ value }) => foreignText(`${key}: ${shownValue(value)}`)),
  );
  const folder = await context.workspace();
  const servers = mcp === undefined || trust !== "untrusted" ? [] : await serversIn(folder);
  return {
    folder,
    what: [...settings, ...servers, ...(isClaudes ? [foreignText(join(folder, ".claude"))] : [])],
  };
}

/** Describes the servers that would be started or contacted, so that users see what they trust. */
async function serversIn(folder: string): Promise<readonly Problem[]> {
  // Imported here because `config.ts` loads the tools' schemas, which no other settings code needs.
  const { readMcpConfig } = await import("../../agent/mcp/config.ts");
  try {
    const { servers = [], file = "" } = (await readMcpConfig(folder)) ?? {};
    const started = servers.map((server) => `MCP ${server.name}: ${startOf(server)}`);
    return (started.length === 0 ? [file] : started).map(foreignText);
  } catch (error) {
    if (isWorldlineError(error)) return [problemOf(error)];
    throw error;
  }
}

function startOf(server: McpServer): string {
  if (server.kind === "http") return server.url;
  const variables = Object.entries(server.env).map(([name, value]) => `${name}=${value}`);
  return [...variables, ...[server.command, ...server.args].map(asWord)].join(" ");
}

/** Quotes a word if it would otherwise be unclear where the word ends. */
function asWord(word: string): string {
  return /^[^\s"'\\]+$/u.test(word) ? word : JSON.stringify(word);
}

interface Trusted {
  readonly outcome: "trusted" | "nothing-to-trust";
  readonly files: readonly string[];
}

/**
 * Trusts the workspace's files exactly as they were shown. If the files have changed since then, trusts nothing and
 * returns "changed".
 */
export async function trustShown(
  context: AppContext,
  shown: Pick<Untrusted, "seal">,
): Promise<Trusted["outcome"] | "changed"> {
  const subject = await readTrustSubject(context.home, await context.workspace());
  if (sealOf(subject) !== shown.seal) return "changed";
  return (await trustSubject(subject)).outcome;
}

/** Trusts the workspace's files as they are now. */
export async function trustWorkspace(context: AppContext): Promise<Trusted> {
  return trustSubject(await readTrustSubject(context.home, await context.workspace()));
}

async function trustSubject(subject: TrustSubject): Promise<Trusted> {
  // A file that cannot be read has not been seen, so it cannot be trusted either.
  for (const content of subject.files) readValues(content, content.layer);
  const files = trustedPaths(subject);
  if (files.length === 0) return { outcome: "nothing-to-trust", files };
  await provideHome(subject.home);
  await recordWholeTrust(subject);
  return { outcome: "trusted", files };
}

/** Withdraws the user's trust in the workspace. Returns "unchanged" if the workspace was not trusted. */
export async function untrustWorkspace(context: AppContext): Promise<"untrusted" | "unchanged"> {
  const workspace = await context.workspace();
  const { byWorkspace } = await readTrust(context.home);
  if (!byWorkspace.has(workspace)) return "unchanged";
  await forgetTrust({ home: context.home, workspace });
  return "untrusted";
}
