import type { Environment } from "../places/home.ts";
import { readClaudeFolder } from "./file/claude-folder.ts";
import { readValues } from "./file/read-values.ts";
import {
  readMcpFile,
  readSettingsFile,
  type SettingsFile,
  type SettingsFileContent,
  settingsFiles,
} from "./file/settings-files.ts";
import { type ExplainedSetting, explainSettings, valuesOf } from "./layers.ts";
import { fromEnvironment, fromFlags } from "./outside.ts";
import type { Settings } from "./table.ts";
import {
  claudeTrustOf,
  readTrust,
  recordWholeTrust,
  type TrustRecord,
  type TrustState,
  type TrustSubject,
  trustFile,
  trustStateOf,
} from "./trust.ts";
import { layerWarnings, type SettingsWarning } from "./warning.ts";

export interface SettingsRequest {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Environment;
  /** Each `key=value`. */
  readonly flags: readonly string[];
  /** "from-now-on": `--trust` was given, so what the workspace says now is trusted and remembered. */
  readonly trust: "as-recorded" | "from-now-on";
}

export interface LoadedSettings {
  readonly values: Settings;
  readonly explained: readonly ExplainedSetting[];
  readonly files: readonly (SettingsFile & { readonly state: "read" | "missing" })[];
  readonly trust: TrustState;
  /** Of the workspace's `.claude`, which only the Claude Agent SDK reads. */
  readonly claude: TrustState;
  /** The workspace's `.mcp.json`, if there is one. Its servers are started only when `trust` is "trusted". */
  readonly mcp: string | undefined;
  readonly warnings: readonly SettingsWarning[];
}

/**
 * Settles every setting: default < user's file < workspace's < local < environment < flags. Either all
 * that is there can be read, or it throws and nothing, trust included, has changed.
 */
export async function loadSettings(request: SettingsRequest): Promise<LoadedSettings> {
  const { home, workspace } = request;
  const files = await settingsFiles(home, workspace);
  const contents = (await Promise.all(files.map(readSettingsFile))).filter((each) => each !== undefined);
  const read = contents.map((content) => readValues(content, content.layer));
  const outside = [...fromEnvironment(request.environment), ...fromFlags(request.flags)];

  const record = await readTrust(home);
  const subject = await subjectOf(home, workspace, contents);
  const { trust, claude } = await settleTrust(subject, record, request.trust);
  const given = [...read.flatMap((each) => each.values), ...outside];
  const explained = explainSettings(given, trust === "trusted" ? "trusted" : "untrusted");
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

/** The workspace's own files, and its `.mcp.json`, which are what can be trusted or not; read now. */
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
