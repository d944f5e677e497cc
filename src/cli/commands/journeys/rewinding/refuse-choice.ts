import type { FileRewinder } from "../../../../ports/file-rewinder.ts";
import { WorldlineError } from "../../../../record/error.ts";

interface Choosing {
  readonly only: readonly string[];
  readonly keep: boolean;
  readonly take: boolean;
  readonly merge: boolean;
}

/** Another agent takes back all files that it knows, or none: a flag that it cannot follow must not be passed over. */
export function refuseChoice({ name }: Pick<FileRewinder, "name">, given: Choosing): void {
  const flags = [
    ...(given.only.length > 0 ? ["--only"] : []),
    ...(["keep", "take", "merge"] as const).filter((flag) => given[flag]).map((flag) => `--${flag}`),
  ];
  const [flag] = flags;
  if (flag === undefined) return;
  throw new WorldlineError("choice-beyond-host", { flag, rewinder: name });
}
