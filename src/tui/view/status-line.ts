import { visibleWidth } from "@earendil-works/pi-tui";
import { clip } from "../look/clip.ts";
import type { Look } from "../look/look.ts";
import { oneLine } from "../look/printable.ts";
import { shortCount } from "./measures.ts";
import type { ViewState } from "./view-state.ts";

/** `rank`: where there is no room for all, the lowest is taken first. */
interface Item {
  readonly text: string;
  /** Where there is no room for the text. */
  readonly short?: string;
  readonly rank: number;
}

const SEPARATOR = " · ";
const PERCENT = 100;

/** One line: model, host, permission mode, context, cost, checkpoint, branch, saved tokens, snapshots. */
export function statusLine(view: ViewState, width: number, look: Look): string {
  if (view.phase === "opening") return look.paint.dim(look.strings.terminal.screen.starting);
  const all = [...itemsOf(view, look)];
  const taken = new Map<Item, string>();
  // What matters most is taken first; a long name that does not fit leaves its room to what comes after it.
  for (const item of all.toSorted((a, b) => a.rank - b.rank)) {
    const texts = item.short === undefined ? [item.text] : [item.text, item.short];
    const fitting = texts.find((text) => widthOf([...taken.values(), text]) <= width);
    if (fitting !== undefined) taken.set(item, fitting);
  }
  const texts =
    taken.size === 0 ? all.slice(0, 1).map(({ text }) => text) : all.flatMap((item) => taken.get(item) ?? []);
  return clip(texts.join(look.paint.dim(SEPARATOR)), width, look.glyphs.ellipsis);
}

function widthOf(texts: readonly string[]): number {
  return visibleWidth(texts.join(SEPARATOR));
}

function* itemsOf(view: ViewState, look: Look): Generator<Item> {
  const { paint, strings } = look;
  const { status } = strings.terminal.screen;
  const { model, timeline } = view;
  yield* agentItems(view, look);
  if (timeline === undefined) return;
  if (model?.state === "ready")
    yield { text: contextText(model.window, timeline.contextTokens, look), rank: 2 };
  if (timeline.cost !== undefined && timeline.cost > 0) {
    yield { text: paint.dim(status.cost(timeline.cost.toFixed(timeline.cost < 1 ? 3 : 2))), rank: 6 };
  }
  if (timeline.checkpoint > 0) yield { text: paint.dim(status.checkpoint(timeline.checkpoint)), rank: 4 };
  if (timeline.gitBranch !== undefined)
    yield { text: paint.dim(status.branch(oneLine(timeline.gitBranch))), rank: 7 };
  if (timeline.branchesLeft > 0)
    yield { text: paint.dim(status.branchesLeft(timeline.branchesLeft)), rank: 9 };
  if (timeline.savedTokens > 0) {
    const count = shortCount(timeline.savedTokens);
    yield { text: paint.good(status.saved(count)), short: paint.good(status.savedShort(count)), rank: 8 };
  }
  yield snapshotItem(timeline.snapshots.state, look);
}

function* agentItems({ model, host, mode }: ViewState, { paint, strings }: Look): Generator<Item> {
  const { status } = strings.terminal.screen;
  yield {
    text: model?.state === "ready" ? paint.dim(oneLine(model.name)) : paint.warning(status.noModel),
    rank: 3,
  };
  if (host !== undefined) yield { text: paint.dim(status.host(oneLine(host))), rank: 3 };
  yield {
    text: mode === "manual" ? paint.dim(status.modes[mode]) : paint.accent(status.modes[mode]),
    rank: 1,
  };
}

/** `window`: 0 where nobody knows how much the model takes. */
function contextText(window: number, tokens: number, { paint, strings }: Look): string {
  const { status } = strings.terminal.screen;
  if (window <= 0) return paint.dim(status.tokens(shortCount(tokens)));
  const percent = Math.round((tokens / window) * PERCENT);
  const text = status.context(percent);
  if (percent >= 85) return paint.bad(text);
  return percent >= 60 ? paint.warning(text) : paint.dim(text);
}

type SnapshotStateName = keyof Look["strings"]["terminal"]["screen"]["status"]["snapshots"];

function snapshotItem(state: SnapshotStateName, { paint, strings }: Look): Item {
  const text = strings.terminal.screen.status.snapshots[state];
  // What goes wrong must be seen on a narrow screen too.
  if (state === "failed" || state === "partial") return { text: paint.warning(text), rank: 0 };
  return { text: state === "off" ? paint.warning(text) : paint.dim(text), rank: 5 };
}
