import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { WhyTrustUnreadable } from "../../strings/errors/en/settings.ts";
import { systemCode } from "../places/system-error.ts";
import type { ClaudeFolder } from "./file/claude-folder.ts";
import type { SettingsFileContent } from "./file/settings-files.ts";
import { replaceFile } from "./write-file.ts";

/** What a workspace says of itself, as trust sees it: where it stands, and exactly what it says. */
export interface TrustSubject {
  readonly home: string;
  /** The real path: a link to a trusted folder leads to the trusted folder. */
  readonly workspace: string;
  /** The workspace's own files that are there. */
  readonly files: readonly SettingsFileContent[];
  /** Its `.mcp.json`, if there is one: it names programs to start. */
  readonly mcp: TrustedFile | undefined;
  /** Its `.claude`, if there is one: trusted for itself, because only one host reads it. */
  readonly claude: ClaudeFolder | undefined;
}

/** A file that is trusted, or not, by its bytes alone. */
export interface TrustedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type TrustState = "trusted" | "untrusted" | "nothing-to-trust";

/** The fingerprint trusted for each workspace. A file that cannot be read trusts nothing, and says so. */
export interface TrustRecord {
  readonly byWorkspace: ReadonlyMap<string, string>;
  readonly claudeByWorkspace: ReadonlyMap<string, string>;
  readonly damage?: WhyTrustUnreadable;
}

export function trustFile(home: string): string {
  return join(home, "trust.json");
}

export async function readTrust(home: string): Promise<TrustRecord> {
  const none = { byWorkspace: new Map<string, string>(), claudeByWorkspace: new Map<string, string>() };
  try {
    const json: unknown = JSON.parse(await readFile(trustFile(home), "utf8"));
    if (!isJsonObject(json) || !isJsonObject(json["workspaces"])) {
      return { ...none, damage: "foreign" };
    }
    return {
      byWorkspace: fingerprintsIn(json["workspaces"]),
      claudeByWorkspace: fingerprintsIn(json["claude"]),
    };
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
    return missing ? none : { ...none, damage: { system: String(error) } };
  }
}

function fingerprintsIn(json: unknown): ReadonlyMap<string, string> {
  const pairs = Object.entries(isJsonObject(json) ? json : {});
  return new Map(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

export function trustStateOf(subject: TrustSubject, record: TrustRecord): TrustState {
  if (subject.files.length === 0 && subject.mcp === undefined) return "nothing-to-trust";
  return record.byWorkspace.get(subject.workspace) === fingerprintOf(subject) ? "trusted" : "untrusted";
}

/** All that would be trusted. */
export function trustedPaths({ files, mcp, claude }: TrustSubject): readonly string[] {
  return [...files, ...(mcp === undefined ? [] : [mcp]), ...(claude === undefined ? [] : [claude])].map(
    ({ path }) => path,
  );
}

/** Whether the Claude Agent SDK may be told to read what the workspace says to it. */
export function claudeTrustOf({ claude, workspace }: TrustSubject, record: TrustRecord): TrustState {
  if (claude === undefined) return "nothing-to-trust";
  return record.claudeByWorkspace.get(workspace) === fingerprintOfClaude(claude) ? "trusted" : "untrusted";
}

/** Stands for all that the subject says, its `.claude` too. */
export function sealOf(subject: TrustSubject): string {
  return [
    fingerprintOf(subject),
    ...(subject.claude === undefined ? [] : [fingerprintOfClaude(subject.claude)]),
  ].join(" ");
}

/** Trusts the settings as they are in `subject`; any change to them ends it. */
export async function recordTrust(subject: TrustSubject): Promise<void> {
  await changeTrust(subject.home, ({ workspaces }) =>
    workspaces.set(subject.workspace, fingerprintOf(subject)),
  );
}

/** The same, and what it says to the Claude Agent SDK too. */
export async function recordWholeTrust(subject: TrustSubject): Promise<void> {
  await changeTrust(subject.home, ({ workspaces, claude }) => {
    workspaces.set(subject.workspace, fingerprintOf(subject));
    if (subject.claude !== undefined) claude.set(subject.workspace, fingerprintOfClaude(subject.claude));
  });
}

export async function forgetTrust({
  home,
  workspace,
}: Pick<TrustSubject, "home" | "workspace">): Promise<void> {
  await changeTrust(home, ({ workspaces, claude }) => {
    workspaces.delete(workspace);
    claude.delete(workspace);
  });
}

/** Two programs that do this at once may lose one's change; what is lost is trust, which can be given again. */
async function changeTrust(
  home: string,
  change: (trusted: { workspaces: Map<string, string>; claude: Map<string, string> }) => unknown,
): Promise<void> {
  const { byWorkspace, claudeByWorkspace, damage } = await readTrust(home);
  if (damage !== undefined) {
    throw new WorldlineError("trust-unreadable", { file: trustFile(home), why: damage });
  }
  const workspaces = new Map(byWorkspace);
  const claude = new Map(claudeByWorkspace);
  change({ workspaces, claude });
  const sorted = (all: Map<string, string>) => Object.fromEntries([...all].sort());
  const others = claude.size === 0 ? {} : { claude: sorted(claude) };
  const text = JSON.stringify({ workspaces: sorted(workspaces), ...others }, undefined, 2);
  await replaceFile(trustFile(home), `${text}\n`, { file: 0o600, folder: 0o700 });
}

/** Layer and length go in too, so that no text moved from one file to the other looks the same. */
function fingerprintOf({ files, mcp }: TrustSubject): string {
  const hash = createHash("sha256");
  for (const { layer, bytes } of files) hash.update(`${layer} ${bytes.length}\n`).update(bytes);
  if (mcp !== undefined) hash.update(`mcp ${mcp.bytes.length}\n`).update(mcp.bytes);
  return hash.digest("hex");
}

function fingerprintOfClaude({ names, contents }: ClaudeFolder): string {
  const hash = createHash("sha256").update(`${names.join(" ")}\n`);
  for (const bytes of contents) hash.update(`${bytes.length}\n`).update(bytes);
  return hash.digest("hex");
}
