import type { Entry, EntryOf } from "../../../../record/entry.ts";
import { isJsonObject, type Json } from "../../../../record/json.ts";
import type { LoggedCounts } from "../../../../record/outcome.ts";
import { countsIn } from "../../../../travel/files/outcome-lines.ts";

/** One thing that an agent did, as its log has it. */
export type TrailStep =
  | {
      readonly did: "call";
      readonly name: string;
      /** The file or the command. */
      readonly about: string;
      readonly outcome: EntryOf<"tool-end">["outcome"] | "open";
    }
  | {
      readonly did: "back";
      readonly to: number;
      readonly note: string;
      /** Absent where no files were restored. */
      readonly files?: LoggedCounts;
    };

/** Reads a log from its first line to its last, branches that were left and all. Pure. */
export function trailOf(entries: readonly Entry[]): readonly TrailStep[] {
  const known = knownOf(entries);
  return entries.flatMap((entry): readonly TrailStep[] => {
    if (entry.kind === "backtrack") return [backStep(entry, known.restored.get(entry.id))];
    // Going back has a line of its own, when it is carried out.
    return entry.kind === "tool-start" && entry.name !== "Backtrack" ? [callStep(entry, known)] : [];
  });
}

interface Known {
  /** By call, and by journey. */
  readonly inputs: ReadonlyMap<string, Json>;
  readonly ends: ReadonlyMap<string, EntryOf<"tool-end">>;
  readonly restored: ReadonlyMap<string, EntryOf<"restored">>;
}

function knownOf(entries: readonly Entry[]): Known {
  const calls = entries
    .flatMap((entry) => (entry.kind === "reply" ? entry.parts : []))
    .filter((part) => part.type === "tool-call");
  const ends = entries.filter((entry) => entry.kind === "tool-end");
  const restored = entries.filter((entry) => entry.kind === "restored");
  return {
    inputs: new Map(calls.map(({ call, input }) => [call, input])),
    ends: new Map(ends.map((end) => [end.call, end])),
    restored: new Map(restored.map((each) => [each.journey, each])),
  };
}

function backStep({ to, note }: EntryOf<"backtrack">, files: EntryOf<"restored"> | undefined): TrailStep {
  return { did: "back", to, note, ...(files === undefined ? {} : { files: countsIn(files) }) };
}

function callStep({ name, call, input }: EntryOf<"tool-start">, { inputs, ends }: Known): TrailStep {
  const about = aboutOf(input ?? inputs.get(call) ?? {});
  return { did: "call", name, about, outcome: ends.get(call)?.outcome ?? "open" };
}

function aboutOf(input: Json): string {
  if (!isJsonObject(input)) return "";
  const known = [input["file_path"], input["command"]].find((each) => typeof each === "string");
  return typeof known === "string" ? known : "";
}
