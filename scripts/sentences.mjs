import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";
import { root } from "./run-command.mjs";
import { sourceFiles } from "./source-files.mjs";
import { parsed } from "./syntax-faults.mjs";

// Prints the English sentences of the project, so that readers can judge them.
//   node scripts/sentences.mjs                        all of them, with their kinds and places
//   node scripts/sentences.mjs --sample 60 --seed 7   the same number of each kind, chosen by the seed

/** @typedef {{ kind: "docs" | "messages" | "comments", path: string, line: number, text: string }} Sentence */

/** Fewer words are a title or a label, which cannot be judged without its surroundings. */
const MIN_WORDS = 4;

/** @param {string} text @returns {string[]} */
const sentencesIn = (text) =>
  text
    .replace(/\s+/gu, " ")
    .split(/(?<=[.!?]["')*`]*) (?=["'(*`]*[A-Z])/u)
    .map((each) => each.trim())
    .filter((each) => each.split(" ").filter((word) => /[A-Za-z]{2,}/u.test(word)).length >= MIN_WORDS);

/** A line that begins a list item, a heading or a quotation. */
const MARK = /^\s*(?:[-*] |\d+\. |#+ |> ?)/u;

/**
 * Splits Markdown into paragraphs, list items and table cells, without code blocks.
 * @param {string} path @returns {Sentence[]}
 */
function sentencesOfPage(path) {
  const text = readFileSync(join(root, path), "utf8").replace(/^\s*```.*?^\s*```/gmsu, (code) =>
    code.replace(/[^\n]/gu, ""),
  );
  /** @type {{ line: number, text: string }[]} */
  const blocks = [];
  let isOpen = false;
  for (const [index, line] of text.split("\n").entries()) {
    const last = blocks.at(-1);
    const isText = !/^\s*(?:$|<|\|)/u.test(line);
    if (isText && isOpen && !MARK.test(line) && last !== undefined) last.text += ` ${line.trim()}`;
    else if (isText) blocks.push({ line: index + 1, text: line.replace(MARK, "") });
    if (line.startsWith("|"))
      blocks.push(...line.split(/(?<!\\)\|/u).map((cell) => ({ line: index + 1, text: cell })));
    isOpen = isText && !line.startsWith("#");
  }
  return blocks.flatMap((block) =>
    sentencesIn(block.text).map((each) => ({ kind: "docs", path, line: block.line, text: each })),
  );
}

/** @param {ts.SourceFile} file @param {number} position */
const lineAt = (file, position) => file.getLineAndCharacterOfPosition(position).line + 1;

/** @param {ts.SourceFile} file @returns {ts.CommentRange[]} The comments in their order. */
function commentsIn(file) {
  /** @type {Map<number, ts.CommentRange>} */
  const byStart = new Map();
  /** @param {ts.Node} node */
  const visit = (node) => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, node.getEnd()) ?? []),
    ];
    for (const range of ranges) byStart.set(range.pos, range);
    for (const child of node.getChildren(file)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(file);
  return [...byStart.values()].sort((one, other) => one.pos - other.pos);
}

/** @param {string} path @returns {Sentence[]} */
function sentencesOfComments(path) {
  const file = parsed(path);
  /** @type {{ line: number, until: number, text: string }[]} */
  const comments = [];
  for (const { pos, end, kind } of commentsIn(file)) {
    const line = lineAt(file, pos);
    const text = file.text.slice(pos, end).replace(/^\/\*\*?|\*\/$|^\s*\*(?!\/) ?|^\s*\/\/ ?/gmu, "");
    const last = comments.at(-1);
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia && last?.until === line - 1) {
      last.text += `\n${text}`;
      last.until = line;
    } else comments.push({ line, until: lineAt(file, end), text });
  }
  return comments.flatMap(({ line, text }) =>
    text
      .split(/\n\s*\n|\n\s*(?=[-@])/u)
      .flatMap(sentencesIn)
      .filter((each) => !/^(?:biome-ignore|@)/u.test(each))
      .map((each) => ({ kind: /** @type {const} */ ("comments"), path, line, text: each })),
  );
}

/** Some words that almost every English sentence contains, and lists of options and queries do not. */
const COMMON_WORDS =
  /\b(?:an?|and|are|be|can|cannot|for|from|has|have|in|is|it|no|not|of|the|to|was|with|you|your)\b/iu;
const SQL = /^\s*(?:ALTER|BEGIN|CREATE|DELETE|INSERT|SELECT|UPDATE|WITH)\b/u;

/**
 * Reads the texts in a source file: the catalogue's, and outside the catalogue those for the model and inside errors.
 * @param {string} path @returns {Sentence[]}
 */
function sentencesOfTexts(path) {
  const file = parsed(path);
  const isCatalogue = path.startsWith("src/strings/");
  /** @type {Sentence[]} */
  const found = [];
  /** @param {ts.Node} node @returns {string | undefined} */
  const textOf = (node) => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return node.templateSpans.reduce(
        (text, span) => `${text}{${span.expression.getText(file)}}${span.literal.text}`,
        node.head.text,
      );
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const text = textOf(node);
    if (text === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    const line = lineAt(file, node.getStart(file));
    if (!isCatalogue && (!COMMON_WORDS.test(text) || SQL.test(text))) return;
    for (const each of sentencesIn(text)) found.push({ kind: "messages", path, line, text: each });
  };
  visit(file);
  return found;
}

function allSentences() {
  const tracked = spawnSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).stdout;
  const pages = tracked
    .split("\n")
    .filter((each) => /^(?:docs\/|[A-Z]+\.md$|bench\/README|src\/)/u.test(each));
  const sources = sourceFiles("src");
  return [
    ...pages.flatMap(sentencesOfPage),
    ...sources
      .filter((each) => each.startsWith("src/strings/en/") || !each.startsWith("src/strings/"))
      .flatMap(sentencesOfTexts),
    ...sources.filter((each) => !each.startsWith("src/strings/")).flatMap(sentencesOfComments),
  ];
}

/**
 * Chooses `count` of the sentences. The same seed chooses the same ones, whatever the platform.
 * @param {readonly Sentence[]} sentences @param {number} count @param {number} seed
 */
function choose(sentences, count, seed) {
  const left = [...sentences];
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let skipped = 0; skipped < 8; skipped += 1) random();
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

const { values } = parseArgs({ options: { sample: { type: "string" }, seed: { type: "string" } } });
const all = allSentences();
const kinds = /** @type {const} */ (["docs", "messages", "comments"]);
const chosen =
  values.sample === undefined
    ? all
    : kinds.flatMap((kind, index) =>
        choose(
          all.filter((each) => each.kind === kind),
          Math.ceil(Number(values.sample) / kinds.length),
          Number(values.seed ?? Date.now()) * kinds.length + index,
        ),
      );
for (const { kind, path, line, text } of chosen) console.log(`${kind}\t${path}:${line}\t${text}`);
