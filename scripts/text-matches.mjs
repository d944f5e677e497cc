import { join } from "node:path/posix";
import ts from "typescript";
import { pairsIn, phrasesIn, wordsOf } from "./catalogue-phrases.mjs";

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
/** Methods whose result still contains the same text, or some of the same texts. */
const passing = new Set(
  "trim trimStart trimEnd toLowerCase toUpperCase slice normalize toString at filter find".split(" "),
);
const mapping = new Set(["map", "flatMap"]);
/** Methods that pass each element of an array to a function. */
const visiting = new Set("map flatMap filter find findLast findIndex some every forEach".split(" "));
/** Functions that render an error, a remark or a notice. */
const rendering = new Set(
  "message hint remarkText noticeTexts errorText problemText reportText callReasonText".split(" "),
);

/** @typedef {"text" | "prose" | "catalogue"} Kind The origin of a text: an error, a prose field, or the catalogue. */
/**
 * @typedef {Map<ts.Node, Map<string, Kind>>} Aliases The kinds of text that variables hold, by function and variable
 * name.
 */
/**
 * @typedef {Map<string, readonly string[]>} Constants The words of the literals in each constant, by the name of the
 * constant.
 */
/**
 * @typedef {{ phrases: ReadonlySet<string>, constants: ReadonlyMap<string, Constants> }} OwnTexts The pairs of words in
 * our own texts, and the constants of each file, by its path.
 */
/** @typedef {{ aliases: Aliases, constants: Constants, imported: Constants, phrases: ReadonlySet<string> }} Known */

/** @param {readonly ts.SourceFile[]} files @returns {OwnTexts} */
export function ownTexts(files) {
  return {
    phrases: phrasesIn(files),
    constants: new Map(files.map((file) => [file.fileName, constantsIn(file)])),
  };
}

/**
 * Finds code that depends on the wording of a text, or that shows English text where the user's language belongs.
 * @param {ts.SourceFile} file @param {OwnTexts} texts
 * @returns {(node: ts.Node) => string | undefined} The fault of a node of the file.
 */
export function textFaults(file, texts) {
  const { phrases } = texts;
  const imported = importedConstants(file, texts);
  const known = { aliases: aliasesIn(file), constants: constantsIn(file), imported, phrases };
  const isFrontEnd = /(^|\/)src\/(cli|tui|show)\//u.test(file.fileName);
  return (node) => {
    if (matchesText(node, known)) return "depends on what a text says";
    const phrase = phraseMatched(node, known);
    if (phrase !== undefined) return `recognizes a text by "${phrase}"`;
    if (isFrontEnd && showsEnglish(node, known)) return "shows an error in English";
    if (ts.isNewExpression(node) && node.expression.getText() === "Proxy")
      return "may rewrite texts in a Proxy";
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
  if (ts.isPropertyAccessExpression(callee) && mapping.has(callee.name.text)) {
    const [mapped] = given;
    return mapped !== undefined && ts.isArrowFunction(mapped) ? returned(mapped).flatMap(sources) : [node];
  }
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === "join")
    return ts.isArrayLiteralExpression(callee.expression)
      ? callee.expression.elements.flatMap(sources)
      : [node];
  return ts.isIdentifier(callee) && callee.text === "String" ? [node, ...given.flatMap(sources)] : [node];
}

/** Returns the values that a function returns. @param {ts.FunctionLikeDeclaration} made @returns {ts.Expression[]} */
function returned(made) {
  const { body } = made;
  if (body === undefined) return [];
  if (!ts.isBlock(body)) return [body];
  return body.statements.flatMap((each) =>
    ts.isReturnStatement(each) && each.expression !== undefined ? [each.expression] : [],
  );
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

/** Whether the expression renders a text for users. @param {ts.Expression} node */
function isRendered(node) {
  if (!ts.isCallExpression(node)) return false;
  const { expression: callee } = node;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
  return ts.isIdentifier(name) && rendering.has(name.text);
}

/**
 * Returns what the file imports by name from other files of the project.
 * @param {ts.SourceFile} file
 * @returns {readonly { readonly from: string, readonly exported: string, readonly name: string }[]}
 */
function importsOf(file) {
  return file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const { text } = statement.moduleSpecifier;
    const bindings = statement.importClause?.namedBindings;
    if (!text.startsWith(".") || bindings === undefined || !ts.isNamedImports(bindings)) return [];
    const from = join(file.fileName, "..", text);
    return bindings.elements.map(({ name, propertyName }) => ({
      from,
      exported: (propertyName ?? name).text,
      name: name.text,
    }));
  });
}

/** @param {ts.Expression} node @param {Aliases} aliases @param {Kind} kind */
function isOf(node, aliases, kind) {
  return sources(node).some((each) => kindOf(each, aliases) === kind);
}

/** @param {ts.Expression} node @param {Aliases} aliases @returns {Kind | undefined} */
function kindOf(node, aliases) {
  if (isInCatalogue(node, aliases)) return "catalogue";
  if (isWrittenError(node) || isRendered(node)) return "text";
  // An error that is inserted into a template string is rendered as its message.
  if (isError(node) && ts.isTemplateSpan(node.parent)) return "text";
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
    return kindOfMember(node, aliases);
  return ts.isIdentifier(node) ? kindOfName(node, aliases) : undefined;
}

/**
 * @param {ts.PropertyAccessExpression | ts.ElementAccessExpression} node
 * @param {Aliases} aliases
 * @returns {Kind | undefined}
 */
function kindOfMember(node, aliases) {
  const key = ts.isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
  if (!ts.isIdentifier(key) && !ts.isStringLiteral(key) && !ts.isNumericLiteral(key)) return undefined;
  // A rendered notice has several texts.
  const isPart = ts.isNumericLiteral(key) || key.text === "text";
  if (isPart && isOf(node.expression, aliases, "text")) return "text";
  const isName = ts.isPropertyAccessExpression(node) || ts.isStringLiteral(key);
  return isName ? kindOfField(key.text) : undefined;
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
      const kinds = aliases.get(scope) ?? new Map();
      const name = node.name.getText();
      // A parameter that gets a text keeps this kind.
      if (kinds.get(name) !== "text") aliases.set(scope, kinds.set(name, kind));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  while (passTexts(file, aliases)) visit(file);
  return aliases;
}

/**
 * Marks the parameters of functions of the file that are called with a text. Returns whether any was new.
 * @param {ts.SourceFile} file @param {Aliases} aliases
 */
function passTexts(file, aliases) {
  const functions = functionsIn(file);
  let isNew = false;
  /** @param {ts.Node} node */
  const visit = (node) => {
    for (const { to, at } of ts.isCallExpression(node) ? passedTexts(node, functions, aliases) : []) {
      const names = aliases.get(to) ?? new Map();
      for (const name of namesOf(to.parameters[at])) {
        isNew ||= names.get(name) !== "text";
        aliases.set(to, names.set(name, "text"));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return isNew;
}

/**
 * Returns the functions that a call passes a text to, and at which place.
 * @param {ts.CallExpression} call
 * @param {ReadonlyMap<string, ts.FunctionLikeDeclaration>} functions
 * @param {Aliases} aliases
 * @returns {readonly { readonly to: ts.FunctionLikeDeclaration, readonly at: number }[]}
 */
function passedTexts({ expression: callee, arguments: given }, functions, aliases) {
  if (ts.isIdentifier(callee)) {
    const to = functions.get(callee.text);
    if (to === undefined) return [];
    return [...given.entries()].flatMap(([at, each]) => (isOf(each, aliases, "text") ? [{ to, at }] : []));
  }
  const [to] = given;
  if (to === undefined || !ts.isArrowFunction(to) || !ts.isPropertyAccessExpression(callee)) return [];
  const isVisit = visiting.has(callee.name.text) && isOf(callee.expression, aliases, "text");
  return isVisit ? [{ to, at: 0 }] : [];
}

/** The name of a parameter, or the text that it takes out of a rendered notice. @param {ts.ParameterDeclaration | undefined} parameter */
function namesOf(parameter) {
  if (parameter === undefined) return [];
  if (ts.isIdentifier(parameter.name)) return [parameter.name.text];
  if (!ts.isObjectBindingPattern(parameter.name)) return [];
  return parameter.name.elements.flatMap(({ name, propertyName }) =>
    ts.isIdentifier(name) && (propertyName ?? name).getText() === "text" ? [name.text] : [],
  );
}

/** @param {ts.SourceFile} file @returns {ReadonlyMap<string, ts.FunctionLikeDeclaration>} */
function functionsIn(file) {
  /** @type {Map<string, ts.FunctionLikeDeclaration>} */
  const functions = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined) functions.set(node.name.text, node);
    if (
      ts.isVariableDeclaration(node) &&
      node.initializer !== undefined &&
      ts.isArrowFunction(node.initializer)
    )
      functions.set(node.name.getText(), node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return functions;
}

/**
 * Returns the sentences that the file imports, by the names that they have in it.
 * @param {ts.SourceFile} file @param {OwnTexts} texts @returns {Constants}
 */
function importedConstants(file, { constants }) {
  return new Map(
    importsOf(file).flatMap(({ from, exported, name }) => {
      const words = constants.get(from)?.get(exported) ?? [];
      return words.length === 0 ? [] : [[name, words]];
    }),
  );
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
  const { method, given } = call;
  if (matching.has(method)) return isMatched(call, known);
  if (looking.has(method)) return given.slice(0, 1).some((each) => isKey(each, aliases));
  return testing.has(method) && given.some((each) => isOf(each, aliases, "text"));
}

/** @param {NonNullable<ReturnType<typeof called>>} call @param {Known} known */
function isMatched({ method, on, given: [wanted] }, known) {
  const { aliases } = known;
  if (changesForm(method, wanted, known)) return false;
  if (isOf(on, aliases, "text")) return true;
  if (wanted === undefined) return false;
  return isOf(wanted, aliases, "catalogue") || (ts.isArrayLiteralExpression(on) && isKey(wanted, aliases));
}

/**
 * Whether the call only changes the form of a text: the pattern matches blanks, the ends of lines, or any letter.
 * @param {string} method @param {ts.Expression | undefined} pattern @param {Known} known
 */
function changesForm(method, pattern, { constants }) {
  if (!/^(?:replace|replaceAll|split)$/u.test(method) || pattern === undefined) return false;
  const words = ts.isIdentifier(pattern) ? constants.get(pattern.text) : literalsIn(pattern);
  const isPattern = ts.isRegularExpressionLiteral(pattern) || ts.isIdentifier(pattern);
  return isPattern && words?.length === 1 && /^[\s|^$+*?.]*$/u.test(words[0] ?? "");
}

/**
 * Whether a message is used as a key for a lookup. A `why` or a `hint` does not count, because it may be one of a few
 * kinds.
 * @param {ts.Expression} node
 * @param {Aliases} aliases
 */
function isKey(node, aliases) {
  return isOf(node, aliases, "text") && !/\b(?:why|hint)\W*$/u.test(node.getText());
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
function phraseMatched(node, { constants, imported, phrases }) {
  const sought = lookedFor(node);
  // A sentence of another file is one of our texts, even if it is not in the catalogue.
  const others = sought.flatMap((each) => (ts.isIdentifier(each) ? (imported.get(each.text) ?? []) : []));
  const wanted = sought.flatMap((each) =>
    ts.isIdentifier(each) ? (constants.get(each.text) ?? []) : literalsIn(each),
  );
  return others.flatMap(pairsIn)[0] ?? wanted.flatMap(pairsIn).find((pair) => phrases.has(pair));
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
