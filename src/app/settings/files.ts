import { constants, type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type ErrorParams, isMissing, WorldlineError } from "../../record/error.ts";
import { closest } from "../../record/options.ts";
import {
  type SyntaxProblem,
  syntaxProblems,
  type WhyFileUnreadable,
} from "../../strings/en/errors/settings.ts";
import { type Environment, homeFolder } from "../places/home.ts";
import {
  type FileLayer,
  type GivenValue,
  isSettingKey,
  type SettingKey,
  settingKeys,
  settingOf,
} from "./table.ts";

export interface SettingsFile {
  readonly layer: FileLayer;
  readonly path: string;
}

/** An existing settings file. Trust depends on the file's bytes, and the settings depend on its text. */
export interface SettingsFileContent extends SettingsFile {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/**
 * Maximum size of a settings file, which users write by hand. A larger file is not a settings file, and may be endless.
 */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the settings files for a workspace, lowest precedence first. If the workspace's `.worldline` is Worldline's
 * home, the workspace's file is the user's own file, and is used only as the user's file.
 */
export async function settingsFiles(home: string, workspace: string): Promise<readonly SettingsFile[]> {
  const folder = join(workspace, ".worldline");
  const user = userFile(home);
  if ((await realOrSame(folder)) === (await realOrSame(home))) return [user];
  return [
    user,
    { layer: "workspace", path: join(folder, "settings.json") },
    { layer: "local", path: join(folder, "settings.local.json") },
  ];
}

/**
 * Reads the unchecked value of one setting from the user's file, for code that runs before the settings are loaded. An
 * unreadable file is treated as empty here, and reported when the settings are loaded.
 */
export async function readUserSetting(environment: Environment, key: SettingKey): Promise<unknown> {
  try {
    const content = await readSettingsFile(userFile(homeFolder(environment)));
    const root = content === undefined ? undefined : parseObject(content);
    const node = root === undefined ? undefined : findNodeAtLocation(root, key.split("."));
    return node === undefined ? undefined : getNodeValue(node);
  } catch (error) {
    if (error instanceof WorldlineError) return undefined;
    throw error;
  }
}

function userFile(home: string): SettingsFile {
  return { layer: "user", path: join(home, "settings.json") };
}

/**
 * Reads a settings file. Returns undefined if the file does not exist. Throws SETTINGS_INVALID if the file cannot be
 * read.
 */
export async function readSettingsFile(file: SettingsFile): Promise<SettingsFileContent | undefined> {
  const bytes = await readBytes(file.path);
  if (bytes === undefined) return undefined;
  try {
    // The decoder drops the byte order mark that some editors on Windows write.
    return { ...file, bytes, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (cause) {
    throw unreadable(file.path, "not-utf8", cause);
  }
}

/** Reads the workspace's `.mcp.json`. Returns undefined if the file does not exist. */
export async function readMcpFile(
  workspace: string,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | undefined> {
  const path = join(workspace, ".mcp.json");
  try {
    const bytes = await readBytes(path);
    return bytes === undefined ? undefined : { path, bytes };
  } catch (error) {
    // Commands that do not start servers continue without the file, and other commands report the reason.
    if (error instanceof WorldlineError) return { path, bytes: new Uint8Array() };
    throw error;
  }
}

/**
 * Reads the bytes of a file. Returns undefined if there is no file. Throws SETTINGS_INVALID for anything but a regular
 * file.
 */
async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    // The file is opened in non-blocking mode, because otherwise opening a FIFO would wait forever for a writer.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await readRegular(handle, path);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof WorldlineError) throw cause;
    // ENOTDIR: the workspace has a file named .worldline, which may have nothing to do with Worldline.
    if (isMissing(cause)) return undefined;
    throw unreadable(path, { system: cause instanceof Error ? cause.message : String(cause) }, cause);
  }
}

async function readRegular(handle: FileHandle, path: string): Promise<Uint8Array> {
  const found = await handle.stat();
  if (!found.isFile()) throw unreadable(path, "not-a-file");
  if (found.size > MAX_BYTES) throw unreadable(path, { largerThan: MAX_BYTES });
  return handle.readFile();
}

async function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function unreadable(file: string, why: WhyFileUnreadable, cause?: unknown): WorldlineError {
  return new WorldlineError("settings-file-unreadable", { file, why }, { cause });
}

/**
 * The workspace's configuration for the Claude Agent SDK. This configuration can run programs, for example as hooks.
 */
export interface ClaudeFolder {
  readonly path: string;
  /** Names of the relevant files and folders that exist in the folder. */
  readonly names: readonly string[];
  /**
   * The contents of the settings files. An unreadable file is treated as empty, because the SDK cannot read it either.
   */
  readonly contents: readonly Uint8Array[];
}

const SETTINGS = ["settings.json", "settings.local.json"] as const;
/** The contents of these folders need not be trusted, because the agent runs them only on request. */
const OTHERS = ["agents", "commands", "skills"] as const;

/** Reads the workspace's `.claude` folder. Returns undefined if nothing in it could have any effect. */
export async function readClaudeFolder(workspace: string): Promise<ClaudeFolder | undefined> {
  const path = join(workspace, ".claude");
  const all = [...SETTINGS, ...OTHERS];
  const there = await Promise.all(all.map(async (name) => isThere(join(path, name))));
  const names = all.filter((_, index) => there[index] === true);
  if (names.length === 0) return undefined;
  return {
    path,
    names,
    contents: await Promise.all(SETTINGS.map(async (name) => contentOf(join(path, name)))),
  };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function contentOf(path: string): Promise<Uint8Array> {
  try {
    return (await readBytes(path)) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof WorldlineError) return new Uint8Array();
    throw error;
  }
}

/** The text of a settings file, with its path for messages. */
export interface SettingsText {
  readonly path: string;
  readonly text: string;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Returns the line and the column, both counted from 1 as in editors. */
function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/**
 * Parses the object in a settings file, which may contain comments and trailing commas. Returns undefined for an empty
 * file.
 */
export function parseObject(source: SettingsText): Node | undefined {
  const errors: ParseError[] = [];
  const root = parse(source, errors);
  const first = errors[0];
  if (first !== undefined) {
    const name = printParseErrorCode(first.error);
    const problem = isSyntaxProblem(name) ? name : "NoJson";
    throw new WorldlineError("settings-syntax", { ...placeIn(source, first.offset), problem });
  }
  if (root !== undefined && root.type !== "object") {
    throw new WorldlineError("settings-not-an-object", { ...placeIn(source, root.offset), found: root.type });
  }
  return root;
}

/** Returns the position in the form used in errors. */
function placeIn({ path, text }: SettingsText, offset: number): Place & { readonly file: string } {
  return { file: path, ...placeAt(text, offset) };
}

function parse(source: SettingsText, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    // The parser is recursive, so a file with a hundred thousand brackets overflows the stack.
    if (cause instanceof RangeError) {
      throw new WorldlineError("settings-syntax", { ...placeIn(source, 0), problem: "NestedTooDeeply" });
    }
    throw cause;
  }
}

function isSyntaxProblem(name: string): name is SyntaxProblem {
  return Object.hasOwn(syntaxProblems, name);
}

export interface UnknownKey {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The setting that the user probably means; for a dotted name, the setting written in sections. */
  readonly suggestion: string | undefined;
}

interface FileValues {
  readonly values: readonly GivenValue[];
  /**
   * Names that are unknown to this version. Unknown names are not errors, because a newer version's setting in a shared
   * file must not make older versions fail.
   */
  readonly unknown: readonly UnknownKey[];
}

/** Reads a file's values. Throws SETTINGS_INVALID, with line and column, for anything invalid. */
export function readValues(source: SettingsText, layer: FileLayer): FileValues {
  const values: GivenValue[] = [];
  const unknown: UnknownKey[] = [];
  const root = parseObject(source);
  for (const leaf of leavesOf(source, root)) {
    const { name, nameNode, valueNode } = leaf;
    const place = placeAt(source.text, nameNode.offset);
    if (isSettingKey(name)) {
      values.push({
        key: name,
        value: valueAt(source, name, valueNode),
        source: { layer, file: source.path, ...place },
        ...(valueNode.type === "array" ? { places: placesIn(source, valueNode) } : {}),
      });
    } else if (name !== "$schema") {
      unknown.push({ name, file: source.path, ...place, suggestion: suggestionFor(source, leaf) });
    }
  }
  return { values, unknown };
}

function placesIn({ text }: SettingsText, { children = [] }: Node): NonNullable<GivenValue["places"]> {
  return children.map(({ offset }) => placeAt(text, offset));
}

interface Leaf {
  /** The name of the setting, in quotation marks if it is written with dots in the file. */
  readonly name: string;
  readonly nameNode: Node;
  readonly valueNode: Node;
}

const sections = new Set(
  settingKeys.flatMap((key) => (key.includes(".") ? [key.slice(0, key.lastIndexOf("."))] : [])),
);

/** Returns the properties of an object. Properties in known sections have dotted names. */
function leavesOf(source: SettingsText, object: Node | undefined, section = ""): Leaf[] {
  refuseRepeats(source, object);
  return (object?.children ?? []).flatMap((property): Leaf[] => {
    const [nameNode, valueNode] = property.children ?? [];
    if (nameNode === undefined || valueNode === undefined) return [];
    const own: string = getNodeValue(nameNode);
    const name = section + own;
    // A dotted name is not accepted in place of a section, because otherwise the same setting could occur twice.
    if (own.includes(".")) return [{ name: `"${name}"`, nameNode, valueNode }];
    if (!sections.has(name)) return [{ name, nameNode, valueNode }];
    if (valueNode.type !== "object")
      throw unexpected(source, valueNode, { key: name, expected: { is: "object" } });
    return leavesOf(source, valueNode, `${name}.`);
  });
}

/** Throws if a name is repeated, because parsers disagree about which value applies, and the user cannot know. */
function refuseRepeats(source: SettingsText, object: Node | undefined): void {
  const seen = new Map<string, Node>();
  for (const { children: [nameNode] = [] } of object?.children ?? []) {
    if (nameNode === undefined) continue;
    const own: string = getNodeValue(nameNode);
    const earlier = seen.get(own);
    if (earlier !== undefined) {
      const { line } = placeAt(source.text, earlier.offset);
      throw new WorldlineError("settings-name-repeated", {
        ...placeIn(source, nameNode.offset),
        name: own,
        first: line,
      });
    }
    seen.set(own, nameNode);
  }
}

function suggestionFor({ text }: SettingsText, { name, valueNode }: Leaf): string | undefined {
  const key = closest(name, settingKeys);
  if (key === undefined || !name.startsWith('"')) return key;
  const value =
    valueNode.length > MAX_SHOWN ? "..." : text.slice(valueNode.offset, valueNode.offset + valueNode.length);
  return key.split(".").reduceRight((inner, part) => `{"${part}": ${inner}}`, value);
}

function valueAt(source: SettingsText, key: GivenValue["key"], node: Node): GivenValue["value"] {
  const { kind } = settingOf(key);
  if (node.type === "object") refuseRepeatsBelow(source, node);
  const json: unknown = getNodeValue(node);
  const value = kind.fromJson(json);
  if (value !== undefined) return value;
  const { path, expected, why } = kind.wrongIn?.(json) ?? { path: [], expected: kind.expected };
  throw unexpected(source, findNodeAtLocation(node, [...path]) ?? node, { key, expected, why });
}

function refuseRepeatsBelow(source: SettingsText, node: Node): void {
  if (node.type === "object") refuseRepeats(source, node);
  for (const child of node.children ?? []) refuseRepeatsBelow(source, child);
}

const MAX_SHOWN = 40;

function unexpected(
  source: SettingsText,
  node: Node,
  expectation: Pick<ErrorParams<"settings-value-unexpected">, "key" | "expected" | "why">,
): WorldlineError {
  const found = source.text.slice(node.offset, node.offset + Math.min(node.length, MAX_SHOWN));
  return new WorldlineError("settings-value-unexpected", {
    ...placeIn(source, node.offset),
    ...expectation,
    found: node.length > MAX_SHOWN ? `${found}...` : found,
  });
}
