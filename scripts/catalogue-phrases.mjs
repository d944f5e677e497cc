import ts from "typescript";

/**
 * Collects the pairs of consecutive words in our own texts: in the English catalogue, and in templates outside of it. A
 * literal that contains such a pair is probably used to recognize one of our texts.
 * @param {readonly ts.SourceFile[]} files
 * @returns {ReadonlySet<string>}
 */
export function phrasesIn(files) {
  /** @type {Set<string>} */
  const phrases = new Set();
  for (const file of files) {
    const isCatalogue = /(^|\/)strings\/en(\/|\.ts$)/u.test(file.fileName);
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
      if (isPiece(node) || (isCatalogue && ts.isStringLiteralLike(node)))
        for (const pair of pairsIn(node.text)) phrases.add(pair);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return phrases;
}

/** @param {ts.Node} node @returns {node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail} */
function isPiece(node) {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

/** Returns each pair of words with only spaces between them, in lower case. @param {string} text @returns {string[]} */
export function pairsIn(text) {
  return text.split(/[^A-Za-z' ]+/u).flatMap((run) => {
    const words = run
      .toLowerCase()
      .split(" ")
      .filter((word) => word !== "");
    return words.slice(1).flatMap((word, at) => {
      const before = words[at] ?? "";
      return before.length > 1 && word.length > 1 ? [`${before} ${word}`] : [];
    });
  });
}

/** A class, or an escaped character. */
const PIECE = /\\(.)|\[(?:\\.|[^\]\\])*\]/gsu;

/**
 * Returns the words of a regular expression, with everything else replaced by punctuation.
 * @param {string} source The text between the slashes.
 */
export function wordsOf(source) {
  return source
    .replace(PIECE, (_, escaped) => {
      if (escaped === undefined) return "|";
      if (/[sbrnt]/u.test(escaped)) return " ";
      return /[dDwWpPuxk]/u.test(escaped) ? "|" : escaped;
    })
    .replace(/ [+*?]/gu, " ");
}
