import { background, foreground } from "./colors.mjs";
import { cell, escaped, lineMarkup, pixels, StyleSheet } from "./line-markup.mjs";

/** @typedef {import("../../test/e2e/terminal/support/painted-lines.ts").PaintedRun} PaintedRun */
/**
 * The screen of a terminal at one moment.
 * @typedef {{
 *   readonly lines: readonly (readonly PaintedRun[])[],
 *   readonly cursor?: { readonly row: number, readonly column: number },
 * }} Shot
 */
/** @typedef {{ readonly title: string, readonly columns: number }} Window */

const padding = 14;
const bar = 30;
const fonts =
  "ui-monospace,'SF Mono',Menlo,'Cascadia Mono',Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace";

/**
 * Draws one screen in a window frame.
 * @param {Shot} shot
 * @param {Window} window
 */
export function picture(shot, window) {
  const sheet = new StyleSheet();
  const lines = shot.lines.map((runs, row) => at(row, lineMarkup(runs, sheet))).join("");
  return framed(
    { ...window, rows: shot.lines.length },
    { rules: String(sheet), body: lines + cursorOf(shot) },
  );
}

/**
 * Draws several screens in a loop, each for its number of seconds. A line that several screens share is drawn once.
 * With reduced motion, only the last screen is shown.
 * @param {readonly (Shot & { readonly seconds: number })[]} frames
 * @param {Window} window
 */
export function recording(frames, window) {
  const sheet = new StyleSheet();
  /** @type {Map<string, string>} */
  const ids = new Map();
  const use = (/** @type {readonly PaintedRun[]} */ runs, /** @type {number} */ row) => {
    const markup = lineMarkup(runs, sheet);
    if (markup === "") return "";
    const id = ids.get(markup) ?? `l${ids.size}`;
    ids.set(markup, id);
    return `<use href="#${id}" y="${row * cell.height}"/>`;
  };
  const bodies = frames.map(
    (frame, index) => `<g class="f f${index}">${frame.lines.map(use).join("")}${cursorOf(frame)}</g>`,
  );
  const defs = [...ids].map(([markup, id]) => `<g id="${id}">${markup}</g>`).join("");
  const rows = Math.max(...frames.map(({ lines }) => lines.length));
  return framed(
    { ...window, rows },
    { rules: `${sheet}${motion(frames)}`, body: `<defs>${defs}</defs>${bodies.join("")}` },
  );
}

/** @param {readonly { readonly seconds: number }[]} frames */
function motion(frames) {
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const percent = (/** @type {number} */ seconds) => `${Number(((100 * seconds) / total).toFixed(3))}%`;
  let from = 0;
  const keyframes = frames.map(({ seconds }, index) => {
    const until = from + seconds;
    const steps = [
      ...(index === 0 ? [] : ["0%{visibility:hidden}"]),
      `${percent(from)}{visibility:visible}`,
      index === frames.length - 1 ? "100%{visibility:visible}" : `${percent(until)}{visibility:hidden}`,
    ];
    from = until;
    return `@keyframes f${index}{${steps.join("")}}.f${index}{animation-name:f${index}}`;
  });
  const still = `@media(prefers-reduced-motion:reduce){.f{animation:none}.f${frames.length - 1}{visibility:visible}}`;
  // There is no transition: a screen is either visible or hidden.
  const every = `.f{visibility:hidden;animation:${Number(total.toFixed(2))}s steps(1,end) infinite}`;
  return `${every}${keyframes.join("")}${still}`;
}

/** @param {number} row @param {string} markup */
function at(row, markup) {
  return markup === "" ? "" : `<g transform="translate(0 ${row * cell.height})">${markup}</g>\n`;
}

/** @param {Shot} shot */
function cursorOf({ cursor }) {
  if (cursor === undefined) return "";
  return `<rect class="c" x="${pixels(cursor.column)}" y="${cursor.row * cell.height}" width="${pixels(1)}" height="${cell.height}"/>`;
}

/**
 * @param {Window & { readonly rows: number }} window
 * @param {{ readonly rules: string, readonly body: string }} content
 */
function framed({ title, columns, rows }, { rules, body }) {
  const width = Math.ceil(pixels(columns) + 2 * padding);
  const height = bar + rows * cell.height + padding;
  const buttons = ["#ff5f57", "#febc2e", "#28c840"]
    .map((color, index) => `<circle cx="${18 + index * 18}" cy="15" r="5.5" fill="${color}"/>`)
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve" role="img" aria-label="${escaped(title).replaceAll('"', "&quot;")}">
<style>text{font-family:${fonts};font-size:${cell.font}px;white-space:pre}.c{fill:${foreground};opacity:.55}.t{fill:#8b919c;font-size:12px}${rules}</style>
<rect width="${width}" height="${height}" rx="9" fill="${background}" stroke="#3b4048"/>
${buttons}<text class="t" x="${width / 2}" y="19" text-anchor="middle">${escaped(title)}</text>
<g transform="translate(${padding} ${bar})">
${body}</g>
</svg>
`;
}
