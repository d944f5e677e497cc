import type { SessionView } from "../../../machine/view.ts";
import type { Entry } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { nearest } from "../../../timeline/branch.ts";
import type { Row } from "../../../timeline/row.ts";

/** Where a session of the host stands on our branch: it knows what lies before, and nothing of what follows. */
export interface HostPlace {
  readonly seq: Seq;
  readonly hostSession: string;
  /** The host's name for the last message that it has of this branch. */
  readonly message: string;
  /** "copied": another session of ours goes on in that same session of the host, so that it is only forked from. */
  readonly origin: "own" | "copied";
}

/** How many are read at once behind the nearest, which is mostly the only one that is wanted. */
const PAGE = 64;

/** The places of `host` on the branch of the head, nearest first. Whoever has found a usable one stops there. */
export async function* hostPlacesOn(view: SessionView, host: string): AsyncGenerator<HostPlace> {
  const { outline } = view;
  if (outline.linesOf("host").length === 0) return;
  let from: Row | undefined = outline.head;
  for (let count = 1; from !== undefined; count = PAGE) {
    const rows = hostRows(view, from, count);
    const entries = await view.storedEntries(rows.map(({ seq }) => seq).reverse());
    for (const entry of entries.toReversed()) {
      const place = placeOf(view, entry, host);
      if (place !== undefined) yield place;
    }
    const last = rows.at(-1);
    from = rows.length < count || last === undefined ? undefined : outline.at(last.parent);
  }
}

/** At most `count` of them from `from` on upwards, nearest first. */
function hostRows({ outline }: SessionView, from: Row, count: number): readonly Row[] {
  const rows: Row[] = [];
  let row = nearest(outline, from, isHost);
  while (row !== undefined) {
    rows.push(row);
    if (rows.length === count) break;
    row = nearest(outline, outline.at(row.parent), isHost);
  }
  return rows;
}

function isHost({ kind }: Row): boolean {
  return kind === "host";
}

/** Both become arguments of a program and parts of paths there, and a bundle from elsewhere may hold anything. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/u;

/** One that `forget` was at may name what does not exist. */
function placeOf(view: SessionView, entry: Entry, host: string): HostPlace | undefined {
  if (entry.kind !== "host" || entry.host !== host || entry.forgotten !== undefined) return undefined;
  const { seq, hostSession, message } = entry;
  if (message === undefined || !NAME.test(message) || !NAME.test(hostSession)) return undefined;
  return { seq, hostSession, message, origin: isCopied(view, entry) ? "copied" : "own" };
}

/**
 * A fork begins with copies of the source's lines, up to that of the entry that it was forked at. Where that one was not
 * copied, such as a title, the time tells. Of an import nobody can tell which lines came with it.
 */
function isCopied({ header, outline }: SessionView, { seq, at }: Entry): boolean {
  if (header.imported !== undefined) return true;
  if (header.forkedFrom === undefined) return false;
  const forkedAt = outline.byId(header.forkedFrom.entry);
  return forkedAt === undefined ? at <= header.at : seq <= forkedAt.seq;
}
