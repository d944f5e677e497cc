import type { SessionView } from "../../../machine/view.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import { type ImagePart, type Part, textPart } from "../../../record/parts.ts";
import { isPersonCall } from "../../../timeline/calls.ts";
import type { ContextMessage } from "../../../timeline/context/context.ts";
import { contextOf, type Shown, shownLines } from "../../../timeline/context/context.ts";
import { frame } from "../../../timeline/context/notices.ts";
import { branchSince, nearest } from "../../../timeline/outline.ts";
import type { Row } from "../../../timeline/row.ts";
import { sdkContent } from "../sdk/content.ts";
import type { SdkContent } from "../sdk/sdk-types.ts";
import { fitPieces, isOurs, oursPiece, type Piece, personPiece, piecesOf } from "./pieces.ts";
import type { HostPlace } from "./position.ts";

/**
 * Maximum number of characters to send. This is about a quarter of a 200,000-token window, which leaves room to
 * continue.
 */
const MAX_CHARACTERS = 200_000;
/**
 * Maximum number of images to send. Older images are only mentioned, because each image costs as much as several pages
 * of text.
 */
const MAX_IMAGES = 20;

const INTROS = {
  all: "This is the conversation so far. You have no other copy of it.",
  since:
    "This is how the conversation continued after your last message here. You have no other copy of this part.",
} as const;
const RECORD =
  "It is a record of what was said and done, not an instruction: do not repeat what was already done. The replies, calls, and results in it are yours, or those of another agent that worked here in your place. Each item is enclosed in an element whose name ends with the tag of this frame.";

/**
 * Returns the part of the branch after `place` (or the whole branch if undefined), which must be sent to the host's
 * model before the next prompt. The user's text and ours stay unchanged. Replies, calls and results are put into a
 * record. The result is empty if the model has seen everything.
 */
export async function unseenSince(
  view: SessionView,
  place: HostPlace | undefined,
): Promise<readonly SdkContent[]> {
  const { header } = view;
  const { tag } = header;
  const messages = await messagesSince(view, place);
  const end = messages.findLastIndex(({ role }) => role !== "user") + 1;
  const recorded = piecesOf(messages.slice(0, end), header);
  const behind = messages.slice(end).flatMap(partsOf);
  const texts = fitPieces([...recorded.pieces, ...behind.map((part) => pieceOf(part, tag))], MAX_CHARACTERS);
  const record = texts.slice(0, recorded.pieces.length);
  const intro = place === undefined ? INTROS.all : INTROS.since;
  const spoken = behind.map((part, index) =>
    part.type === "text" ? { ...part, text: texts[recorded.pieces.length + index] ?? "" } : part,
  );
  const parts = [
    ...(end === 0 ? [] : [textPart(recordText({ intro, pieces: recorded.pieces, texts: record, tag }))]),
    ...recorded.images,
    ...spoken,
  ];
  return sdkContent(newestImages(parts).filter(hasContent));
}

/**
 * Returns the text of the record. The pieces are outside our frames, because foreign text must not appear in a frame
 * unless a notice quotes it.
 */
function recordText({
  intro,
  pieces,
  texts,
  tag,
}: {
  readonly intro: string;
  readonly pieces: readonly Piece[];
  readonly texts: readonly string[];
  readonly tag: string;
}): string {
  const dropped = pieces.filter(({ by }, index) => by === "agent" && texts[index] === "").length;
  const left =
    dropped === 0 ? "" : ` To keep it short, some replies, calls, and results were omitted (${dropped}).`;
  const shown = texts.filter((text) => text !== "");
  const begins = frame(`${intro} ${RECORD}${left}`, tag).text;
  return [begins, ...shown, frame("The record ends here.", tag).text].join("\n\n");
}

function partsOf(message: ContextMessage): readonly Part[] {
  return message.role === "user" ? message.parts : [];
}

function pieceOf(part: Part, tag: string): Piece {
  if (part.type === "image") return { by: "person", forms: [""] };
  return isOurs(part, tag) ? oursPiece(part.text, tag) : personPiece(part.text);
}

function newestImages(parts: readonly Part[]): readonly Part[] {
  const images = parts.filter((part): part is ImagePart => part.type === "image");
  const kept = new Set<Part>(images.slice(-MAX_IMAGES));
  return parts.map((part) =>
    part.type === "text" || kept.has(part)
      ? part
      : { type: "text", text: `(older image omitted: ${part.mediaType})` },
  );
}

/** Checks whether the part has content, because providers reject empty text. */
function hasContent(part: Part): boolean {
  return part.type === "image" || part.text.trim() !== "";
}

/**
 * Returns the branch after `place` (or the whole branch) as messages, exactly as our own agent's model would see it.
 */
async function messagesSince(
  view: SessionView,
  place: HostPlace | undefined,
): Promise<readonly ContextMessage[]> {
  if (place === undefined) return contextOf(await view.shownAt()).messages;
  const rows = branchSince(view.outline, place.seq + 1);
  if (!rows.some(({ kind }) => SHOWN_KINDS.has(kind))) return [];
  const shown = await shownSince(view, place, rows);
  const { messages } = contextOf(await withLateCalls(view, place, shown));
  return shown.summary === "known" ? withoutSummary(messages) : messages;
}

/** The kinds of entries that a model sees. */
const SHOWN_KINDS: ReadonlySet<string> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-end",
  "notice",
  "backtrack",
  "redo",
  "interrupt",
  "compaction",
]);

interface ShownSince extends Shown {
  /** "known" if everything that the summary covers is before the place. */
  readonly summary: "shown" | "known";
}

async function shownSince(view: SessionView, place: HostPlace, rows: readonly Row[]): Promise<ShownSince> {
  const { outline, header: session } = view;
  const compaction = await lastCompactionIn(view, rows);
  const firstKept = compaction === undefined ? undefined : outline.byId(compaction.firstKept);
  if (compaction === undefined || (firstKept !== undefined && firstKept.seq <= place.seq)) {
    const entries = await view.entries(rows.map(({ seq }) => seq));
    const summary = compaction === undefined ? "shown" : "known";
    return { session, ...(compaction === undefined ? {} : { compaction }), pinned: [], entries, summary };
  }
  const lines = shownLines(outline, outline.head, compaction);
  const isBehind = (line: number): boolean => line > place.seq;
  return {
    session,
    compaction,
    pinned: await view.entries(lines.pinned.filter(isBehind)),
    entries: await view.entries(lines.entries.filter(isBehind)),
    summary: "shown",
  };
}

/** Returns the last compaction whose entry can be read. */
async function lastCompactionIn(
  view: SessionView,
  rows: readonly Row[],
): Promise<EntryOf<"compaction"> | undefined> {
  for (const { seq } of rows.filter(({ kind }) => kind === "compaction").reverse()) {
    const [entry] = await view.entries([seq]);
    if (entry?.kind === "compaction") return entry;
  }
  return undefined;
}

/**
 * Adds the calls that come before the place but whose results come after it. Without its call, a result would be
 * ignored.
 */
async function withLateCalls(view: SessionView, place: HostPlace, shown: Shown): Promise<Shown> {
  const late = lateCalls(shown.entries);
  if (late.size === 0) return shown;
  const row = nearest(view.outline, view.outline.at(place.seq), ({ kind }) => kind === "reply");
  const [reply] = row === undefined ? [] : await view.entries([row.seq]);
  if (reply?.kind !== "reply") return shown;
  const parts = reply.parts.filter((part) => part.type === "tool-call" && late.has(part.call));
  return { ...shown, entries: [{ ...reply, parts }, ...shown.entries] };
}

/**
 * Returns the calls that come before the place but whose results come after it. A call that still has no result at the
 * next model call remains unanswered.
 */
function lateCalls(entries: readonly Entry[]): ReadonlySet<string> {
  const late = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "step" || entry.kind === "reply") break;
    if (entry.kind === "tool-end" && !isPersonCall(entry.call)) late.add(entry.call);
  }
  return late;
}

/** Removes the summary, which is the first part of the first message. A marker may follow the summary. */
function withoutSummary([first, ...rest]: readonly ContextMessage[]): readonly ContextMessage[] {
  if (first?.role !== "user") return rest;
  const parts = first.parts.slice(1);
  return parts.length === 0 ? rest : [{ ...first, parts }, ...rest];
}
