import ts from "typescript";
import { sourceFiles } from "./source-files.mjs";
import { faultsIn, parsed } from "./syntax-faults.mjs";

// Checks what import boundaries cannot check: without any import, code in a pure folder could wait, read the clock or
// use random numbers, and a use case could print.
const pureFolders = ["record", "timeline", "travel", "strings"];
const typeFolders = ["ports"];

/**
 * Exempt, because this file loads the other language's catalogue on demand, so that a start in English does not load
 * it.
 */
const loadsLater = "src/strings/strings.ts";

const worldly = new Set(
  "process globalThis console fetch crypto performance require Buffer Promise setTimeout setInterval setImmediate queueMicrotask".split(
    " ",
  ),
);
const worldlyMembers = new Set(["Date.now", "Math.random", "import.meta"]);

/** @param {ts.Node} node */
function isAsync(node) {
  if (ts.isAwaitExpression(node)) return true;
  if (ts.isForOfStatement(node)) return node.awaitModifier !== undefined;
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some((each) => each.kind === ts.SyntaxKind.AsyncKeyword) === true
  );
}

/** `Date()` and `new Date()` read the clock; `new Date(text)` only converts. @param {ts.Node} node */
function readsClock(node) {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  const isDate = ts.isIdentifier(node.expression) && node.expression.text === "Date";
  return isDate && (ts.isCallExpression(node) || (node.arguments ?? []).length === 0);
}

/** @param {ts.Node} node @param {ts.SourceFile} file @returns {string | undefined} */
function reachesOut(node, file) {
  if (ts.isPropertyAccessExpression(node) || ts.isMetaProperty(node)) {
    const text = node.getText(file);
    if (worldlyMembers.has(text)) return text;
  }
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
    if (isImport && file.fileName !== loadsLater) return "import()";
    if (ts.isIdentifier(node.expression) && worldly.has(node.expression.text)) return node.expression.text;
  }
  return undefined;
}

/**
 * Whether a module-level variable can change. Such a variable would keep state between calls.
 * @param {ts.Node} node
 */
function isModuleState(node) {
  return (
    ts.isVariableStatement(node) &&
    ts.isSourceFile(node.parent) &&
    (node.declarationList.flags & ts.NodeFlags.Const) === 0
  );
}

/** @param {ts.Node} node @param {ts.SourceFile} file @returns {string | undefined} */
function impurity(node, file) {
  if (isAsync(node)) return "waits (async or await)";
  if (readsClock(node)) return "reads the clock";
  if (isModuleState(node)) return "keeps state in a module variable";
  const name = reachesOut(node, file);
  return name === undefined ? undefined : `uses ${name}`;
}

/** The members of `process` that only a front end may use: the command line and the terminal's streams. */
const frontEndMembers = new Set(["argv", "stdin", "stdout", "stderr"]);

/** @param {ts.Node} node @returns {string | undefined} */
function actsAsFrontEnd(node) {
  const isMember = ts.isPropertyAccessExpression(node) && frontEndMembers.has(node.name.text);
  if (!isMember || !ts.isIdentifier(node.expression) || node.expression.text !== "process") return undefined;
  return `uses process.${node.name.text}, which is the front end's`;
}

/** @param {ts.Node} node */
function isOnlyType(node) {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isExportDeclaration(node) && node.isTypeOnly;
}

const faults = [
  ...pureFolders
    .flatMap((folder) => sourceFiles(`src/${folder}`))
    .flatMap((path) => faultsIn(parsed(path), impurity)),
  ...sourceFiles("src/app").flatMap((path) => faultsIn(parsed(path), actsAsFrontEnd)),
  ...typeFolders
    .flatMap((folder) => sourceFiles(`src/${folder}`))
    .flatMap((path) =>
      faultsIn(parsed(path), (node) =>
        ts.isStatement(node) && ts.isSourceFile(node.parent) && !isOnlyType(node)
          ? "is not a type"
          : undefined,
      ),
    ),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
