import type { Entry } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { type CheckpointPlace, promptOf } from "../../timeline/checkpoints.ts";
import type { SessionView } from "../view.ts";

/** A checkpoint as a person chooses it from a list. */
export interface CheckpointView {
  readonly number: number;
  readonly entry: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly on: "prompt" | "manual" | "step";
  readonly branch: "here" | "left";
  readonly label?: string;
  /** How the prompt begins that the checkpoint stands before, or that the step belongs to. */
  readonly prompt?: string;
}

const PROMPT_LENGTH = 80;

export async function describeCheckpoints(
  places: readonly CheckpointPlace[],
  view: SessionView,
): Promise<readonly CheckpointView[]> {
  const labels = await view.labels(places[0]?.row.seq);
  const promptLines = places.map(({ row }) => promptOf(view.outline, row)?.seq);
  const startsByLine = await promptStarts(view, promptLines);
  return places.map(({ row, number, branch }, index) => {
    const label = labels.get(row.id);
    const prompt = startsByLine.get(promptLines[index] ?? (0 as Seq));
    const on = row.kind === "step" ? "step" : promptLines[index] === undefined ? "manual" : "prompt";
    return {
      number,
      entry: row.id,
      at: row.at,
      on,
      branch,
      ...(label === undefined ? {} : { label }),
      ...(prompt === undefined ? {} : { prompt }),
    };
  });
}

async function promptStarts(
  view: SessionView,
  lines: readonly (Seq | undefined)[],
): Promise<Map<Seq, string>> {
  const wanted = [...new Set(lines.filter((line): line is Seq => line !== undefined))];
  const entries = await view.storedEntries(wanted);
  return new Map(entries.map((entry) => [entry.seq, startOfPrompt(entry)]));
}

/** The first text block, line breaks as spaces, 80 characters; a spilled text begins in its line. */
export function startOfPrompt(entry: Entry): string {
  const part = entry.kind === "prompt" ? entry.parts.find(({ type }) => type === "text") : undefined;
  const text: unknown = part?.type === "text" ? part.text : "";
  const start = typeof text === "string" ? text : String((text as { start?: unknown } | null)?.start ?? "");
  return [...start.replace(/\s+/gu, " ").trim()].slice(0, PROMPT_LENGTH).join("");
}
