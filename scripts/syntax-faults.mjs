import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./run-command.mjs";

/** @param {string} path Relative to the project. @returns {ts.SourceFile} */
export function parsed(path) {
  return ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.ES2023, true);
}

/**
 * Returns the faults that `fault` finds in the nodes of a file, each with its line.
 * @param {ts.SourceFile} file @param {(node: ts.Node, file: ts.SourceFile) => string | undefined} fault
 * @returns {string[]}
 */
export function faultsIn(file, fault) {
  /** @type {string[]} */
  const faults = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const found = fault(node, file);
    if (found !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      faults.push(`${file.fileName}:${line + 1} ${found}`);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return faults;
}
