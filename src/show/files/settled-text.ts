import type { SettledRestore } from "../../machine/files/requests.ts";
import type { Strings } from "../../strings/strings.ts";
import { outcomeCounts } from "../../travel/logged-files.ts";

/** One line about a restore that a crash had cut off, and what became of it. */
export function settledText({ session, journey, log, paths }: SettledRestore, { files }: Strings): string {
  if (journey === undefined && log === undefined) return files.discarded(session);
  const outcome = files.counts(outcomeCounts(paths));
  return log === "nowhere" ? files.settledUnlogged(session, outcome) : files.settled(session, outcome);
}
