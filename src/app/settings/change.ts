import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { provideHome } from "../places/home.ts";
import { readValues } from "./file/read-values.ts";
import { readSettingsFile, type SettingsFile, settingsFiles } from "./file/settings-files.ts";
import { withSetting } from "./file/with-setting.ts";
import type { FileLayer } from "./given.ts";
import type { SettingValue } from "./kinds.ts";
import { readTrustSubject } from "./settings.ts";
import { type SettingKey, settingOf } from "./table.ts";
import { readTrust, recordTrust, trustStateOf } from "./trust.ts";
import { replaceFile } from "./write-file.ts";

export interface SettingChange {
  readonly home: string;
  readonly workspace: string;
  readonly where: FileLayer;
  readonly key: SettingKey;
  readonly value: SettingValue;
}

export interface ChangedFile {
  readonly file: string;
  readonly outcome: "written" | "unchanged";
}

/**
 * Sets a value in one of the three files, comments kept. The file is checked as it will be before it is
 * written, so a change never leaves a file that the next command refuses.
 */
export async function changeSetting(change: SettingChange): Promise<ChangedFile> {
  if (change.where !== "user" && settingOf(change.key).untrusted === "never") {
    throw new WorldlineError("setting-of-all-workspaces", { key: change.key });
  }
  const place = await placeOf(change);
  const before = await readSettingsFile(place);
  const { path: file } = place;
  const text = withSetting({ path: file, text: before?.text ?? "" }, change.key, change.value);
  readValues({ path: file, text }, change.where);
  if (text === before?.text) return { file, outcome: "unchanged" };
  const whole = byteOrderMarkOf(before?.bytes) + text;
  if (change.where === "user") await writeForUser(change, file, whole);
  else await writeForWorkspace(change, file, whole);
  return { file, outcome: "written" };
}

/** Reading drops it; whoever put it there wants it back. */
function byteOrderMarkOf(bytes: Uint8Array | undefined): string {
  return bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "\ufeff" : "";
}

async function writeForUser({ home }: SettingChange, file: string, text: string): Promise<void> {
  await provideHome(home);
  await replaceFile(file, text, { file: 0o600, folder: 0o700 });
}

/** What the person has just written themselves they need not trust again; what was there untrusted stays so. */
async function writeForWorkspace(
  { home, workspace }: SettingChange,
  file: string,
  text: string,
): Promise<void> {
  const state = trustStateOf(await readTrustSubject(home, workspace), await readTrust(home));
  await replaceFile(file, text, { file: 0o644, folder: 0o755, links: "never" });
  if (state !== "untrusted") await recordTrust(await readTrustSubject(home, workspace));
}

/** The file itself where its path is a link (people keep settings elsewhere), but none outside the workspace. */
async function placeOf({ home, workspace, where }: SettingChange): Promise<SettingsFile> {
  const file = (await settingsFiles(home, workspace)).find((each) => each.layer === where);
  if (file === undefined) throw new WorldlineError("workspace-without-settings", { workspace });
  const path = await realPathOf(file.path);
  if (where !== "user" && !(await isInside(workspace, path))) {
    throw new WorldlineError("settings-file-outside", { file: file.path, path });
  }
  return { ...file, path };
}

/** Where a file is, or will be: a link to a folder above it is followed also while there is no file. */
async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

/** Goes by the nearest folder that is there, because the rest will be made inside it. */
async function isInside(workspace: string, path: string): Promise<boolean> {
  const folder = dirname(path);
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined) return folder !== path && (await isInside(workspace, folder));
  return real === workspace || real.startsWith(workspace.endsWith(sep) ? workspace : workspace + sep);
}
