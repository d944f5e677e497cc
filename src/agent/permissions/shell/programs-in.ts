import { everyCommand, programOf } from "./every-command.ts";
import { parseShell } from "./grammar.ts";

const MOST = 40;

/**
 * The programs that a command line starts, once each, in their order. For a user who is asked about a line
 * that is too long to be shown: it may name too many, and what a variable holds it cannot name.
 */
export function programsIn(text: string): readonly string[] {
  const tree = parseShell(text);
  if (tree === undefined) return some(everyCommand(text).commands.map(({ words }) => programOf(words)));
  try {
    const names = tree.rootNode.descendantsOfType("command_name");
    // What is left of a line that is no sound bash may be run all the same.
    const rough = tree.rootNode.hasError
      ? everyCommand(text).commands.map(({ words }) => programOf(words))
      : [];
    return some([...names.flatMap((name) => name?.text ?? []), ...rough]);
  } finally {
    tree.delete();
  }
}

function some(names: readonly string[]): readonly string[] {
  const all = [...new Set(names.filter((name) => name !== ""))];
  return all.length <= MOST ? all : [...all.slice(0, MOST), "…"];
}
