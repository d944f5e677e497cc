import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { WorldlineError } from "../../../record/error.ts";

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
    const wrong = wordings[printParseErrorCode(first.error)] ?? "this is not JSON";
    throw invalidAt(source, first.offset, wrong);
  }
  if (root !== undefined && root.type !== "object") {
    throw invalidAt(source, root.offset, `expected an object in { }, found ${root.type}`);
  }
  return root;
}

/** `what` follows the place: "expected true or false, found 3". */
export function invalidAt(source: SettingsText, offset: number, what: string): WorldlineError {
  const { line, column } = placeAt(source.text, offset);
  return new WorldlineError("SETTINGS_INVALID", `${source.path}:${line}:${column}: ${what}.`, {
    hint: "Correct the file; until then nothing of it is used, and nothing was changed.",
  });
}

function parse(source: SettingsText, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source.text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    // The parser calls itself for every level; a file of a hundred thousand brackets ends the stack.
    if (cause instanceof RangeError) throw invalidAt(source, 0, "this is nested too deeply");
    throw cause;
  }
}

const wordings: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not a value; texts stand in double quotes",
  InvalidNumberFormat: "this number cannot be read",
  PropertyNameExpected: "expected a name in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace }",
  CloseBracketExpected: "expected a closing bracket ]",
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "this comment cannot be read",
  UnexpectedEndOfComment: "this comment is not ended",
  UnexpectedEndOfString: "this text is not ended by a double quote",
  UnexpectedEndOfNumber: "this number is not finished",
  InvalidUnicode: "this \\u escape cannot be read",
  InvalidEscapeCharacter: "this escape cannot be read",
  InvalidCharacter: "this character must be escaped",
};
