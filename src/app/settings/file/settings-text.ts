import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { WorldlineError } from "../../../record/error.ts";
import { type SyntaxProblem, syntaxProblems } from "../../../strings/errors/en/settings.ts";

/** A settings file as text, with its path for messages. */
export interface SettingsText {
  readonly path: string;
  readonly text: string;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Both from 1, as editors count. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The object in a settings file, comments and trailing commas allowed. An empty file has none. */
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

/** The place as errors name it. */
export function placeIn({ path, text }: SettingsText, offset: number): Place & { readonly file: string } {
  return { file: path, ...placeAt(text, offset) };
}

function parse(source: SettingsText, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    // The parser calls itself for every level; a file of a hundred thousand brackets ends the stack.
    if (cause instanceof RangeError) {
      throw new WorldlineError("settings-syntax", { ...placeIn(source, 0), problem: "NestedTooDeeply" });
    }
    throw cause;
  }
}

function isSyntaxProblem(name: string): name is SyntaxProblem {
  return Object.hasOwn(syntaxProblems, name);
}
