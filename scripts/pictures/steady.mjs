/** @typedef {import("../../test/e2e/terminal/support/painted-lines.ts").PaintedRun} PaintedRun */

/**
 * Patterns for text that differs from run to run, with replacements of the same width, so that nothing moves. Only
 * the home folder's replacement has a different width.
 * @type {readonly (readonly [what: RegExp, instead: string])[]}
 */
const varying = [
  [/(?:\/[\w.-]+)*\/worldline-terminal-\w+\/home\b/gu, "~"],
  [/\b(?=[a-z]*\d)[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}\b/gu, "k3f9x2m7q1"],
  [/\b\d{4}-\d{2}-\d{2}\b/gu, "2026-01-31"],
  [/\b\d{2}:\d{2}:\d{2}\b/gu, "10:30:45"],
  [/(?<![\d:])\d{2}:\d{2}\b(?!:)/gu, "10:30"],
  [/\b\d\.\ds\b/gu, "0.4s"],
];

/**
 * Replaces the varying text of a screen, so that each drawing produces the same picture.
 * @param {PaintedRun} run
 * @returns {PaintedRun}
 */
export function steady(run) {
  const text = varying.reduce((before, [what, instead]) => before.replaceAll(what, instead), run.text);
  return { ...run, text, columns: run.columns + text.length - run.text.length };
}
