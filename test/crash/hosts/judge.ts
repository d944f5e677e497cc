import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { SessionView } from "../../../src/machine/view.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { BACKTRACK_TOOL, type ToolCallPart, textOf } from "../../../src/record/parts.ts";
import type { ReceivedRequest } from "../../../src/testing/model-server/script.ts";
import { branchOf } from "../../../src/timeline/outline.ts";
import { seriesOf } from "../../support/claude/series.ts";
import { spoken } from "../../support/claude/spoken.ts";
import { SUMMARY } from "./story.ts";

/** Everything below a folder, byte for byte. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) return [name, `folder ${mode}`];
      return [name, stat.isFile() ? `${mode} ${readFileSync(path, "base64")}` : `${mode} (no file)`];
    }),
  );
}

const UNKNOWN = "it is not known whether it took effect";

/** What the branch of an interrupted story holds; the model must be told each of these exactly once. */
interface Told {
  readonly prompts: readonly string[];
  /** The output of the commands that have results. */
  readonly results: readonly string[];
  /** How many calls started without it being known whether they took effect. */
  readonly unknown: number;
  /**
   * Backtrack calls without a result. They change nothing while they are only requested, so their start is
   * not recorded.
   */
  readonly backtracks: number;
}

export async function toldOnBranch(view: SessionView): Promise<Told> {
  const entries = await view.entries(branchOf(view.outline).map(({ seq }) => seq));
  const ended = new Set(entries.flatMap((entry) => (entry.kind === "tool-end" ? [entry.call] : [])));
  const unknown = entries.filter(
    (entry) =>
      (entry.kind === "tool-start" && !ended.has(entry.call)) ||
      (entry.kind === "tool-end" && entry.outcome === "interrupted"),
  );
  return {
    prompts: entries.flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.parts)] : [])),
    results: entries.flatMap(saidBy),
    unknown: unknown.length,
    backtracks: callsIn(entries).filter(({ name, call }) => name === BACKTRACK_TOOL && !ended.has(call))
      .length,
  };
}

function callsIn(entries: readonly Entry[]): readonly ToolCallPart[] {
  const parts = entries.flatMap((entry) => (entry.kind === "reply" ? entry.parts : []));
  return parts.filter((part): part is ToolCallPart => part.type === "tool-call");
}

function saidBy(entry: Entry): readonly string[] {
  if (entry.kind !== "tool-end") return [];
  return /said \w+/u.exec(textOf(entry.parts)) ?? [];
}

/** The first request after resuming holds each item exactly once, unless a summary replaces them. */
export function expectSaidOnce(requests: readonly ReceivedRequest[], told: Told): void {
  const { prompts, results, unknown, backtracks } = told;
  const first = requests.find((request) => seriesOf(request) === "main");
  const words = first === undefined ? "" : JSON.stringify(spoken(first));
  const counts = [...prompts, ...results].map((each) => words.split(each).length - 1);
  const once = counts.map(() => 1);
  if (words.includes(SUMMARY)) expect(counts.filter((count) => count > 1)).toEqual([]);
  else expect(counts).toEqual(once);
  const unknownTold = words.split(UNKNOWN).length - 1;
  expect(unknownTold).toBeGreaterThanOrEqual(unknown);
  expect(unknownTold).toBeLessThanOrEqual(unknown + backtracks);
}
