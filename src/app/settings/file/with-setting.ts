import { createScanner, findNodeAtLocation, type Node } from "jsonc-parser";
import type { SettingValue } from "../kinds.ts";
import type { SettingKey } from "../table.ts";
import { parseObject, type SettingsText } from "./settings-text.ts";

/**
 * The text of a settings file with one value set. Everything else stays byte for byte: the
 * library's own edit would move a comment at a line's end to the line that it inserts.
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
  /** The names still to be made, from inside `object`. */
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

  // Comments that follow the last property stay with it: the new one goes behind them, before the brace.
  const end = object.offset + text.slice(object.offset, close).trimEnd().length;
  const inserted = replaced(text, { from: end, to: close }, `${eol}${inner}${property}${eol}${outer}`);
  if (last === undefined) return inserted;
  const after = last.offset + last.length;
  return hasComma(text.slice(after, close)) ? inserted : replaced(inserted, { from: after, to: after }, ",");
}

/** The object that is already there on the way to `path`, and how many names lead to it. */
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
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Whether `text`, which follows a property, starts with a comma when its comments are passed over. */
function hasComma(text: string): boolean {
  const scanner = createScanner(text, true);
  scanner.scan();
  return text.charAt(scanner.getTokenOffset()) === ",";
}

function replaced(text: string, span: { from: number; to: number }, by: string): string {
  return text.slice(0, span.from) + by + text.slice(span.to);
}
