import type { EntryBody, EntryKind } from "./entry.ts";
import { isBlobHash, isEntryId, isSessionId } from "./ids.ts";
import { isJsonObject } from "./json.ts";
import { OUTSIDE_WHY } from "./outside.ts";

type Check = (value: unknown) => boolean;
/** What a store adds on reading has no shape in a log. */
type Shape<Body> = { readonly [Field in Exclude<keyof Body, "kind" | "confirmation">]-?: Check };
type Shapes = { readonly [Kind in EntryKind]: Shape<Extract<EntryBody, { kind: Kind }>> };

const text: Check = (value) => typeof value === "string" || isSpilled(value);
const count: Check = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const ordinal: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const json: Check = (value) => value !== undefined;
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields = (shape: Readonly<Record<string, Check>>): Check => {
  const checks = checksIn(shape);
  return (value) => isJsonObject(value) && misshapenIn(checks, value) === undefined;
};
const byType =
  (shapes: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isJsonObject(value) && (shapes[String(value["type"])]?.(value) ?? false);

const textPart = fields({ text });
const part = byType({ text: textPart, image: fields({ mediaType: text, data: text }) });
const replyPart = byType({
  text: textPart,
  thinking: fields({ text, signature: optional(text) }),
  "tool-call": fields({ call: text, name: text, input: json, malformed: optional(text) }),
});
const usage = fields({ input: count, output: count, cacheRead: count, cacheWrite: count });
const scope = oneOf("both", "conversation", "files");
const author = oneOf("timeline", "outside");
const ranCall = fields({
  call: text,
  about: text,
  wrote: optional(list(text)),
  reads: optional(oneOf("only")),
  looked: optional(oneOf("late")),
});
const during = optional(list(ranCall));
const outsideFile = fields({ blob: isBlobHash, mode: count, size: count });
const outsideUnknown = fields({ why: oneOf(...OUTSIDE_WHY) });
const outsideState: Check = (value) => outsideFile(value) || outsideUnknown(value);
const outside = list(fields({ path: text, before: optional(outsideState), after: optional(outsideState) }));

/**
 * What each kind must hold. The type makes the table complete: a field without a check does
 * not compile. Fields that are not listed come from a newer program and are left as they are.
 */
export const shapes: Shapes = {
  session: {
    version: ordinal,
    session: isSessionId,
    workspace: text,
    mode: oneOf("agent", "workspace", "execution"),
    system: text,
    tag: text,
    frames: optional(oneOf("quoted")),
    backtrack: oneOf("on", "off"),
    numbersFrom: count,
    forkedFrom: optional(fields({ session: isSessionId, entry: isEntryId })),
    imported: optional(fields({ from: text, name: text, at: optional(text) })),
    task: optional(fields({ session: isSessionId, call: text })),
    execution: optional(fields({ id: text, scope: text })),
    estimate: count,
  },
  prompt: { parts: list(part), estimate: count },
  step: { number: ordinal, fill: optional(count), original: optional(count) },
  reply: {
    parts: list(replyPart),
    model: text,
    end: optional(oneOf("length", "interrupted")),
    usage: optional(usage),
    estimate: count,
  },
  "tool-start": { call: text, name: text, input: optional(json), granted: optional(text) },
  "tool-end": {
    call: text,
    outcome: oneOf("ok", "error", "denied", "interrupted"),
    parts: list(part),
    seen: optional(list(fields({ path: text, sha256: text }))),
    outside: optional(outside),
    estimate: count,
  },
  notice: { text, owner: optional(isEntryId), estimate: count },
  checkpoint: { number: ordinal, on: oneOf("prompt", "manual"), original: optional(count) },
  snapshot: {
    checkpoint: ordinal,
    state: oneOf("complete", "partial", "none"),
    snapshot: optional(text),
    why: optional(text),
    author,
    gitHead: optional(text),
    machine: optional(text),
    during,
    signs: optional(text),
  },
  backtrack: {
    to: ordinal,
    from: isEntryId,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    files: oneOf("keep", "restore"),
    note: text,
    rationale: optional(text),
    prompt: optional(text),
    prompts: list(list(part)),
    told: list(text),
    moreTold: optional(count),
    changed: list(text),
    moreChanged: optional(count),
    running: list(text),
    times: ordinal,
    estimate: count,
  },
  rewind: {
    to: ordinal,
    from: isEntryId,
    scope,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    only: optional(list(text)),
    choice: optional(oneOf("keep", "take", "merge")),
    through: optional(text),
  },
  redo: {
    journey: isEntryId,
    from: isEntryId,
    scope,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    only: optional(list(text)),
    revokes: oneOf("nothing", "note"),
    estimate: count,
  },
  restored: {
    journey: isEntryId,
    restored: count,
    created: optional(count),
    removed: optional(count),
    merged: optional(count),
    kept: count,
    notRestorable: optional(count),
    failed: count,
    paths: text,
    snapshot: optional(text),
  },
  compaction: {
    summary: text,
    firstKept: isEntryId,
    pinned: list(isEntryId),
    reason: oneOf("asked", "full", "too-long"),
    focus: optional(text),
    tokensBefore: count,
    kept: count,
    model: optional(text),
    usage: optional(usage),
    estimate: count,
  },
  todos: { items: list(fields({ text, status: oneOf("open", "doing", "done") })) },
  title: { title: text },
  label: { target: isEntryId, label: text },
  saved: {
    name: text,
    index: count,
    attempt: ordinal,
    status: oneOf("pending", "success", "failed"),
    state: optional(json),
    context: optional(json),
    variables: optional(json),
    metadata: optional(json),
    output: optional(json),
    error: optional(json),
    decided: optional(oneOf("retry", "skip", "fail")),
    // A newer program may know more reasons.
    unstored: optional(list(fields({ path: text, why: text, of: optional(text) }))),
  },
  "checkpoint-delete": { index: count, attempt: ordinal },
  "execution-finish": {},
  interrupt: { by: oneOf("person", "crash", "limit") },
  error: { code: text, message: text, hint: optional(text), reason: optional(text), params: optional(json) },
  rotated: { file: ordinal, session: isSessionId, version: ordinal },
  host: {
    host: text,
    hostSession: text,
    message: optional(text),
    granted: optional(text),
    model: optional(text),
    asked: optional(text),
    window: optional(ordinal),
  },
  interval: { snapshot: text, author, machine: optional(text), during, signs: optional(text) },
};

export function isKnownKind(kind: string): kind is EntryKind {
  return Object.hasOwn(shapes, kind);
}

/** Listed once: this runs for every line of a log. */
const checksOf = Object.fromEntries(
  Object.entries(shapes).map(([kind, shape]) => [kind, checksIn(shape)]),
) as unknown as Readonly<Record<EntryKind, readonly FieldCheck[]>>;

/** The first field of `body` that is not as its kind demands, or undefined when all are. */
export function misshapenField(
  kind: EntryKind,
  body: { readonly [field: string]: unknown },
): string | undefined {
  return misshapenIn(checksOf[kind], body);
}

interface FieldCheck {
  readonly field: string;
  readonly check: Check;
}

function checksIn(shape: Readonly<Record<string, Check>>): FieldCheck[] {
  return Object.entries(shape).map(([field, check]) => ({ field, check }));
}

function misshapenIn(
  checks: readonly FieldCheck[],
  body: { readonly [field: string]: unknown },
): string | undefined {
  for (const { field, check } of checks) if (!check(body[field])) return field;
  return undefined;
}

/** A string that was moved into a blob; see spill.ts. */
export function isSpilled(value: unknown): value is { readonly $blob: string; readonly start: string } {
  return isJsonObject(value) && isBlobHash(value["$blob"]) && typeof value["start"] === "string";
}
