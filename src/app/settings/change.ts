import { realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { createScanner, findNodeAtLocation, type Node } from "jsonc-parser";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { provideHome, replaceFile } from "../places/home.ts";
import {
  parseObject,
  readSettingsFile,
  readValues,
  type SettingsFile,
  type SettingsText,
  settingsFiles,
} from "./files.ts";
import type { SettingValue } from "./kinds.ts";
import { loadSettings, readTrust, readTrustSubject, recordTrust, trustStateOf } from "./settings.ts";
import { type FileLayer, type SettingKey, type Source, settingOf } from "./table.ts";

interface SettingRequest {
  readonly where: FileLayer;
  readonly key: SettingKey;
  readonly value: SettingValue;
}

interface ChangedSetting extends WrittenFile {
  readonly effect: SettingEffect;
}

interface WrittenFile {
  readonly file: string;
  readonly outcome: "written" | "unchanged";
}

/** Whether the value that was set is in effect. */
export type SettingEffect =
  | {
      /**
       * "counts": the value is in effect, alone or combined with values from other layers. "ignored": the value is not
       * used until the workspace is trusted, or is never used.
       */
      readonly state: "counts" | "overridden" | "ignored";
      /** The value that is in effect, and its source. */
      readonly value: SettingValue;
      readonly source: Source;
    }
  /** The change was made, but the settings as a whole cannot be read, because another file is invalid. */
  | { readonly state: "unknown"; readonly problem: WorldlineError };

/** Sets a value in one of the three files, and reports whether the value is in effect. */
export async function changeSetting(context: AppContext, request: SettingRequest): Promise<ChangedSetting> {
  const written = await writeSetting({
    ...request,
    home: context.home,
    workspace: await context.workspace(),
  });
  return { ...written, effect: await effectOf(context, request) };
}

async function effectOf(context: AppContext, { key, value, where }: SettingRequest): Promise<SettingEffect> {
  try {
    // A change to one setting must not make the workspace's other settings trusted.
    const { explained } = await loadSettings({ ...(await context.settingsRequest()), trust: "as-recorded" });
    const setting = explained.find((each) => each.key === key);
    if (setting === undefined) return { state: "counts", value, source: { layer: "default" } };
    const isIgnored = setting.ignored.some(({ source }) => source.layer === where);
    // If a setting's layers are combined, the value is in effect even if another layer has higher precedence.
    const counts = setting.source.layer === where || (setting.items !== undefined && !isIgnored);
    const state = counts ? "counts" : isIgnored ? "ignored" : "overridden";
    return { state, value: setting.value, source: setting.source };
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    return { state: "unknown", problem: error };
  }
}

interface SettingChange extends SettingRequest {
  readonly home: string;
  readonly workspace: string;
}

/**
 * Changes one value and keeps the file's comments. The new text is checked before it is written, so a change never
 * results in a file that the next command refuses.
 */
async function writeSetting(change: SettingChange): Promise<WrittenFile> {
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

/**
 * Returns the file's byte order mark. Reading removes the mark, so writing puts it back, because the user's editor
 * added it.
 */
function byteOrderMarkOf(bytes: Uint8Array | undefined): string {
  // The text is valid JSON, so it can begin with this byte only in a byte order mark.
  return bytes?.[0] === 0xef ? "\ufeff" : "";
}

async function writeForUser({ home }: SettingChange, file: string, text: string): Promise<void> {
  await provideHome(home);
  await replaceFile(file, text, { file: 0o600, folder: 0o700 });
}

/**
 * Writes the file and updates the trust in it. A file that was trusted stays trusted, because the user made this
 * change. A file that was not trusted stays untrusted.
 */
async function writeForWorkspace(
  { home, workspace }: SettingChange,
  file: string,
  text: string,
): Promise<void> {
  const state = trustStateOf(await readTrustSubject(home, workspace), await readTrust(home));
  await replaceFile(file, text, { file: 0o644, folder: 0o755, links: "never" });
  if (state !== "untrusted") await recordTrust(await readTrustSubject(home, workspace));
}

/**
 * Returns the real path of the file, because users may link to settings elsewhere. A workspace's settings file must be
 * inside that workspace.
 */
async function placeOf({ home, workspace, where }: SettingChange): Promise<SettingsFile> {
  const file = (await settingsFiles(home, workspace)).find((each) => each.layer === where);
  if (file === undefined) throw new WorldlineError("workspace-without-settings", { workspace });
  const path = await realPathOf(file.path);
  if (where !== "user" && !path.startsWith(join(workspace, sep))) {
    throw new WorldlineError("settings-file-outside", { file: file.path, path });
  }
  return { ...file, path };
}

/** Returns the real path of a file that need not exist. Links in its parent folders are followed too. */
async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realPathOf(dirname(path)), basename(path));
}

/**
 * Returns the text of a settings file with one value set. Everything else stays the same byte for byte, whereas the
 * library's own edit would move a comment from the end of a line to the inserted line.
 */
export function withSetting(source: SettingsText, key: SettingKey, value: SettingValue): string {
  const { text } = source;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const root = parseObject(source);
  const path = key.split(".");
  if (root === undefined) {
    const comments = text.trim() === "" ? "" : text.trimEnd() + eol;
    return `${comments}${indented(nested(path, value), "", "  ").replaceAll("\n", eol)}${eol}`;
  }
  const existing = findNodeAtLocation(root, path);
  if (existing !== undefined) {
    return replaced(
      text,
      { from: existing.offset, to: existing.offset + existing.length },
      JSON.stringify(value),
    );
  }
  const { object, depth } = deepestObject(root, path);
  return withProperty(text, { object, path: path.slice(depth), value, eol });
}

interface Insertion {
  readonly object: Node;
  /** The path of property names that do not exist yet, starting inside `object`. */
  readonly path: readonly string[];
  readonly value: SettingValue;
  readonly eol: string;
}

function withProperty(text: string, { object, path, value, eol }: Insertion): string {
  const close = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const [name = "", ...rest] = path;
  const isOneLine = !text.slice(object.offset, close).includes("\n");
  const outer = lineIndent(text, object.offset);
  const unit = outer.startsWith("\t") ? "\t" : "  ";
  const inner = last === undefined || isOneLine ? outer + unit : lineIndent(text, last.offset);
  const step = inner.startsWith(outer) && inner.length > outer.length ? inner.slice(outer.length) : unit;
  const property = `${JSON.stringify(name)}: ${indented(nested(rest, value), inner, step).replaceAll("\n", eol)}`;

  // The new property goes before the closing brace, after any comments that follow the last property.
  const end = object.offset + text.slice(object.offset, close).trimEnd().length;
  const inserted = replaced(text, { from: end, to: close }, `${eol}${inner}${property}${eol}${outer}`);
  if (last === undefined) return inserted;
  const after = last.offset + last.length;
  return hasComma(text.slice(after, close)) ? inserted : replaced(inserted, { from: after, to: after }, ",");
}

/** Finds the deepest existing object on `path`, and the number of names that lead to it. */
function deepestObject(root: Node, path: readonly string[]): { object: Node; depth: number } {
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const object = findNodeAtLocation(root, path.slice(0, depth));
    if (object?.type === "object") return { object, depth };
  }
  return { object: root, depth: 0 };
}

function nested(path: readonly string[], value: SettingValue): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

function indented(value: unknown, indent: string, step: string): string {
  return JSON.stringify(value, undefined, step).replaceAll("\n", `\n${indent}`);
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return text.slice(start, offset).replace(/[^ \t].*/su, "");
}

/** Checks whether the first token of `text` after any comments is a comma. `text` follows a property. */
function hasComma(text: string): boolean {
  const scanner = createScanner(text, true);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset()) === ",";
}

function replaced(text: string, span: { from: number; to: number }, by: string): string {
  return text.slice(0, span.from) + by + text.slice(span.to);
}
