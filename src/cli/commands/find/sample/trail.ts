import type { Entry, EntryOf } from "../../../../record/entry.ts";
import { isJsonObject, type Json } from "../../../../record/json.ts";

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
      readonly files?: { readonly restored: number; readonly kept: number; readonly failed: number };
    };

/** Reads a log from its first line to its last, branches that were left and all. Pure. */
export function trailOf(entries: readonly Entry[]): readonly TrailStep[] {
  const asked = new Map<string, Json>();
  const ends = new Map<string, EntryOf<"tool-end">>();
  const restored = new Map<string, EntryOf<"restored">>();
  for (const entry of entries) {
    if (entry.kind === "reply") {
      for (const part of entry.parts) if (part.type === "tool-call") asked.set(part.call, part.input);
    }
    if (entry.kind === "tool-end") ends.set(entry.call, entry);
    if (entry.kind === "restored") restored.set(entry.journey, entry);
  }
  return entries.flatMap((entry): readonly TrailStep[] => {
    if (entry.kind === "backtrack") {
      const files = restored.get(entry.id);
      const { to, note } = entry;
      return [{ did: "back", to, note, ...(files === undefined ? {} : { files: countsOf(files) }) }];
    }
    // Going back has a line of its own, when it is carried out.
    if (entry.kind !== "tool-start" || entry.name === "Backtrack") return [];
    const { name, call, input } = entry;
    const about = aboutOf(input ?? asked.get(call) ?? {});
    return [{ did: "call", name, about, outcome: ends.get(call)?.outcome ?? "open" }];
  });
}

function countsOf({ restored, kept, failed }: EntryOf<"restored">) {
  return { restored, kept, failed };
}

function aboutOf(input: Json): string {
  if (!isJsonObject(input)) return "";
  const known = [input["file_path"], input["command"]].find((each) => typeof each === "string");
  return typeof known === "string" ? known : "";
}
