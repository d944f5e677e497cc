import type { Entry } from "../../../record/entry.ts";
import { type PathBytes, pathOfText } from "../../../record/files.ts";
import { type OutsideChange, outsideOf } from "../../../record/outside.ts";
import { isJourney } from "../../../timeline/row.ts";
import { outcomesIn } from "../../../travel/files/outcome-lines.ts";
import type { SessionView } from "../../view.ts";

const KINDS = ["tool-end", "backtrack", "rewind", "redo"] as const;

/**
 * What the timeline did to files where no snapshot reaches, behind a line, in the order of the log: there is one disk,
 * whatever branches there are. What a journey could not change is there too, as it was found.
 */
export async function changesBehind(view: SessionView, line: number): Promise<readonly OutsideChange[]> {
  const lines = KINDS.flatMap((kind) => view.outline.linesOf(kind)).filter((each) => each > line);
  const entries = await view.storedEntries(lines.sort((a, b) => a - b));
  const changes: OutsideChange[] = [];
  for (const entry of entries) {
    const said = outsideOf(entry);
    if (said.length === 0) continue;
    changes.push(...(isJourney(entry.kind) ? await asMade(view, entry) : said));
  }
  return changes;
}

async function asMade(view: SessionView, journey: Entry): Promise<readonly OutsideChange[]> {
  const restored = await restoredBy(view, journey);
  return outsideOf(journey).map((change) => {
    if (restored.has(pathOfText(change.path))) return change;
    const { path, before } = change;
    return before === undefined ? { path } : { path, before, after: before };
  });
}

async function restoredBy(view: SessionView, { id, seq }: Entry): Promise<ReadonlySet<PathBytes>> {
  const end = await endOf(view, { id, seq });
  const [whole] = end === undefined ? [] : await view.entries([end.seq]);
  const outcomes = whole?.kind === "restored" ? outcomesIn(whole.paths) : [];
  return new Set(outcomes.filter(({ outcome }) => outcome === "restored").map(({ path }) => path));
}

/** The entry that says what became of a journey's files. */
async function endOf(view: SessionView, { id, seq }: Pick<Entry, "id" | "seq">): Promise<Entry | undefined> {
  const ends = view.outline.linesOf("restored").filter((line) => line > seq);
  const entries = await view.storedEntries(ends);
  return entries.find((entry) => entry.kind === "restored" && entry.journey === id);
}
