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
  if (only === undefined) {
    throw new WorldlineError("JOURNEY_UNKNOWN", `There is no journey "${wanted}" in this session.`, {
      hint: "See all journeys: worldline redo --list",
    });
  }
  throw new WorldlineError("JOURNEY_UNKNOWN", `"${wanted}" may be any of ${matches.length} journeys.`, {
    hint: `Write more of the id: ${matches.slice(0, MOST_NAMED).join(", ")}`,
  });
}
