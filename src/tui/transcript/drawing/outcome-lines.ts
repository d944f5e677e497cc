import { isJsonObject } from "../../../record/json.ts";
import { oneLine } from "../../look/printable.ts";

interface Words {
  readonly outcomes: Readonly<Record<"restored" | "kept" | "failed", string>>;
  readonly reason: (why: string) => string;
}

const MOST = 200;

/** What became of each path: `kept src/a.ts: changed outside`. Lines that say nothing are passed over. */
export function outcomeLines(paths: string, words: Words): readonly string[] {
  return paths
    .split("\n", MOST)
    .map(parsed)
    .flatMap((told) => {
      if (!isJsonObject(told)) return [];
      const { path, outcome, why } = told;
      if (typeof path !== "string" || !isOutcome(outcome)) return [];
      const reason = typeof why === "string" ? `: ${oneLine(words.reason(why))}` : "";
      return [`${words.outcomes[outcome]} ${oneLine(path)}${reason}`];
    });
}

function isOutcome(value: unknown): value is keyof Words["outcomes"] {
  return value === "restored" || value === "kept" || value === "failed";
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
