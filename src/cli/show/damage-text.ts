import type { Damage } from "../../ports/log-store.ts";
import type { Strings } from "../../strings/strings.ts";

/** What is not among `known`: the same damage, found twice, is told once. */
export function damageBeside(found: readonly Damage[], known: readonly Damage[]): Damage[] {
  const places = new Set(known.map(placeOf));
  return found.filter((damage) => !places.has(placeOf(damage)));
}

function placeOf({ what, file, line }: Damage): string {
  return `${what} ${file} ${line}`;
}

/** Where it is and what is wrong with it. */
export function damageText({ what, file, line, why }: Damage, { looking: { damaged } }: Strings): string {
  if (line === 0) return damaged.file(file, why);
  return what === "line" ? damaged.line(file, line, why) : damaged.at(file, line, why);
}
