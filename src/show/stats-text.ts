import type { PricedStats } from "../app/queries/costs.ts";
import { oneLine } from "../record/visible-text.ts";
import type { Strings } from "../strings/strings.ts";
import type { ToolStats } from "../timeline/stats.ts";
import { table } from "./table.ts";

type Words = Strings["stats"];
type Row = readonly [string, string];

/** Returns a line for each statistic. The numbers for individual tools are below their total. */
export function statsText(stats: PricedStats, words: Words): string {
  const { fields } = words;
  const rows: Row[] = [
    ...(stats.sessions === 1 ? [] : [[fields.sessions, String(stats.sessions)] as const]),
    [fields.prompts, stats.prompts.toLocaleString("en")],
    [fields.steps, stats.steps.toLocaleString("en")],
    [fields.replies, repliesText(stats, words)],
    ...tokenRows(stats, words),
    ...toolRows(stats.tools, words),
    ...backtrackRows(stats, words),
    [fields.journeys, words.journeys(stats.rewinds, stats.redos)],
    [fields.compactions, compactionsText(stats, words)],
  ];
  const lines = table(rows.map(([field, text]) => [field, oneLine(text)]));
  return (stats.backtracks.count === 0 ? lines : [...lines, "", words.savedBasis]).join("\n");
}

function repliesText({ replies, models }: PricedStats, words: Words): string {
  const byModel = models.map((each) => words.ofModel(each.model, each.replies));
  return words.replies(replies, models.length === 1 ? (models[0]?.model ?? "") : byModel.join(", "));
}

function tokenRows(stats: PricedStats, words: Words): Row[] {
  const { fields } = words;
  const { tokens, uncounted, cacheHitRate } = stats;
  if (cacheHitRate === null) return [[fields.tokens, words.nothingCounted]];
  const counted = words.tokens(tokens.input, tokens.output);
  return [
    [fields.tokens, uncounted === 0 ? counted : `${counted}, ${words.uncounted(uncounted)}`],
    [fields.cache, words.cache(tokens.cacheRead, tokens.cacheWrite, cacheHitRate)],
    [fields.cost, costText(stats, words)],
  ];
}

function costText({ cost, unpriced }: PricedStats, words: Words): string {
  const names = unpriced.join(", ");
  if (cost === null) return words.priceUnknown(names);
  return unpriced.length === 0 ? words.dollars(cost) : words.withoutPrice(words.dollars(cost), names);
}

function toolRows(tools: readonly ToolStats[], words: Words): Row[] {
  const total = tools.reduce((sum, { calls }) => sum + calls, 0);
  return [
    [words.fields.tools, total.toLocaleString("en")],
    ...tools.map((tool): Row => [`  ${oneLine(tool.name)}`, toolText(tool, words)]),
  ];
}

function toolText({ calls, failed, denied, interrupted }: ToolStats, words: Words): string {
  return words.tool(calls, [
    ...(failed === 0 ? [] : [words.failed(failed)]),
    ...(denied === 0 ? [] : [words.denied(denied)]),
    ...(interrupted === 0 ? [] : [words.interrupted(interrupted)]),
  ]);
}

function backtrackRows({ backtracks }: PricedStats, words: Words): Row[] {
  const { count, entries, tokens, saved } = backtracks;
  const row: Row = [words.fields.backtracks, words.backtracks(count, entries, tokens)];
  if (count === 0) return [row];
  const cost = saved.cost === null || saved.cost <= 0 ? undefined : words.dollars(saved.cost);
  return [row, [words.fields.saved, words.saved(saved.tokens, cost)]];
}

function compactionsText({ compactions }: PricedStats, words: Words): string {
  const before = compactions.reduce((sum, each) => sum + each.before, 0);
  const after = compactions.reduce((sum, each) => sum + each.after, 0);
  return words.compactions(compactions.length, before, after);
}
