import type { Draft, Entry } from "../record/entry.ts";
import { type ErrorParams, WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import { checkArgument, checkOptions, type OptionKind, type OptionKinds, option } from "../record/options.ts";
import { isKnownKind, misshapenField, spill } from "../record/shape.ts";
import type { Outline } from "../timeline/outline.ts";
import { isJourney } from "../timeline/row.ts";
import type { BacktrackRequest } from "../travel/backtrack.ts";
import type {
  CaptureOptions,
  FilesPreviewOptions,
  JourneyOptions,
  SessionRedoOptions,
  SessionRewindOptions,
} from "./files/requests.ts";
import type { Placed } from "./writer.ts";

/**
 * The functions in this file check the arguments that untyped callers pass to a session, before anything is captured or
 * written. Checkpoint numbers and ids are checked by the methods that use them, because only those methods can look up
 * which ones exist.
 */
const patience = { onProgress: option.callback, signal: option.signal };
const author = option.oneOf("timeline", "outside");
const choice = option.oneOf("keep", "take", "merge");
const journey: OptionKinds<JourneyOptions> = {
  ...patience,
  author,
  only: option.listOf(option.text),
  choice,
  choices: { must: { must: "choices" }, holds: isChoices },
};

function isChoices(value: unknown): boolean {
  return value instanceof Map && [...(value as ReadonlyMap<unknown, unknown>).values()].every(choice.holds);
}

export const promptKind: OptionKind = {
  must: { must: "prompt" },
  holds: (value) =>
    (typeof value === "string" && value !== "") ||
    (Array.isArray(value) && value.length > 0 && value.every(option.object.holds)),
};

export function checkRewind(options: number | SessionRewindOptions): void {
  if (typeof options === "number") return;
  checkOptions<SessionRewindOptions>(options, {
    call: "rewind",
    kinds: {
      ...journey,
      to: option.number,
      scope: option.oneOf("both", "conversation", "files"),
      rewinder: option.object,
    },
    needed: ["to", "scope"],
  });
}

export function checkRedo(options: unknown): void {
  if (typeof options === "string") return;
  checkOptions<SessionRedoOptions>(options, {
    call: "redo",
    kinds: { ...journey, wanted: option.text, scope: option.oneOf("both", "conversation", "files") },
  });
}

type AnyPreview = JourneyOptions & {
  readonly to?: number;
  readonly rewinder?: unknown;
  readonly journey?: string;
};

export function checkPreview(options: FilesPreviewOptions): void {
  checkOptions<AnyPreview>(options, {
    call: "previewFiles",
    kinds: { ...journey, to: option.number, rewinder: option.object, journey: option.text },
  });
}

export function checkCapture(options: CaptureOptions): void {
  checkOptions<CaptureOptions>(options, {
    call: "capture",
    kinds: {
      ...patience,
      checkpoint: option.ordinal,
      author,
      ran: option.callback,
      look: option.either(option.oneOf("everything"), option.listOf(option.text)),
    },
    needed: ["checkpoint", "author"],
  });
}

export function checkCheckpoint(options: Partial<Omit<CaptureOptions, "checkpoint">>): void {
  checkOptions<Omit<CaptureOptions, "checkpoint">>(options, {
    call: "checkpoint",
    kinds: {
      ...patience,
      author,
      ran: option.callback,
      look: option.either(option.oneOf("everything"), option.listOf(option.text)),
    },
  });
}

export function checkBacktrack(request: BacktrackRequest): void {
  checkOptions<BacktrackRequest>(request, {
    call: "requestBacktrack",
    kinds: {
      to: option.number,
      note: option.text,
      rationale: option.text,
      files: option.oneOf("keep", "restore"),
    },
    needed: ["to", "note", "files"],
  });
}

interface CompactOptions {
  readonly summary: string;
  readonly keep?: number;
  readonly reason?: string;
  readonly focus?: string;
  readonly by?: object;
}

export function checkCompact(request: CompactOptions): void {
  checkArgument(request, "compact-request", option.object);
  checkOptions<CompactOptions>(request, {
    call: "compact",
    kinds: {
      summary: option.text,
      keep: option.amount,
      reason: option.oneOf("asked", "full", "too-long"),
      focus: option.text,
      by: option.object,
    },
    needed: ["summary"],
  });
}

const ENVELOPE = ["seq", "id", "parent", "at", "origin", "forgotten"];

/**
 * Throws if any of the entries cannot be written. All entries are checked before the first one is added, so that bad
 * input changes nothing. An entry that cannot be written would block all later entries.
 */
export function checkPlaced(placed: readonly Placed[], outline: Outline): void {
  let highest = outline.highestNumber;
  for (const { draft, parent } of placed) {
    requireShape(draft);
    requireWritable(draft);
    requireKnown(draft, outline);
    if (parent !== undefined) requirePlace(draft, parent, outline);
    if (draft.kind !== "checkpoint" && draft.kind !== "step") continue;
    if (draft.number <= highest) throw invalid(draft, { why: "number", number: draft.number });
    highest = draft.number;
  }
}

function requireShape(draft: Draft): void {
  if (typeof draft !== "object" || draft === null) {
    throw new WorldlineError("entry-not-an-object", {});
  }
  if (!isKnownKind(draft.kind)) throw invalid(draft, { why: "kind-unknown" });
  if (draft.kind === "session" || draft.kind === "rotated") {
    throw invalid(draft, { why: "begins-a-log" });
  }
  if (ENVELOPE.some((field) => Object.hasOwn(draft, field))) throw invalid(draft, { why: "placed" });
  const field = misshapenField(draft.kind, { estimate: 0, ...draft });
  if (field !== undefined) throw invalid(draft, { why: "field", field });
}

/**
 * Throws if the entry cannot be written as JSON. Only an attempt to write it reveals a cycle, a BigInt, or nesting that
 * is too deep.
 */
function requireWritable(draft: Draft): void {
  try {
    if (isPlain(draft)) return;
    JSON.stringify(spill(draft as unknown as Entry, Number.POSITIVE_INFINITY, noBlob));
  } catch (cause) {
    throw invalid(draft, { why: "not-json" }, cause);
  }
}

function noBlob(): never {
  throw new WorldlineError("text-not-spilled", {});
}

/**
 * Throws if the entry refers to anything that does not exist. For example, a compaction that starts at an unknown entry
 * would hide the whole conversation.
 */
function requireKnown(draft: Draft, outline: Outline): void {
  const unknown = referencesOf(draft).find((id) => outline.byId(id) === undefined);
  if (unknown !== undefined) throw invalid(draft, { why: "entry-unknown", id: unknown });
}

function referencesOf(draft: Draft): readonly EntryId[] {
  switch (draft.kind) {
    case "backtrack":
    case "rewind":
      return [draft.from];
    case "redo":
      return [draft.from, draft.journey];
    case "compaction":
      return [draft.firstKept, ...draft.pinned];
    case "label":
      return [draft.target];
    case "restored":
      return [draft.journey];
    case "notice":
      return draft.owner === undefined ? [] : [draft.owner];
    default:
      return [];
  }
}

/**
 * Throws unless the entry follows the head or is a journey, because an entry of any other kind could not be undone if
 * it were placed elsewhere.
 */
function requirePlace(draft: Draft, parent: EntryId, outline: Outline): void {
  if (outline.byId(parent) === undefined) {
    throw new WorldlineError("entry-unknown", { entry: parent });
  }
  if (!isJourney(draft.kind) && parent !== outline.head?.id) {
    throw invalid(draft, { why: "elsewhere" });
  }
}

function invalid(
  draft: Draft,
  fault: ErrorParams<"entry-invalid">["fault"],
  cause?: unknown,
): WorldlineError {
  return new WorldlineError("entry-invalid", { kind: draft.kind, fault }, { cause });
}

/**
 * Limits for the quick check. Values that exceed these limits are checked by `JSON.stringify` instead. A cycle always
 * exceeds the limits.
 */
const MAX_NESTED = 32;
const MAX_SIZE = 1_000_000;

/**
 * Checks whether `value` can safely be written as JSON: it consists of simple values, such as strings and numbers, in
 * lists and objects of moderate size. If the result is false, the value may still be writable. For most drafts, this
 * check avoids creating a long JSON text only to discard it.
 */
export function isPlain(value: unknown): boolean {
  return roomLeft(value, MAX_SIZE, 0) >= 0;
}

/**
 * How much of `room` is left after `value`; negative if the value does not fit or contains anything but simple values.
 */
function roomLeft(value: unknown, room: number, nested: number): number {
  switch (typeof value) {
    case "string":
      return room - value.length;
    case "number":
    case "boolean":
    case "undefined":
      return room - 1;
    case "object":
      return value === null ? room - 1 : roomBeside(value, room, nested + 1);
    default:
      return -1;
  }
}

function roomBeside(holder: object, room: number, nested: number): number {
  if (nested > MAX_NESTED || !isUsual(holder)) return -1;
  // Counts the holes in a list, too, because JSON contains a value for each hole.
  let left = room - (Array.isArray(holder) ? holder.length : 1);
  for (const key in holder) {
    left = roomLeft((holder as Readonly<Record<string, unknown>>)[key], left - key.length, nested);
    if (left < 0) return left;
  }
  return left;
}

/**
 * Checks whether the object is a plain object or list without a `toJSON` method. A boxed BigInt cannot be written, and
 * a `toJSON` method could do anything.
 */
function isUsual(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  const isKnown = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
  return isKnown && (holder as { readonly toJSON?: unknown }).toJSON === undefined;
}
