import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { type ErrorParams, WorldlineError } from "../../../record/error.ts";
import { closest } from "../../../record/options.ts";
import type { FileLayer, GivenValue } from "../given.ts";
import { isSettingKey, settingKeys, settingOf } from "../table.ts";
import { parseObject, placeAt, placeIn, type SettingsText } from "./settings-text.ts";

export interface UnknownKey {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** A setting's name; for a dotted name in the file, how it is written in sections. */
  readonly suggestion: string | undefined;
}

export interface FileValues {
  readonly values: readonly GivenValue[];
  /**
   * Names that this version has no setting for. Not an error: a newer version's key in a shared file
   * must not lock anybody out.
   */
  readonly unknown: readonly UnknownKey[];
}

/** Reads a file's values. Throws SETTINGS_INVALID, with line and column, for whatever is not as it must be. */
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
  /** In quotes when it is written with its dots. */
  readonly name: string;
  readonly nameNode: Node;
  readonly valueNode: Node;
}

const sections = new Set(
  settingKeys.flatMap((key) => (key.includes(".") ? [key.slice(0, key.lastIndexOf("."))] : [])),
);

/** The properties of an object, those of known sections by their dotted names. */
function leavesOf(source: SettingsText, object: Node | undefined, section = ""): Leaf[] {
  refuseRepeats(source, object);
  return (object?.children ?? []).flatMap((property): Leaf[] => {
    const [nameNode, valueNode] = property.children ?? [];
    if (nameNode === undefined || valueNode === undefined) return [];
    const own: string = getNodeValue(nameNode);
    const name = section + own;
    // A dotted name in the file is no way to write a section, else one setting could stand in two places.
    if (own.includes(".")) return [{ name: `"${name}"`, nameNode, valueNode }];
    if (!sections.has(name)) return [{ name, nameNode, valueNode }];
    if (valueNode.type !== "object")
      throw unexpected(source, valueNode, { key: name, expected: { is: "object" } });
    return leavesOf(source, valueNode, `${name}.`);
  });
}

/** Readers disagree about which of two counts, so a person cannot know it either. */
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
    valueNode.length > MOST_SHOWN ? "..." : text.slice(valueNode.offset, valueNode.offset + valueNode.length);
  return key.split(".").reduceRight((inner, part) => `{"${part}": ${inner}}`, value);
}

function valueAt(source: SettingsText, key: GivenValue["key"], node: Node): GivenValue["value"] {
  const { kind } = settingOf(key);
  if (node.type === "object") refuseRepeatsBelow(source, node);
  const json: unknown = getNodeValue(node);
  const value = kind.fromJson(json);
  if (value !== undefined) return value;
  const wrong = kind.wrongIn?.(json);
  if (wrong === undefined || wrong.path.length === 0) {
    throw unexpected(source, node, { key, expected: wrong?.expected ?? kind.expected });
  }
  const part = findNodeAtLocation(node, [...wrong.path]) ?? node;
  throw unexpected(source, part, { key, expected: wrong.expected, why: wrong.why });
}

function refuseRepeatsBelow(source: SettingsText, node: Node): void {
  if (node.type === "object") refuseRepeats(source, node);
  for (const child of node.children ?? []) refuseRepeatsBelow(source, child);
}

const MOST_SHOWN = 40;

function unexpected(
  source: SettingsText,
  node: Node,
  expectation: Pick<ErrorParams<"settings-value-unexpected">, "key" | "expected" | "why">,
): WorldlineError {
  const found = source.text.slice(node.offset, node.offset + Math.min(node.length, MOST_SHOWN));
  return new WorldlineError("settings-value-unexpected", {
    ...placeIn(source, node.offset),
    ...expectation,
    found: node.length > MOST_SHOWN ? `${found}...` : found,
  });
}
