import type { SessionView } from "../../../machine/view.ts";
import type { Entry } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { nearest } from "../../../timeline/outline.ts";
import type { Row } from "../../../timeline/row.ts";
import type { LiveQuery } from "../sdk/process.ts";
import type { ClaudeSdk, SdkContent, SdkOptions, SdkStoredMessage } from "../sdk/sdk-types.ts";
import { unseenSince } from "./unseen.ts";

/** What the log calls this host. */
export const CLAUDE_HOST = "claude";

/** Where the next words go, and what must be said with them because the SDK has not heard it yet. */
export interface Position {
  readonly route: Route;
  readonly unseen: readonly SdkContent[];
}

/**
 * "live": the process that runs stands there. "resume": an end of a session of the SDK's that nobody has left. "fork": a
 * place that was left, or that is another session's of ours: it goes on in a copy, and what was there stays. "new": none.
 */
type Route =
  | { readonly how: "live" }
  | { readonly how: "resume"; readonly session: string; readonly at?: string }
  | { readonly how: "fork"; readonly session: string; readonly at: string }
  | { readonly how: "new" };

interface PositionOptions {
  readonly view: SessionView;
  readonly sdk: ClaudeSdk;
  readonly live: LiveQuery | undefined;
  /** Ends the process that stands elsewhere: it may have messages that are not in its transcript yet. */
  readonly endProcess: () => Promise<void>;
}

/** The nearest place on the branch that the SDK still knows. */
export async function findPosition(options: PositionOptions): Promise<Position> {
  const { view } = options;
  const chains = new Map<string, readonly SdkStoredMessage[]>();
  for await (const place of hostPlacesOn(view, CLAUDE_HOST)) {
    const way = await routeTo(options, place, chains);
    if (way !== undefined) return { route: way, unseen: await unseenSince(view, place) };
  }
  return { route: { how: "new" }, unseen: await unseenSince(view, undefined) };
}

/** Undefined where the SDK knows nothing of the place: its session was removed, or a crash came before it was written. */
async function routeTo(
  { sdk, live, view, endProcess: leave }: PositionOptions,
  place: HostPlace,
  chains: Map<string, readonly SdkStoredMessage[]>,
): Promise<Route | undefined> {
  const { hostSession, message, origin } = place;
  const isAlive = live?.isAlive === true && live.hostSession === hostSession && live.at === message;
  if (isAlive && !(await isCompactedSince(view, place, live.summary))) return { how: "live" };
  await leave();
  const at = { dir: view.header.workspace };
  const chain = chains.get(hostSession) ?? (await chainOf(sdk, hostSession, at));
  chains.set(hostSession, chain);
  const isThere = chain.some(({ uuid }) => uuid === message);
  if (isThere && !(await isCompactedSince(view, place, chain[0]?.uuid))) {
    const last = chain.at(-1);
    if (last?.uuid !== message || origin === "copied")
      return { how: "fork", session: hostSession, at: message };
    // Words that nobody has answered: unless it is told to stand there, the SDK answers them itself, with nothing.
    return { how: "resume", session: hostSession, ...(last.type === "user" ? { at: message } : {}) };
  }
  return chain.length === 0 ? undefined : beforeCompaction(sdk, { hostSession, message, ...at });
}

/** Whatever is wrong with its transcript: the conversation is in our log, and goes on from there. */
async function chainOf(
  sdk: ClaudeSdk,
  session: string,
  at: { readonly dir: string },
): Promise<readonly SdkStoredMessage[]> {
  return sdk.getSessionMessages(session, at).catch(() => []);
}

/**
 * Whether the SDK's session was compacted behind the place, so that `first` is a summary of what came before it, while the
 * place itself may be one of the messages that were kept behind that.
 */
async function isCompactedSince(
  view: SessionView,
  { seq, origin }: HostPlace,
  first: string | undefined,
): Promise<boolean> {
  if (first === undefined) return false;
  const lines = view.outline.linesOf("host");
  const behind = await namesIn(
    view,
    lines.filter((line) => line > seq),
  );
  if (behind.has(first)) return true;
  // The session that a place was copied from may have been compacted since, which only its own log tells.
  return origin === "copied" && !(await namesIn(view, lines)).has(first);
}

async function namesIn(view: SessionView, lines: readonly Seq[]): Promise<ReadonlySet<string>> {
  const entries = await view.storedEntries(lines);
  return new Set(entries.flatMap((entry) => (entry.kind === "host" ? (entry.message ?? []) : [])));
}

/** A place that the SDK's own compaction has hidden can only be reached through a copy, whose messages have other ids. */
async function beforeCompaction(
  sdk: ClaudeSdk,
  {
    hostSession,
    message,
    dir,
  }: { readonly hostSession: string; readonly message: string; readonly dir: string },
): Promise<Route | undefined> {
  try {
    const { sessionId } = await sdk.forkSession(hostSession, { dir, upToMessageId: message });
    const last = (await sdk.getSessionMessages(sessionId, { dir })).at(-1);
    return { how: "resume", session: sessionId, ...(last === undefined ? {} : { at: last.uuid }) };
  } catch {
    // Whatever is wrong with it: the conversation is in our log, and goes on from there.
    return undefined;
  }
}

/** What a process needs to stand there; `fresh` is the id that a session gets which is begun. */
export function routeOptions(
  way: Exclude<Route, { how: "live" }>,
  fresh: string,
): { readonly hostSession: string; readonly options: Partial<SdkOptions> } {
  switch (way.how) {
    case "new":
      return { hostSession: fresh, options: { sessionId: fresh } };
    case "resume":
      return {
        hostSession: way.session,
        options: { resume: way.session, ...(way.at === undefined ? {} : { resumeSessionAt: way.at }) },
      };
    case "fork":
      return {
        hostSession: fresh,
        options: { resume: way.session, resumeSessionAt: way.at, forkSession: true, sessionId: fresh },
      };
    default:
      return way satisfies never;
  }
}

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
