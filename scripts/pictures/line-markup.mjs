import { background, foreground, hex } from "./colors.mjs";

/** @typedef {import("../../test/e2e/terminal/support/painted-lines.ts").PaintedRun} PaintedRun */
/** @typedef {import("../../test/e2e/terminal/support/painted-lines.ts").CellStyle} CellStyle */

/** One cell of the terminal, in pixels. */
export const cell = { width: 8.4, height: 18, baseline: 13, font: 14 };

/** Assigns names to styles, so that each style is written only once. */
export class StyleSheet {
  /** @type {Map<string, string>} */
  #names = new Map();

  /** @param {string} rules */
  nameOf(rules) {
    const name = this.#names.get(rules) ?? `s${this.#names.size}`;
    this.#names.set(rules, name);
    return name;
  }

  toString() {
    return [...this.#names].map(([rules, name]) => `.${name}{${rules}}`).join("");
  }
}

/**
 * Renders one line of a screen, with its upper left corner at 0, 0.
 * @param {readonly PaintedRun[]} runs
 * @param {StyleSheet} sheet
 */
export function lineMarkup(runs, sheet) {
  return grouped(runs)
    .map((run) => behind(run, sheet) + letters(run, sheet))
    .join("");
}

/**
 * Groups adjacent wide characters of one style into one element, with a position for each.
 * @param {readonly PaintedRun[]} runs
 */
function grouped(runs) {
  /** @type {PaintedRun[]} */
  const groups = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last !== undefined && isWide(last) && isWide(run) && areNeighbours(last, run)) {
      groups[groups.length - 1] = {
        ...last,
        text: last.text + run.text,
        columns: last.columns + run.columns,
      };
    } else groups.push(run);
  }
  return groups;
}

/** @param {PaintedRun} run */
const isWide = ({ text, columns }) => columns === text.length * 2;

/** @param {PaintedRun} left @param {PaintedRun} right */
function areNeighbours(left, right) {
  return left.column + left.columns === right.column && looks(left.style) === looks(right.style);
}

/** @param {CellStyle} style */
const looks = (style) => JSON.stringify(style);

/** @param {PaintedRun} run @param {StyleSheet} sheet */
function behind({ column, columns, style }, sheet) {
  const fill = style.inverse === "on" ? (style.foreground ?? foreground) : style.background;
  if (fill === undefined) return "";
  const place = `x="${pixels(column)}" width="${pixels(columns)}" height="${cell.height}"`;
  return `<rect class="${sheet.nameOf(`fill:${hex(fill)}`)}" ${place}/>`;
}

/** @param {PaintedRun} run @param {StyleSheet} sheet */
function letters(run, sheet) {
  const indent = run.text.length - run.text.trimStart().length;
  const text = run.text.trim();
  if (text === "") return "";
  const column = run.column + indent;
  const named = sheet.nameOf(rulesOf(run.style));
  const place = placeOf({ text, column, columns: run.columns - (run.text.length - text.length) });
  return `<text class="${named}" y="${cell.baseline}" ${place}>${escaped(text)}</text>`;
}

/**
 * Places every character in its cell, in any font: a run of narrow characters is stretched, and a wide character is
 * centered in its cells.
 * @param {Pick<PaintedRun, "text" | "column" | "columns">} run
 */
function placeOf({ text, column, columns }) {
  if (columns === text.length) {
    return `x="${pixels(column)}" textLength="${pixels(columns)}" lengthAdjust="spacingAndGlyphs"`;
  }
  const wide = columns === text.length * 2 ? [...text].map((_, index) => column + index * 2) : [column];
  const width = columns / wide.length;
  return `x="${wide.map((each) => pixels(each + width / 2)).join(" ")}" text-anchor="middle"`;
}

/** @param {CellStyle} style */
function rulesOf(style) {
  const color = style.inverse === "on" ? (style.background ?? background) : (style.foreground ?? foreground);
  const lines = [style.underline === "on" ? "underline" : "", style.strike === "on" ? "line-through" : ""];
  const decoration = lines.join(" ").trim();
  return [
    `fill:${hex(color)}`,
    style.bold === "on" ? "font-weight:700" : "",
    style.dim === "on" ? "opacity:.6" : "",
    style.italic === "on" ? "font-style:italic" : "",
    decoration === "" ? "" : `text-decoration:${decoration}`,
  ]
    .filter((rule) => rule !== "")
    .join(";");
}

/** @param {number} columns */
export function pixels(columns) {
  return Number((columns * cell.width).toFixed(1));
}

/** @param {string} text */
export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
