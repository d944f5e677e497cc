import { type Catalogue, catalogueOf } from "../../agent/models/catalogue.ts";
import { type PricedStats, priced } from "../../app/queries/costs.ts";
import { requireSession, warnOfUnread } from "../../app/sessions/find-session.ts";
import { viewsOf, workspaceWanted } from "../../app/sessions/session-rows.ts";
import { openStore, sessionHeaders, subAgentsOf } from "../../app/sessions/store.ts";
import { viewSession } from "../../machine/open.ts";
import { statsOf } from "../../machine/queries/sessions.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { oneLine } from "../../record/visible-text.ts";
import { table } from "../../show/table.ts";
import { remarkText } from "../../strings/wording.ts";
import { mergeStats, type Stats, type ToolStats } from "../../timeline/stats.ts";
import { defineCommand, flag } from "../command.ts";
import { wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";

export const stats = defineCommand({
  help: (help) => help.stats,
  options: { all: flag() },
  run: async ({ options: { all }, frame }) => {
    const counted = all ? await ofAll(frame) : await ofOne(frame);
    const numbers = priced(counted.stats, await catalogueFor(frame));
    frame.output.answer({ session: counted.session, ...numbers }, () =>
      statsLines(numbers, frame.strings.stats).join("\n"),
    );
  },
});

interface Counted {
  readonly session: string | null;
  readonly stats: Stats;
}

async function ofOne(frame: Frame): Promise<Counted> {
  const store = openStore(frame);
  const view = await requireSession(frame, store);
  const own = await statsOf(view);
  const theirs: Stats[] = [];
  for (const id of subAgentsOf(view.id, await sessionHeaders(store, { workspace: view.header.workspace }))) {
    theirs.push(await statsOf(await viewSession(store, id)));
  }
  // The prompts of sub-agents are the agent's, not the user's.
  return { session: view.id, stats: { ...mergeStats([own, ...theirs]), prompts: own.prompts } };
}

async function ofAll(frame: Frame): Promise<Counted> {
  if (frame.common.session !== undefined) {
    throw new WorldlineError("reach-contradicts", { other: "--session" });
  }
  const { views, broken } = await viewsOf(openStore(frame), await workspaceWanted(frame, "everywhere"));
  for (const { id, ...why } of broken) {
    frame.output.warn(frame.strings.sessionsHere.broken(id, remarkText(frame.strings, why)));
  }
  const each: Stats[] = [];
  for (const view of views) {
    warnOfUnread(frame, view);
    each.push(await statsOf(view));
  }
  return { session: null, stats: mergeStats(each) };
}

/** Settings that cannot be read cost the prices that they hold, and not the numbers. */
async function catalogueFor(frame: Frame): Promise<Catalogue> {
  try {
    return catalogueOf({ models: (await frame.settings()).values.models });
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    frame.output.warn(wordingOf(frame).message(error));
    return catalogueOf({ models: {} });
  }
}

type Words = Frame["strings"]["stats"];
type Row = readonly [string, string];

/** A line for each number, with the tools below their sum. */
export function statsLines(stats: PricedStats, words: Words): string[] {
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
  return stats.backtracks.count === 0 ? lines : [...lines, "", words.savedBasis];
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
