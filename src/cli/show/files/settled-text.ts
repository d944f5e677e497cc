import type { SettledRestore } from "../../../machine/files/requests.ts";
import type { Strings } from "../../../strings/strings.ts";

/** One line about a restore that a crash had cut off, and what became of it. */
export function settledText({ session, journey, paths }: SettledRestore, { files }: Strings): string {
  if (journey === undefined) return files.discarded(session);
  const count = (outcome: string) => paths.filter((each) => each.outcome === outcome).length;
  return files.settled(session, files.counts(count("restored"), count("kept"), count("failed")));
}
