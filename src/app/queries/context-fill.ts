import type { Session } from "../../machine/session.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Agent } from "../../ports/agent.ts";
import type { EntryOf } from "../../record/entry.ts";
import { lastCompaction, shownLines } from "../../timeline/context/context.ts";
import type { RowKind } from "../../timeline/row.ts";
import { unseenTokens } from "../../timeline/token-count.ts";
import type { ContextFill, ContextPart } from "./query-types.ts";

const PARTS: readonly ContextPart[] = [
  "system",
  "tools",
  "summary",
  "prompts",
  "replies",
  "results",
  "notes",
];

/** Returns the parts that fill the model's window, by kind. The parts add up to the total in the status line. */
export async function contextFill(session: Session, agent: Pick<Agent, "on">): Promise<ContextFill> {
  const used = session.tokenCount;
  const tools = Math.min(used, unseenTokens(session.outline));
  const weights = await weightsOf(session);
  const shares = sharesOf(weights, used - tools);
  shares.set("tools", tools);
  return {
    window: windowOf(agent),
    used,
    parts: PARTS.flatMap((what) => {
      const tokens = shares.get(what) ?? 0;
      return tokens === 0 ? [] : [{ what, tokens }];
    }),
  };
}

/** Returns the current model's window, which the agent emits to every new listener. */
function windowOf(agent: Pick<Agent, "on">): number {
  let window = 0;
  const stop = agent.on((event) => {
    if (event.type === "session") window = event.window;
  });
  stop();
  return window;
}

/**
 * Estimates the tokens for each kind of content. Uses only the outline, so that nothing has to be read from the log.
 */
async function weightsOf(view: SessionView): Promise<ReadonlyMap<ContextPart, number>> {
  const { outline } = view;
  const compaction = await compactionOf(view);
  const shown = shownLines(outline, outline.head, compaction);
  const weights = new Map<ContextPart, number>([
    ["system", view.header.estimate],
    ["summary", compaction?.estimate ?? 0],
  ]);
  for (const line of [...shown.pinned, ...shown.entries]) {
    const row = outline.at(line);
    // The estimate for a compaction includes everything that the compaction keeps, but the kept lines are already
    // counted on their own.
    if (row === undefined || row.kind === "compaction") continue;
    const part = partOf(row.kind);
    weights.set(part, (weights.get(part) ?? 0) + row.estimate);
  }
  return weights;
}

async function compactionOf(view: SessionView): Promise<EntryOf<"compaction"> | undefined> {
  const row = lastCompaction(view.outline, view.outline.head);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  return entry?.kind === "compaction" ? entry : undefined;
}

function partOf(kind: RowKind): ContextPart {
  switch (kind) {
    case "prompt":
      return "prompts";
    case "reply":
      return "replies";
    case "tool-end":
      return "results";
    default:
      return "notes";
  }
}

/** Divides a total into integers in proportion to the weights. The integers add up to the total. */
function sharesOf(weights: ReadonlyMap<ContextPart, number>, whole: number): Map<ContextPart, number> {
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
  if (sum === 0) return new Map([["system", whole]]);
  const shares = new Map<ContextPart, number>();
  let [weightSoFar, given] = [0, 0];
  for (const [part, weight] of weights) {
    weightSoFar += weight;
    const upTo = Math.round((whole * weightSoFar) / sum);
    shares.set(part, upTo - given);
    given = upTo;
  }
  return shares;
}
