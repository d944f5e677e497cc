import type { Entry, EntryOf } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { isJsonObject } from "../../record/json.ts";
import type { NearestAbove } from "../../timeline/branch.ts";
import { type CheckpointPlace, commandOf, promptOf, promptsAbove } from "../../timeline/checkpoints.ts";
import type { Row } from "../../timeline/row.ts";
import type { SessionView } from "../view.ts";
import { programSteps } from "./naming/program-steps.ts";
import { startOfText } from "./naming/start-of-text.ts";

/** A checkpoint as a person chooses it from a list. */
export interface CheckpointView {
  readonly number: number;
  readonly entry: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** "command": one that the person ran. */
  readonly on: "prompt" | "manual" | "step" | "command";
  readonly branch: "here" | "left";
  readonly label?: string;
  /** How the prompt begins that the checkpoint stands before, or that the step belongs to. */
  readonly prompt?: string;
  /** How the command begins that the person ran there. */
  readonly command?: string;
  /** The name of the program's step that it stands behind. */
  readonly step?: string;
}

export async function describeCheckpoints(
  places: readonly CheckpointPlace[],
  view: SessionView,
): Promise<readonly CheckpointView[]> {
  const labels = await view.labels(places[0]?.row.seq);
  const prompts = promptsAbove(view.outline);
  const leads = places.map(({ row }) => leadOf(view, row, prompts));
  const starts = await startsOf(
    view,
    leads.flatMap(({ line }) => line ?? []),
  );
  const steps = await programSteps(
    view,
    places.map(({ row }) => row),
  );
  return places.map(({ row, number, branch }, index) => {
    const step = steps.get(row.seq)?.name;
    const label = labels.get(row.id);
    const { on, line, begins } = leads[index] ?? leadOf(view, row, prompts);
    const start = line === undefined ? undefined : starts.get(line);
    return {
      number,
      entry: row.id,
      at: row.at,
      on,
      branch,
      ...(label === undefined ? {} : { label }),
      ...(start === undefined ? {} : { [begins]: start }),
      ...(step === undefined ? {} : { step }),
    };
  });
}

/** What a checkpoint is for, and the line that says more of it. */
interface Lead {
  readonly on: CheckpointView["on"];
  readonly line: Seq | undefined;
  readonly begins: "prompt" | "command";
}

function leadOf({ outline }: SessionView, row: Row, prompts: NearestAbove): Lead {
  const prompt = promptOf(outline, row, prompts)?.seq;
  if (row.kind === "step") return { on: "step", line: prompt, begins: "prompt" };
  if (prompt !== undefined) return { on: "prompt", line: prompt, begins: "prompt" };
  const command = commandOf(outline, row)?.seq;
  return { on: command === undefined ? "manual" : "command", line: command, begins: "command" };
}

async function startsOf(view: SessionView, lines: readonly Seq[]): Promise<ReadonlyMap<Seq, string>> {
  const entries = await view.storedEntries([...new Set(lines)]);
  return new Map(
    entries.map((entry) => [
      entry.seq,
      entry.kind === "tool-start" ? startOfCommand(entry) : startOfPrompt(entry),
    ]),
  );
}

/** The first text block, line breaks as spaces, 80 characters. */
export function startOfPrompt(entry: Entry): string {
  const part = entry.kind === "prompt" ? entry.parts.find(({ type }) => type === "text") : undefined;
  return startOfText(part?.type === "text" ? part.text : "");
}

function startOfCommand({ input }: EntryOf<"tool-start">): string {
  return startOfText(input !== undefined && isJsonObject(input) ? input["command"] : "");
}
