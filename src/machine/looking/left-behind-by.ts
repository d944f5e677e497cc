import type { LeftBehind } from "../../ports/station/looking.ts";
import type { EntryId } from "../../record/ids.ts";
import { textOf } from "../../record/parts.ts";
import { findCheckpoint, promptOf } from "../../timeline/checkpoints.ts";
import { leftBehind } from "../../timeline/stats/left-behind.ts";
import type { SessionView } from "../view.ts";

const PROMPT_LENGTH = 200;

/** What a backtrack left, and the prompt that it returned to. Undefined where there is no such backtrack. */
export async function leftBehindBy(view: SessionView, journey: EntryId): Promise<LeftBehind | undefined> {
  const row = view.outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind !== "backtrack") return undefined;
  const prompt = await promptReturnedTo(view, entry.to);
  return { ...leftBehind(view.outline, entry), ...(prompt === undefined ? {} : { prompt }) };
}

/** How the prompt begins whose turn the checkpoint lies in. */
export async function promptReturnedTo(view: SessionView, to: number): Promise<string | undefined> {
  const place = findCheckpoint(view.outline, to);
  const row = place === undefined ? undefined : promptOf(view.outline, place);
  const [entry] = row === undefined ? [] : await view.entries([row.seq]);
  if (entry?.kind !== "prompt") return undefined;
  const text = textOf(entry.parts).trim();
  return text === "" ? undefined : startOf(text, PROMPT_LENGTH);
}

/** By characters, not by halves of them. */
export function startOf(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}…`;
}
