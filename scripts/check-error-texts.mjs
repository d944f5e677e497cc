import ts from "typescript";
import { sourceFiles } from "./source-files.mjs";
import { faultsIn, parsed } from "./syntax-faults.mjs";

// Programs act on codes and reasons; texts only inform. So no code may depend on the text of an error's message, hint
// or explanation.
const texts = new Set(["message", "hint", "why"]);

/**
 * The places that may, each with the author of the texts. Some programs report some things only in words.
 * @type {readonly { readonly file: string, readonly code: string, readonly words: string }[]}
 */
const allowed = [
  {
    file: "src/agent/models/wire/failure.ts",
    code: "BAD_HEADER.test(message)",
    words: "Node's, of a header that cannot be sent",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: "/^(read|write) /.test(message)",
    words: "Node's, of a socket: the code is the same for a connection that was never made",
  },
  {
    file: "src/agent/models/wire/failure.ts",
    code: 'message.replace(/\\.?$/u, ".")',
    words: "Node's, which end without a period",
  },
  {
    file: "src/agent/tools/bash/run-shell.ts",
    code: 'why.includes("E2BIG")',
    words: "Node's, of a process that could not be started",
  },
  {
    file: "src/agent/tools/tool.ts",
    code: "issue.message.replace(/^[A-Z]/",
    words: "zod's, put into a sentence",
  },
  {
    file: "src/cli/usage-errors.ts",
    code: 'message.replace(/^error: /u, "")',
    words: "commander's, without its prefix",
  },
  {
    file: "src/disk/held-folder.ts",
    code: "error.message.replaceAll(",
    words: "the system's, with the path that the user knows",
  },
  {
    file: "src/executions/values/values.ts",
    code: 'error.message === "Invalid string length"',
    words: "the engine's, which has no code for it",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "NAME.test(message)",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/hosts/claude-agent-sdk/conversation/position.ts",
    code: "message",
    words: "none: the id of a message of the SDK",
  },
  {
    file: "src/hosts/claude-agent-sdk/file-rewinder.ts",
    code: "pattern.test(said)",
    words: "the SDK's, which has no codes",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "_WORDS.test(message)",
    words: "those of pg, where neither it nor the system has a code",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "/hot standby/u.test(message)",
    words: "the server's: its code says only that a feature is not there",
  },
  {
    file: "src/stores/postgres/postgres-error.ts",
    code: "test(why)",
    words: "those of the server and of TLS, for the hint",
  },
  {
    file: "src/stores/postgres/connections.ts",
    code: "/package 'pg'|module 'pg'/u.test(error.message)",
    words: "Node's: which package it is that is not there",
  },
  {
    file: "src/stores/sqlite/sqlite-error.ts",
    code: "CONNECTION_FAILED.exec(error.message)",
    words: "libsql's: opening a file fails without a code",
  },
];

const matching = new Set(
  "includes startsWith endsWith indexOf match matchAll search replace replaceAll".split(" "),
);
/** Methods whose result still contains the text. */
const passing = new Set("trim trimStart trimEnd toLowerCase toUpperCase slice normalize toString".split(" "));
const testing = new Set(["test", "exec"]);

/** @typedef {Map<ts.Node, Set<string>>} Aliases Names of variables that hold such a text, by the function they are in. */

/** @param {ts.Node} node */
function functionOf(node) {
  return ts.findAncestor(node.parent, (each) => ts.isFunctionLike(each) || ts.isSourceFile(each)) ?? node;
}

/** The expressions from which the value may come. @param {ts.Expression} node @returns {ts.Expression[]} */
function sources(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return sources(node.expression);
  if (ts.isConditionalExpression(node)) return [...sources(node.whenTrue), ...sources(node.whenFalse)];
  if (ts.isBinaryExpression(node) && [FALLBACK, OR].includes(node.operatorToken.kind))
    return [...sources(node.left), ...sources(node.right)];
  const isPassing =
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    passing.has(node.expression.name.text);
  return isPassing ? sources(node.expression.expression) : [node];
}

const FALLBACK = ts.SyntaxKind.QuestionQuestionToken;
const OR = ts.SyntaxKind.BarBarToken;

/** @param {ts.Expression} node @param {Aliases} aliases */
function isText(node, aliases) {
  return sources(node).some((each) => {
    if (ts.isPropertyAccessExpression(each)) return texts.has(each.name.text);
    if (ts.isElementAccessExpression(each))
      return ts.isStringLiteral(each.argumentExpression) && texts.has(each.argumentExpression.text);
    return ts.isIdentifier(each) && isAlias(each, aliases);
  });
}

/** @param {ts.Identifier} name @param {Aliases} aliases */
function isAlias(name, aliases) {
  return ts.findAncestor(name, (each) => aliases.get(each)?.has(name.text) === true) !== undefined;
}

/** @param {ts.BindingElement | ts.ParameterDeclaration | ts.VariableDeclaration} node @param {Aliases} aliases */
function holdsText(node, aliases) {
  if (ts.isVariableDeclaration(node))
    return node.initializer !== undefined && isText(node.initializer, aliases);
  const from = ts.isBindingElement(node) ? (node.propertyName ?? node.name) : node.name;
  return ts.isIdentifier(from) && texts.has(from.text);
}

/** @param {ts.SourceFile} file @returns {Aliases} */
function aliasesIn(file) {
  /** @type {Aliases} */
  const aliases = new Map();
  /** @param {ts.Node} node @param {string} name */
  const add = (node, name) => {
    const scope = functionOf(node);
    aliases.set(scope, (aliases.get(scope) ?? new Set()).add(name));
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isNamed = ts.isBindingElement(node) || ts.isParameter(node) || ts.isVariableDeclaration(node);
    if (isNamed && ts.isIdentifier(node.name) && holdsText(node, aliases)) add(node, node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return aliases;
}

/** @param {ts.Expression} node */
function isSentence(node) {
  return ts.isTemplateExpression(node) || (ts.isStringLiteralLike(node) && /[\s.]/u.test(node.text));
}

/**
 * Whether the text is compared as words. A comparison with undefined, with an empty text, or of a `why` that is one
 * of a few kinds does not count.
 * @param {ts.Expression} text @param {ts.Expression} other @param {Aliases} aliases
 */
function isCompared(text, other, aliases) {
  if (!isText(text, aliases)) return false;
  const mayBeKind = [text, other].some((each) => /\bwhy$/u.test(each.getText()));
  const isValue =
    ts.isPropertyAccessExpression(other) || (ts.isIdentifier(other) && other.text !== "undefined");
  return isSentence(other) || (isValue && !mayBeKind);
}

/** @param {ts.Node} node @param {Aliases} aliases @returns {boolean} */
function matchesText(node, aliases) {
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    const isEquality = /^[!=]==?$/u.test(operatorToken.getText());
    if (!isEquality) return false;
    return isCompared(left, right, aliases) || isCompared(right, left, aliases);
  }
  if (ts.isSwitchStatement(node)) {
    const isOfSentences = node.caseBlock.clauses.some(
      (each) => ts.isCaseClause(each) && isSentence(each.expression),
    );
    return isText(node.expression, aliases) && isOfSentences;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (matching.has(name.text) && isText(expression, aliases)) return true;
  return testing.has(name.text) && node.arguments.some((each) => isText(each, aliases));
}

/** @type {Set<(typeof allowed)[number]>} */
const used = new Set();

/** @param {string} path */
function matchesIn(path) {
  const file = parsed(path);
  const aliases = aliasesIn(file);
  return faultsIn(file, (node) => {
    if (!matchesText(node, aliases)) return undefined;
    const code = node.getText(file).replace(/\s+/gu, " ");
    const known = allowed.find((each) => each.file === path && code.includes(each.code));
    if (known !== undefined) used.add(known);
    return known === undefined ? `depends on the wording of a text: ${code}` : undefined;
  });
}

// The published contract suites are exempt: they are tests, and check the text of a hint.
const faults = sourceFiles("src")
  .filter((path) => !path.startsWith("src/testing/"))
  .flatMap(matchesIn);
for (const each of allowed) {
  if (!used.has(each))
    faults.push(
      `${each.file} no longer has ${each.code}: take it off the list of scripts/check-error-texts.mjs`,
    );
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
