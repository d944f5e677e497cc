/** Colours, links, the mark of the cursor: what we draw with. Everything else of its kind is somebody else's. */
const OURS_OR_CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /\u001b\[[0-9;:]*m|\u001b_pi:c\u0007|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u001f\u007f-\u009f]/gu;

/** A line that cannot command the terminal, whatever has come into it. */
export function harmless(line: string): string {
  return line.replace(OURS_OR_CONTROL, (found) => (found.length === 1 ? "" : found));
}
