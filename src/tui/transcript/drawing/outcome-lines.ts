import { isJsonObject } from "../../../record/json.ts";
import type { OutcomeDetail } from "../../../record/outcome.ts";
import { oneLine } from "../../look/printable.ts";

interface Words {
  readonly outcomes: Readonly<Record<"restored" | "kept" | "failed" | OutcomeDetail, string>>;
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
      const { path, outcome, detail, why } = told;
      if (typeof path !== "string" || !isOutcome(outcome)) return [];
      const reason = typeof why === "string" ? `: ${oneLine(words.reason(why))}` : "";
      return [`${words.outcomes[isDetail(detail) ? detail : outcome]} ${oneLine(path)}${reason}`];
    });
}

function isOutcome(value: unknown): value is "restored" | "kept" | "failed" {
  return value === "restored" || value === "kept" || value === "failed";
}

function isDetail(value: unknown): value is OutcomeDetail {
  return (
    value === "created" ||
    value === "removed" ||
    value === "merged" ||
    value === "not-restorable" ||
    value === "parent-changed"
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
