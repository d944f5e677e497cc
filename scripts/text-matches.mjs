import ts from "typescript";
import { pairsIn, wordsOf } from "./catalogue-phrases.mjs";

/** Fields that hold the text of an error or a remark. */
const texts = new Set(["message", "hint", "why"]);
/** Fields that often hold something other than prose, so only a comparison with a sentence counts. */
const proseFields = new Set(["reason", "detail", "text", "description", "note"]);

const matching = new Set(
  "includes startsWith endsWith indexOf lastIndexOf match matchAll search replace replaceAll split".split(
    " ",
  ),
);
const looking = new Set(["get", "has"]);
const testing = new Set(["test", "exec"]);
/** Methods whose result still contains the same text. */
const passing = new Set("trim trimStart trimEnd toLowerCase toUpperCase slice normalize toString".split(" "));

/** @typedef {"text" | "prose" | "catalogue"} Kind The origin of a text: an error, a prose field, or the catalogue. */
/**
 * @typedef {Map<ts.Node, Map<string, Kind>>} Aliases The kinds of text that variables hold, by function and variable
 * name.
 */
/**
 * @typedef {Map<string, readonly string[]>} Constants The words of the literals in each constant, by the name of the
 * constant.
 */
/** @typedef {{ aliases: Aliases, constants: Constants, phrases: ReadonlySet<string> }} Known */

/**
 * Finds code that depends on the wording of a text, or that shows English text where the user's language belongs.
 * @param {ts.SourceFile} file @param {ReadonlySet<string>} phrases
 * @returns {(node: ts.Node) => string | undefined} The fault of a node of the file.
 */
export function textFaults(file, phrases) {
  const known = { aliases: aliasesIn(file), constants: constantsIn(file), phrases };
  const isFrontEnd = /(^|\/)src\/(cli|tui|show)\//u.test(file.fileName);
  return (node) => {
    if (matchesText(node, known)) return "depends on what a text says";
    const phrase = phraseMatched(node, known);
    if (phrase !== undefined) return `recognizes a text by "${phrase}"`;
    if (isFrontEnd && showsEnglish(node, known)) return "shows an error in English";
    return undefined;
  };
}

/** @param {ts.Node} node */
function functionOf(node) {
  return ts.findAncestor(node.parent, (each) => ts.isFunctionLike(each) || ts.isSourceFile(each)) ?? node;
}

/** Returns the expressions from which the value may come. @param {ts.Expression} node @returns {ts.Expression[]} */
function sources(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return sources(node.expression);
  if (ts.isConditionalExpression(node)) return [...sources(node.whenTrue), ...sources(node.whenFalse)];
  if (ts.isTemplateExpression(node)) return node.templateSpans.flatMap((each) => sources(each.expression));
  if (ts.isBinaryExpression(node) && COMBINING.has(node.operatorToken.kind))
    return [...sources(node.left), ...sources(node.right)];
  return ts.isCallExpression(node) ? sourcesOfCall(node) : [node];
}

/** @param {ts.CallExpression} node @returns {ts.Expression[]} */
function sourcesOfCall(node) {
  const { expression: callee, arguments: given } = node;
  if (ts.isPropertyAccessExpression(callee) && passing.has(callee.name.text))
    return isError(callee.expression) ? [node] : sources(callee.expression);
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === "join")
    return ts.isArrayLiteralExpression(callee.expression)
      ? callee.expression.elements.flatMap(sources)
      : [node];
  return ts.isIdentifier(callee) && callee.text === "String" ? [node, ...given.flatMap(sources)] : [node];
}

const COMBINING = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.PlusToken,
]);

/** Whether the value is a thrown value. @param {ts.Expression | undefined} node */
function isError(node) {
  return node !== undefined && ts.isIdentifier(node) && /^(?:e|err|error|cause)$/u.test(node.text);
}

/** Whether the expression converts a thrown value to text. @param {ts.Expression} node */
function isWrittenError(node) {
  if (!ts.isCallExpression(node)) return false;
  const { expression: callee, arguments: given } = node;
  if (ts.isIdentifier(callee)) return callee.text === "String" && isError(given[0]);
  return (
    ts.isPropertyAccessExpression(callee) && callee.name.text === "toString" && isError(callee.expression)
  );
}

/** @param {ts.Expression} node @param {Aliases} aliases @param {Kind} kind */
function isOf(node, aliases, kind) {
  return sources(node).some((each) => kindOf(each, aliases) === kind);
}

/** @param {ts.Expression} node @param {Aliases} aliases @returns {Kind | undefined} */
function kindOf(node, aliases) {
  if (isInCatalogue(node, aliases)) return "catalogue";
  if (isWrittenError(node)) return "text";
  // An error that is inserted into a template string is rendered as its message.
  if (isError(node) && ts.isTemplateSpan(node.parent)) return "text";
  if (ts.isPropertyAccessExpression(node)) return kindOfField(node.name.text);
  if (ts.isElementAccessExpression(node))
    return ts.isStringLiteral(node.argumentExpression)
      ? kindOfField(node.argumentExpression.text)
      : undefined;
  return ts.isIdentifier(node) ? kindOfName(node, aliases) : undefined;
}

/** @param {string} name @returns {Kind | undefined} */
function kindOfField(name) {
  if (texts.has(name)) return "text";
  return proseFields.has(name) ? "prose" : undefined;
}

/** @param {ts.Identifier} name @param {Aliases} aliases */
function kindOfName(name, aliases) {
  const scope = ts.findAncestor(name, (each) => aliases.get(each)?.has(name.text) === true);
  return scope === undefined ? undefined : aliases.get(scope)?.get(name.text);
}

/**
 * Whether the node is `strings.x.y`, a call of it, or a member of a variable that holds a part of the catalogue.
 * @param {ts.Node} node
 * @param {Aliases} aliases
 */
function isInCatalogue(node, aliases) {
  const chain = ts.isCallExpression(node) ? node.expression : node;
  if (!ts.isPropertyAccessExpression(chain) && !ts.isElementAccessExpression(chain)) return false;
  return isPartOfCatalogue(chain.expression, aliases);
}

/** @param {ts.Expression} node @param {Aliases} aliases @returns {boolean} */
function isPartOfCatalogue(node, aliases) {
  if (ts.isIdentifier(node)) return node.text === "strings" || kindOfName(node, aliases) === "catalogue";
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === "strings" || isPartOfCatalogue(node.expression, aliases);
  return ts.isElementAccessExpression(node) && isPartOfCatalogue(node.expression, aliases);
}

/**
 * @param {ts.BindingElement | ts.ParameterDeclaration | ts.VariableDeclaration} node
 * @param {Aliases} aliases
 * @returns {Kind | undefined}
 */
function kindHeld(node, aliases) {
  if (ts.isVariableDeclaration(node)) {
    if (node.initializer === undefined) return undefined;
    if (isPartOfCatalogue(node.initializer, aliases)) return "catalogue";
    return isOf(node.initializer, aliases, "text") ? "text" : undefined;
  }
  if (ts.isBindingElement(node) && isBoundInCatalogue(node, aliases)) return "catalogue";
  const from = ts.isBindingElement(node) ? (node.propertyName ?? node.name) : node.name;
  return ts.isIdentifier(from) ? kindOfField(from.text) : undefined;
}

/**
 * Recognizes `const { models: words } = frame.strings` and `{ strings: { models: words } }`.
 * @param {ts.BindingElement} node
 * @param {Aliases} aliases
 * @returns {boolean}
 */
function isBoundInCatalogue(node, aliases) {
  const holder = node.parent.parent;
  if (ts.isVariableDeclaration(holder))
    return holder.initializer !== undefined && isPartOfCatalogue(holder.initializer, aliases);
  if (!ts.isBindingElement(holder)) return false;
  const from = holder.propertyName;
  return (from !== undefined && from.getText() === "strings") || isBoundInCatalogue(holder, aliases);
}

/** @param {ts.SourceFile} file @returns {Aliases} */
function aliasesIn(file) {
  /** @type {Aliases} */
  const aliases = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isNamed = ts.isBindingElement(node) || ts.isParameter(node) || ts.isVariableDeclaration(node);
    const kind = isNamed && ts.isIdentifier(node.name) ? kindHeld(node, aliases) : undefined;
    if (isNamed && kind !== undefined) {
      const scope = functionOf(node);
      aliases.set(scope, (aliases.get(scope) ?? new Map()).set(node.name.getText(), kind));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return aliases;
}

/** @param {ts.SourceFile} file @returns {Constants} */
function constantsIn(file) {
  /** @type {Constants} */
  const constants = new Map();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer !== undefined) constants.set(name.getText(), literalsIn(initializer));
  }
  return constants;
}

/**
 * Returns the text that a literal, or a regular expression built from literals, looks for.
 * @param {ts.Node} node
 * @returns {readonly string[]}
 */
function literalsIn(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isRegularExpressionLiteral(node)) return [wordsOf(node.text.slice(1, node.text.lastIndexOf("/")))];
  if (ts.isTemplateExpression(node))
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  if (!ts.isNewExpression(node)) return [];
  /** @type {string[]} */
  const found = [];
  /** @param {ts.Node} each */
  const visit = (each) => {
    if (ts.isStringLiteralLike(each)) found.push(wordsOf(each.text));
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
}

/**
 * Returns the operands of an equality.
 * @param {ts.Node} node
 * @returns {readonly [ts.Expression, ts.Expression] | undefined}
 */
function compared(node) {
  const isEquality = ts.isBinaryExpression(node) && /^[!=]==?$/u.test(node.operatorToken.getText());
  return isEquality ? [node.left, node.right] : undefined;
}

/** Returns a called method, with its object and its arguments. @param {ts.Node} node */
function called(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  return { method: name.text, on: expression, given: node.arguments };
}

/** @param {ts.Expression} node */
function isSentence(node) {
  return ts.isTemplateExpression(node) || (ts.isStringLiteralLike(node) && /[\s.]/u.test(node.text));
}

/**
 * Whether the wording of the text is compared. A comparison with undefined or with an empty text does not count, nor
 * does a comparison of a `why` that is one of a few kinds.
 * @param {ts.Expression} text @param {ts.Expression} other @param {Known} known
 */
function isCompared(text, other, { aliases }) {
  if (isOf(text, aliases, "catalogue"))
    return !ts.isStringLiteralLike(other) && other.getText() !== "undefined";
  if (isOf(text, aliases, "prose")) return isSentence(other) && /\s/u.test(other.getText());
  if (!isOf(text, aliases, "text")) return false;
  const mayBeKind = [text, other].some((each) => /\bwhy$/u.test(each.getText()));
  const isValue =
    ts.isPropertyAccessExpression(other) || (ts.isIdentifier(other) && other.text !== "undefined");
  return isSentence(other) || (isValue && !mayBeKind);
}

/** @param {ts.Node} node @param {Known} known @returns {boolean} */
function matchesText(node, known) {
  const { aliases } = known;
  const operands = compared(node);
  if (operands !== undefined) {
    const [left, right] = operands;
    return isCompared(left, right, known) || isCompared(right, left, known);
  }
  if (ts.isSwitchStatement(node)) {
    const isOfSentences = node.caseBlock.clauses.some(
      (each) =>
        ts.isCaseClause(each) && (isSentence(each.expression) || isOf(each.expression, aliases, "catalogue")),
    );
    return isOfSentences && isAnyText(node.expression, aliases);
  }
  if (ts.isElementAccessExpression(node)) return isKey(node.argumentExpression, aliases);
  const call = called(node);
  if (call === undefined) return false;
  const { method, on, given } = call;
  if (matching.has(method))
    return isOf(on, aliases, "text") || given.slice(0, 1).some((each) => isOf(each, aliases, "catalogue"));
  if (looking.has(method)) return given.slice(0, 1).some((each) => isKey(each, aliases));
  return testing.has(method) && given.some((each) => isOf(each, aliases, "text"));
}

/**
 * Whether a message is used as a key for a lookup. A `why` or a `hint` does not count, because it may be one of a few
 * kinds.
 * @param {ts.Expression} node
 * @param {Aliases} aliases
 */
function isKey(node, aliases) {
  return isOf(node, aliases, "text") && !/\b(?:why|hint)$/u.test(node.getText());
}

/** @param {ts.Expression} node @param {Aliases} aliases */
function isAnyText(node, aliases) {
  return sources(node).some((each) => ["text", "prose"].includes(kindOf(each, aliases) ?? ""));
}

/**
 * Returns the words from our own texts that the node looks for in a text.
 * @param {ts.Node} node
 * @param {Known} known
 * @returns {string | undefined}
 */
function phraseMatched(node, { constants, phrases }) {
  const wanted = lookedFor(node).flatMap((each) =>
    ts.isIdentifier(each) ? (constants.get(each.text) ?? []) : literalsIn(each),
  );
  return wanted.flatMap(pairsIn).find((pair) => phrases.has(pair));
}

/**
 * Returns the expressions that a text is searched for or compared with.
 * @param {ts.Node} node
 * @returns {readonly ts.Expression[]}
 */
function lookedFor(node) {
  const operands = compared(node);
  if (operands !== undefined) return operands;
  if (ts.isCaseClause(node)) return [node.expression];
  const call = called(node);
  if (call === undefined) return [];
  if (testing.has(call.method)) return [call.on];
  return matching.has(call.method) || looking.has(call.method) ? call.given.slice(0, 1) : [];
}

/**
 * Whether an error's English text is printed or inserted into a catalogue text.
 * @param {ts.Node} node
 * @param {Known} known
 */
function showsEnglish(node, { aliases }) {
  if (!ts.isCallExpression(node)) return false;
  const isShown = isInCatalogue(node, aliases) || isOutput(node.expression);
  return isShown && node.arguments.some((each) => sources(each).some((source) => isEnglish(source)));
}

/** `output.warn`, `frame.output.notice`. @param {ts.Expression} callee */
function isOutput(callee) {
  if (!ts.isPropertyAccessExpression(callee)) return false;
  const { expression: on } = callee;
  return ts.isIdentifier(on)
    ? on.text === "output"
    : ts.isPropertyAccessExpression(on) && on.name.text === "output";
}

/** Whether the text was stored or thrown, and not just rendered by a function. @param {ts.Expression} node */
function isEnglish(node) {
  if (isWrittenError(node)) return true;
  return (
    ts.isPropertyAccessExpression(node) && texts.has(node.name.text) && !ts.isCallExpression(node.expression)
  );
}
