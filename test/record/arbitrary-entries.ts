import fc from "fast-check";
import type { Entry, EntryBody, EntryKind } from "../../src/record/entry.ts";
import type { Json } from "../../src/record/parts.ts";

type Bodies = { readonly [Kind in EntryKind]: fc.Arbitrary<Extract<EntryBody, { kind: Kind }>> };

/** Texts of any kind: line breaks, U+2028, control characters, unpaired surrogates. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom("\u2028", '{"seq":1,', ',"sum":"00000000"}', "\n", "", "\ufeff", "👩‍👩‍👧"),
);

/** JSON has no -0. */
const anyJson: fc.Arbitrary<Json> = fc
  .oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom("$blob", "$$blob", "start", "__proto__", "sum"), fc.jsonValue()),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

const spelled = (length: number) =>
  fc.string({
    unit: fc.constantFrom(..."0123456789abcdefghjkmnpqrstvwxyz"),
    minLength: length,
    maxLength: length,
  });
const entryId = spelled(12);
const sessionId = spelled(9).map((rest) => `s${rest}`);
const count = fc.nat();
const ordinal = fc.integer({ min: 1, max: 1e9 });
const textPart = fc.record({ type: fc.constant("text"), text: anyText });
const imagePart = fc.record({ type: fc.constant("image"), mediaType: anyText, data: anyText });
const part = fc.oneof(textPart, imagePart);
const replyPart = fc.oneof(
  textPart,
  fc.record(
    { type: fc.constant("thinking"), text: anyText, signature: anyText },
    { requiredKeys: ["type", "text"] },
  ),
  fc.record(
    { type: fc.constant("tool-call"), call: anyText, name: anyText, input: anyJson, malformed: anyText },
    { requiredKeys: ["type", "call", "name", "input"] },
  ),
);
const usage = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
const scope = fc.constantFrom("both", "conversation", "files");
const author = fc.constantFrom("timeline", "outside");
const during = fc.array(
  fc.record(
    {
      call: anyText,
      about: anyText,
      wrote: fc.array(anyText),
      reads: fc.constant("only"),
      looked: fc.constant("late"),
    },
    { requiredKeys: ["call", "about"] },
  ),
);

type Fields<Kind extends EntryKind> = {
  readonly [Field in Exclude<keyof Extract<EntryBody, { kind: Kind }>, "kind">]?: fc.Arbitrary<unknown>;
};

/** A body with all fields of `required` and any of `optional`. */
function body<Kind extends EntryKind>(
  kind: Kind,
  required: Fields<Kind>,
  optional: Fields<Kind> = {},
): Bodies[Kind] {
  const fields = { kind: fc.constant(kind), ...required, ...optional };
  return fc.record(fields, {
    requiredKeys: ["kind", ...Object.keys(required)] as never[],
  }) as unknown as Bodies[Kind];
}

/** The type ensures completeness: a kind without an arbitrary does not compile. */
const bodies: Bodies = {
  session: body(
    "session",
    {
      version: ordinal,
      session: sessionId,
      workspace: anyText,
      mode: fc.constantFrom("agent", "workspace", "execution"),
      system: anyText,
      tag: anyText,
      backtrack: fc.constantFrom("on", "off"),
      numbersFrom: count,
      estimate: count,
    },
    {
      forkedFrom: fc.record({ session: sessionId, entry: entryId }),
      imported: fc.record({ from: fc.constant("bundle"), name: anyText }),
      execution: fc.record({ id: anyText, scope: anyText }),
    },
  ),
  prompt: body("prompt", { parts: fc.array(part), estimate: count }),
  step: body("step", { number: ordinal }, { fill: count, original: count }),
  reply: body(
    "reply",
    {
      parts: fc.array(replyPart),
      model: anyText,
      estimate: count,
    },
    { usage, end: fc.constantFrom("length", "interrupted") },
  ),
  "tool-start": body("tool-start", { call: anyText, name: anyText }, { input: anyJson }),
  "tool-end": body("tool-end", {
    call: anyText,
    outcome: fc.constantFrom("ok", "error", "denied", "interrupted"),
    parts: fc.array(part),
    estimate: count,
  }),
  notice: body("notice", { text: anyText, estimate: count }, { owner: entryId }),
  checkpoint: body(
    "checkpoint",
    { number: ordinal, on: fc.constantFrom("prompt", "manual") },
    { original: count },
  ),
  snapshot: body(
    "snapshot",
    {
      checkpoint: ordinal,
      state: fc.constantFrom("complete", "partial", "none"),
      author,
    },
    { snapshot: anyText, why: anyText, gitHead: anyText, machine: anyText, during, signs: anyText },
  ),
  interval: body("interval", { snapshot: anyText, author }, { machine: anyText, during, signs: anyText }),
  backtrack: body(
    "backtrack",
    {
      to: ordinal,
      from: entryId,
      files: fc.constantFrom("keep", "restore"),
      note: anyText,
      prompts: fc.array(fc.array(part)),
      told: fc.array(anyText),
      changed: fc.array(anyText),
      running: fc.array(anyText),
      times: ordinal,
      estimate: count,
    },
    { left: anyText, leftAuthor: author, rationale: anyText },
  ),
  rewind: body(
    "rewind",
    { to: ordinal, from: entryId, scope },
    {
      left: anyText,
      leftAuthor: author,
      only: fc.array(anyText),
      choice: fc.constantFrom("keep", "take", "merge"),
      through: anyText,
    },
  ),
  redo: body(
    "redo",
    { journey: entryId, from: entryId, scope, revokes: fc.constantFrom("nothing", "note"), estimate: count },
    { left: anyText, leftAuthor: author, only: fc.array(anyText) },
  ),
  restored: body(
    "restored",
    { journey: entryId, restored: count, kept: count, failed: count, paths: anyText },
    { snapshot: anyText },
  ),
  compaction: body(
    "compaction",
    {
      summary: anyText,
      firstKept: entryId,
      pinned: fc.array(entryId),
      reason: fc.constantFrom("asked", "full", "too-long"),
      tokensBefore: count,
      kept: count,
      estimate: count,
    },
    { focus: anyText },
  ),
  todos: body("todos", {
    items: fc.array(fc.record({ text: anyText, status: fc.constantFrom("open", "doing", "done") })),
  }),
  title: body("title", { title: anyText }),
  label: body("label", { target: entryId, label: anyText }),
  saved: body(
    "saved",
    {
      name: anyText,
      index: count,
      attempt: ordinal,
      status: fc.constantFrom("pending", "success", "failed"),
    },
    {
      state: anyJson,
      context: anyJson,
      variables: anyJson,
      metadata: anyJson,
      output: anyJson,
      error: anyJson,
      decided: fc.constantFrom("retry", "skip", "fail"),
      unstored: fc.array(fc.record({ path: anyText, why: fc.constantFrom("function", "class", "size") })),
    },
  ),
  "checkpoint-delete": body("checkpoint-delete", { index: count, attempt: ordinal }),
  "execution-finish": body("execution-finish", {}),
  interrupt: body("interrupt", { by: fc.constantFrom("person", "crash", "limit") }),
  error: body("error", { code: anyText, message: anyText }, { hint: anyText }),
  rotated: body("rotated", { file: ordinal, session: sessionId, version: ordinal }),
  host: body("host", { host: anyText, hostSession: anyText }, { message: anyText, granted: anyText }),
};

const foreign = fc.record({
  kind: fc.constant("foreign"),
  foreignKind: fc.constantFrom("teleport", "__proto__", "constructor", ""),
  fields: fc.dictionary(fc.constantFrom("to", "via", "__proto__", "length"), anyJson),
});

const base = fc.record(
  {
    seq: ordinal,
    id: entryId,
    parent: fc.option(entryId),
    at: fc
      .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    origin: fc.tuple(ordinal, ordinal),
    forgotten: fc.record({ at: fc.constant("2026-01-01T00:00:00.000Z"), times: count }),
  },
  { requiredKeys: ["seq", "id", "parent", "at"] },
);

/** Any entry of any kind, including unknown kinds. */
export const anyEntry: fc.Arbitrary<Entry> = fc
  .tuple(base, fc.oneof(...Object.values(bodies), foreign))
  .map(([envelope, rest]) => ({ ...envelope, ...rest }) as unknown as Entry);
