import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, WorldlineError } from "../../record/error.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { WhyTrustUnreadable } from "../../strings/en/errors/settings.ts";
import { type Environment, replaceFile } from "../places/home.ts";
import {
  type ClaudeFolder,
  readClaudeFolder,
  readMcpFile,
  readSettingsFile,
  readValues,
  type SettingsFile,
  type SettingsFileContent,
  settingsFiles,
} from "./files.ts";
import {
  type ExplainedSetting,
  explainSettings,
  fromEnvironment,
  fromOptions,
  layerWarnings,
  type SettingsWarning,
  type TrustState,
  valuesOf,
} from "./layers.ts";
import type { Settings } from "./table.ts";

export interface SettingsRequest {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Environment;
  /** Settings for this call only; see `CommonOptions`. */
  readonly given: Readonly<Record<string, string | undefined>>;
  /** "from-now-on": `--trust` was given, so the workspace's current settings are trusted and remembered. */
  readonly trust: "as-recorded" | "from-now-on";
}

export interface LoadedSettings {
  readonly values: Settings;
  readonly explained: readonly ExplainedSetting[];
  readonly files: readonly (SettingsFile & { readonly state: "read" | "missing" })[];
  readonly trust: TrustState;
  /** Whether the workspace's `.claude` folder, which only the Claude Agent SDK reads, is trusted. */
  readonly claude: TrustState;
  /** The workspace's `.mcp.json`, if it exists. Its servers are started only if `trust` is "trusted". */
  readonly mcp: string | undefined;
  readonly warnings: readonly SettingsWarning[];
}

/**
 * Loads all settings. The layers, lowest precedence first: default < user's file < workspace's file < local file <
 * environment < settings given for this call. If anything cannot be read, throws and changes nothing, including trust.
 */
export async function loadSettings(request: SettingsRequest): Promise<LoadedSettings> {
  const { home, workspace } = request;
  const files = await settingsFiles(home, workspace);
  const contents = (await Promise.all(files.map(readSettingsFile))).filter((each) => each !== undefined);
  const read = contents.map((content) => readValues(content, content.layer));
  const outside = [...fromEnvironment(request.environment), ...fromOptions(request.given)];

  const record = await readTrust(home);
  const subject = await subjectOf(home, workspace, contents);
  const { trust, claude } = await settleTrust(subject, record, request.trust);
  const given = [...read.flatMap((each) => each.values), ...outside];
  const explained = explainSettings(given, trust);
  const damaged: SettingsWarning[] =
    record.damage === undefined
      ? []
      : [{ about: "trust-damaged", file: trustFile(home), why: record.damage }];
  return {
    values: valuesOf(explained),
    explained,
    files: files.map((file) => ({
      ...file,
      state: contents.some((each) => each.path === file.path) ? "read" : "missing",
    })),
    trust,
    claude,
    mcp: subject.mcp?.path,
    warnings: [
      ...damaged,
      ...read.flatMap((each) => each.unknown).map((key) => ({ about: "unknown-key", key }) as const),
      ...layerWarnings(explained),
    ],
  };
}

/** Reads the workspace's own files and its `.mcp.json`, which the user can trust. */
export async function readTrustSubject(home: string, workspace: string): Promise<TrustSubject> {
  const contents = await Promise.all((await settingsFiles(home, workspace)).map(readSettingsFile));
  return subjectOf(
    home,
    workspace,
    contents.filter((each) => each !== undefined),
  );
}

async function subjectOf(
  home: string,
  workspace: string,
  contents: readonly SettingsFileContent[],
): Promise<TrustSubject> {
  const [mcp, claude] = await Promise.all([readMcpFile(workspace), readClaudeFolder(workspace)]);
  return { home, workspace, files: ofWorkspace(contents), mcp, claude };
}

function ofWorkspace(contents: readonly SettingsFileContent[]): SettingsFileContent[] {
  return contents.filter((each) => each.layer !== "user");
}

async function settleTrust(
  subject: TrustSubject,
  record: TrustRecord,
  wanted: SettingsRequest["trust"],
): Promise<Pick<LoadedSettings, "trust" | "claude">> {
  const [trust, claude] = [trustStateOf(subject, record), claudeTrustOf(subject, record)];
  if (wanted === "as-recorded" || (trust !== "untrusted" && claude !== "untrusted")) return { trust, claude };
  await recordWholeTrust(subject);
  const now = (state: TrustState) => (state === "untrusted" ? "trusted" : state);
  return { trust: now(trust), claude: now(claude) };
}

/** Everything that the user trusts when trusting a workspace: its path and the exact content of its configuration. */
export interface TrustSubject {
  readonly home: string;
  /** The real path of the workspace, so that a link to a trusted folder is trusted too. */
  readonly workspace: string;
  /** The workspace's own settings files that exist. */
  readonly files: readonly SettingsFileContent[];
  /** The workspace's `.mcp.json` (if it exists), which names programs to start. */
  readonly mcp: TrustedFile | undefined;
  /**
   * The workspace's `.claude` folder, if it exists. This folder is trusted separately, because only one host reads it.
   */
  readonly claude: ClaudeFolder | undefined;
}

/** A file that is trusted based only on its bytes. */
interface TrustedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * The trusted fingerprint of each workspace. If the file cannot be read, nothing is trusted, and `damage` contains the
 * reason.
 */
interface TrustRecord {
  readonly byWorkspace: ReadonlyMap<string, string>;
  readonly claudeByWorkspace: ReadonlyMap<string, string>;
  readonly damage?: WhyTrustUnreadable;
}

function trustFile(home: string): string {
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
    return isMissing(error) ? none : { ...none, damage: { system: String(error) } };
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

/** Returns the paths of everything that would be trusted. */
export function trustedPaths({ files, mcp, claude }: TrustSubject): readonly string[] {
  return [...files, ...(mcp === undefined ? [] : [mcp]), ...(claude === undefined ? [] : [claude])].map(
    ({ path }) => path,
  );
}

/** Checks whether the Claude Agent SDK may read the workspace's configuration for the SDK. */
function claudeTrustOf({ claude, workspace }: TrustSubject, record: TrustRecord): TrustState {
  if (claude === undefined) return "nothing-to-trust";
  return record.claudeByWorkspace.get(workspace) === fingerprintOfClaude(claude) ? "trusted" : "untrusted";
}

/** Returns a string that identifies the complete configuration of the workspace, including its `.claude` folder. */
export function sealOf(subject: TrustSubject): string {
  return [
    fingerprintOf(subject),
    ...(subject.claude === undefined ? [] : [fingerprintOfClaude(subject.claude)]),
  ].join(" ");
}

/** Trusts the settings exactly as they are in `subject`. Any later change to the settings ends the trust. */
export async function recordTrust(subject: TrustSubject): Promise<void> {
  await changeTrust(subject.home, ({ workspaces }) =>
    workspaces.set(subject.workspace, fingerprintOf(subject)),
  );
}

/** Works like `recordTrust`, but includes the configuration for the Claude Agent SDK. */
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

/**
 * Changes the trust record. If two programs do this at the same time, one change may be lost. The user can then grant
 * that trust again.
 */
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

/**
 * Returns a hash of the configuration. The hash covers layers and lengths, so that moving text from one file to another
 * changes the hash.
 */
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
