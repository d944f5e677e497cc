import type { SessionView } from "../../machine/view.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";

const MOST_NAMED = 8;

/** The journey that a person means by its id or the beginning of it. */
export async function findJourney(view: SessionView, wanted: string): Promise<EntryId> {
  const ids = (await view.journeys()).map(({ entry }) => entry.id);
  const start = wanted.trim().toLowerCase();
  const matches = start === "" ? [] : ids.filter((id) => id.startsWith(start));
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new WorldlineError("journey-named-unknown", { given: wanted });
  const some = matches.slice(0, MOST_NAMED);
  throw new WorldlineError("journey-named-ambiguous", { given: wanted, matches: matches.length, some });
}
