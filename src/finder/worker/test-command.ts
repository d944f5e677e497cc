/** The test that a prompt asks about: in backticks, behind `--`, or behind the last colon of a line. */
export function testCommandIn(prompt: string): string | undefined {
  const quoted = /`([^`\n]+)`/u.exec(prompt)?.[1];
  const behindDashes = /(?:^|\s)--\s+(\S[^\n]*)/u.exec(prompt)?.[1];
  // A colon within a word, as in an address, is none.
  const behindColon = /:[ \t]+([^\n:]*\S)\s*$/u.exec(prompt)?.[1];
  const command = (quoted ?? behindDashes ?? behindColon)?.trim();
  return command === "" ? undefined : command;
}
