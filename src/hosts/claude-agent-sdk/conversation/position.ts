import type { SessionView } from "../../../machine/view.ts";
import type { Entry } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { nearest } from "../../../timeline/outline.ts";
import type { Row } from "../../../timeline/row.ts";
import type { LiveQuery } from "../sdk/process.ts";
import type { ClaudeSdk, SdkContent, SdkOptions, SdkStoredMessage } from "../sdk/sdk-types.ts";
import { unseenSince } from "./unseen.ts";

/** This host's name in the log. */
export const CLAUDE_HOST = "claude";

/**
 * A place on our branch, as identified in a host's session. The host has everything before this place and nothing after
 * it.
 */
export interface HostPlace {
  readonly seq: Seq;
  readonly hostSession: string;
  /** The host's id for the last message that it has from this branch. */
  readonly message: string;
  /**
   * "copied" means that another Worldline session continues in the same host session, so this place may be used only as
   * the start of a fork.
   */
  readonly origin: "own" | "copied";
}

/** Number of places to read at a time after the nearest one. Usually, only the nearest one is needed. */
const PAGE = 64;

/**
 * Yields the places that the host has reached on the head's branch, nearest first. The generator is lazy, so that the
 * caller can stop early.
 */
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

/** Returns at most `count` `host` rows from `from` toward the root, nearest first. */
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

/**
 * The allowed form of session and message ids, which become program arguments and parts of paths. An imported bundle
 * may contain any text as an id.
 */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/u;

/**
 * Returns the place recorded in an entry. Skips places that `forget` has changed, because they may name something that
 * does not exist.
 */
function placeOf(view: SessionView, entry: Entry, host: string): HostPlace | undefined {
  if (entry.kind !== "host" || entry.host !== host || entry.forgotten !== undefined) return undefined;
  const { seq, hostSession, message } = entry;
  if (message === undefined || !NAME.test(message) || !NAME.test(hostSession)) return undefined;
  return { seq, hostSession, message, origin: isCopied(view, entry) ? "copied" : "own" };
}

/**
 * Checks whether the entry was copied from another session. A fork begins with copies of the source's lines, up to the
 * entry where it was forked. If that entry itself was not copied (for example, a title), the timestamps decide. In an
 * imported session, it is unknown which lines came from elsewhere, so all lines count as copied.
 */
function isCopied({ header, outline }: SessionView, { seq, at }: Entry): boolean {
  if (header.imported !== undefined) return true;
  if (header.forkedFrom === undefined) return false;
  const forkedAt = outline.byId(header.forkedFrom.entry);
  return forkedAt === undefined ? at <= header.at : seq <= forkedAt.seq;
}

/** How the next prompt reaches the SDK, and the entries to send with it because the SDK has not seen them yet. */
export interface Position {
  readonly route: Route;
  readonly unseen: readonly SdkContent[];
}

/**
 * "live": the running process is already at the place. "resume": the SDK session ends at the place, so it can be
 * continued. "fork": the SDK session continues after the place, or another Worldline session uses it as well. The
 * conversation then continues in a copy, and the original does not change. "new": there is no place to continue from.
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
  /** Ends a process that is at another place, because it may have messages that are not in its transcript yet. */
  readonly endProcess: () => Promise<void>;
}

/** Finds the nearest place on the branch that the SDK still has. */
export async function findPosition(options: PositionOptions): Promise<Position> {
  const { view } = options;
  const chains = new Map<string, readonly SdkStoredMessage[]>();
  for await (const place of hostPlacesOn(view, CLAUDE_HOST)) {
    const way = await routeTo(options, place, chains);
    if (way !== undefined) return { route: way, unseen: await unseenSince(view, place) };
  }
  return { route: { how: "new" }, unseen: await unseenSince(view, undefined) };
}

/**
 * Returns the route to a place, or undefined if the SDK does not have the place. Its session may have been removed, or
 * a crash may have happened before the place was written.
 */
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
    // If the place is a prompt without an answer, the SDK itself would answer that prompt with an empty message unless
    // `resumeSessionAt` is set.
    return { how: "resume", session: hostSession, ...(last.type === "user" ? { at: message } : {}) };
  }
  return chain.length === 0 ? undefined : beforeCompaction(sdk, { hostSession, message, ...at });
}

/** Reads the SDK's transcript of a session. If this fails, the conversation continues from our log. */
async function chainOf(
  sdk: ClaudeSdk,
  session: string,
  at: { readonly dir: string },
): Promise<readonly SdkStoredMessage[]> {
  return sdk.getSessionMessages(session, at).catch(() => []);
}

/**
 * Checks whether the SDK's session was compacted after the given place. If so, `first` is the summary of everything
 * before the place, and the place itself may be one of the messages that were kept after the summary.
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
  // The session that a place was copied from may have been compacted later. Only that session's log records the
  // compaction.
  return origin === "copied" && !(await namesIn(view, lines)).has(first);
}

async function namesIn(view: SessionView, lines: readonly Seq[]): Promise<ReadonlySet<string>> {
  const entries = await view.storedEntries(lines);
  return new Set(entries.flatMap((entry) => (entry.kind === "host" ? (entry.message ?? []) : [])));
}

/**
 * Returns the route to a place that the SDK's own compaction has hidden. The place can be reached only through a copy
 * of the session, whose messages have other ids.
 */
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
    // On any error, the conversation continues from our log.
    return undefined;
  }
}

/** Returns the options for starting a process at a place. `fresh` is the id for a new session. */
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
