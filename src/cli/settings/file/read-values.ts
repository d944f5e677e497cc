import { getNodeValue, type Node } from "jsonc-parser";
import { closest } from "../../command/suggestion.ts";
import type { FileLayer, GivenValue } from "../given.ts";
import { isSettingKey, settingKeys, settingOf } from "../table.ts";
import { invalidAt, parseObject, placeAt, type SettingsText } from "./settings-text.ts";

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
      });
    } else if (name !== "$schema") {
      unknown.push({ name, file: source.path, ...place, suggestion: suggestionFor(source, leaf) });
    }
  }
  return { values, unknown };
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
  const seen = new Map<string, Node>();
  return (object?.children ?? []).flatMap((property): Leaf[] => {
    const [nameNode, valueNode] = property.children ?? [];
    if (nameNode === undefined || valueNode === undefined) return [];
    const own: string = getNodeValue(nameNode);
    const earlier = seen.get(own);
    // Readers disagree about which of two counts, so a person cannot know it either.
    if (earlier !== undefined) {
      const { line } = placeAt(source.text, earlier.offset);
      throw invalidAt(
        source,
        nameNode.offset,
        `"${own}" stands here a second time; the first is in line ${line}`,
      );
    }
    seen.set(own, nameNode);
    const name = section + own;
    // A dotted name in the file is no way to write a section, else one setting could stand in two places.
    if (own.includes(".")) return [{ name: `"${name}"`, nameNode, valueNode }];
    if (!sections.has(name)) return [{ name, nameNode, valueNode }];
    if (valueNode.type !== "object") throw expected(source, valueNode, `an object in { } for ${name}`);
    return leavesOf(source, valueNode, `${name}.`);
  });
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
  const value = kind.fromJson(getNodeValue(node));
  if (value === undefined) throw expected(source, node, `${kind.expected} for ${key}`);
  return value;
}

const MOST_SHOWN = 40;

function expected(source: SettingsText, node: Node, what: string): Error {
  const found = source.text.slice(node.offset, node.offset + Math.min(node.length, MOST_SHOWN));
  return invalidAt(
    source,
    node.offset,
    `expected ${what}, found ${node.length > MOST_SHOWN ? `${found}...` : found}`,
  );
}
