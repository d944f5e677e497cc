import type { Damage } from "../ports/log-store.ts";
import type { Strings } from "../strings/strings.ts";

/** Where it is and what is wrong with it. */
export function damageText({ what, file, line, why }: Damage, { looking: { damaged } }: Strings): string {
  if (line === 0) return damaged.file(file, why);
  return what === "line" ? damaged.line(file, line, why) : damaged.at(file, line, why);
}
