/** How a note that is written in Markdown reads on a line: its words alone, without the signs for bold, code and headings. */
export function plainNote(note: string): string {
  return note
    .replace(/^\s{0,3}#{1,6}\s+/gmu, "")
    .replace(/\*\*|__|`+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
