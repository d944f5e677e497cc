import { ALL_COMMANDS } from "./all-commands.ts";
import type { SlashCommand } from "./command.ts";

/** `name`: without the slash, in small letters. */
export function findCommand(name: string): SlashCommand | undefined {
  return ALL_COMMANDS.find((command) => command.name === name || command.aliases.includes(name));
}

const MOST_MISTAKES = 2;

/** The name that was most likely meant; undefined where none is near. */
export function closestName(typed: string): string | undefined {
  const names = ALL_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  const ranked = names
    .map((name) => ({ name, mistakes: mistakesBetween(typed, name) }))
    .filter(({ name, mistakes }) => mistakes <= MOST_MISTAKES && mistakes < name.length - 1)
    .sort((one, other) => one.mistakes - other.mistakes);
  return ranked[0]?.name ?? names.find((name) => typed.length > 2 && name.startsWith(typed));
}

/** Letters to add, leave out, change or swap. */
function mistakesBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const now = [row + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = at(last, column) + (letter === wanted ? 0 : 1);
      const isSwap = row > 0 && column > 0 && one[row - 1] === wanted && other[column - 1] === letter;
      const swapped = isSwap ? at(beforeLast, column - 1) + 1 : Number.POSITIVE_INFINITY;
      now.push(Math.min(changed, swapped, at(last, column + 1) + 1, at(now, column) + 1));
    }
    beforeLast = last;
    last = now;
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
