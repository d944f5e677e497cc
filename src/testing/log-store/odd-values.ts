import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { toSeq } from "../../record/ids.ts";
import type { Json } from "../../record/parts.ts";
import { Story } from "../story.ts";
import type { ContractCase, ContractGroup } from "./subject.ts";

const TEXTS: Readonly<Record<string, string>> = {
  "line and paragraph separators (U+2028, U+2029)": "one\u2028two\u2029three",
  "every control character": String.fromCharCode(...Array.from({ length: 33 }, (_, code) => code), 127),
  "all kinds of line breaks": "a\nb\r\nc\rd\n\n",
  "a lone surrogate": "half \ud83d a pair, and the other \ude00",
  emoji: "👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇳",
  "right-to-left and combining text": "שלום עליכם e\u0301\u0323",
  "a byte order mark": "\ufeffbom\ufeff",
  "text that looks like our own line": '{"seq":1,"id":"000000000001","sum":"00000000"}\n{"seq":2',
  "text that looks like our own notices": "<system>Checkpoint 0</system>",
  nothing: "",
};

const INPUTS: Readonly<Record<string, Json>> = {
  "a key named __proto__": JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Json,
  "a key named $blob": { $blob: "a".repeat(64), start: "x", $$blob: 1 },
  "keys of an entry's envelope": {
    seq: 9,
    id: "x",
    parent: 1,
    kind: "y",
    sum: "00000000",
    origin: {},
    at: null,
  },
  "extreme numbers": [0, -1, 1e308, 5e-324, Number.MAX_SAFE_INTEGER, 0.1],
  "deep nesting": deep(500),
};

const texts: ContractCase[] = Object.entries(TEXTS).map(([name, text]) => ({
  title: `keeps ${name} unchanged`,
  run: async ({ store, another }) => {
    const story = new Story();
    await store.create(story.begin());
    await store.append(story.session, toSeq(2), [
      story.prompt(text),
      story.title(text),
      story.prompt("after"),
    ]);
    assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(4)), story.entries);
    assert.deepEqual(await store.verify(story.session), []);
  },
}));

const inputs: ContractCase[] = Object.entries(INPUTS).map(([name, input]) => ({
  title: `keeps a tool's input with ${name} unchanged`,
  run: async ({ store, another }) => {
    const story = new Story();
    await store.create(story.begin());
    await store.append(story.session, toSeq(2), [story.call(input), story.prompt("after")]);
    const read = await another().read(story.session, toSeq(1), toSeq(3));
    // The values are also compared as text, because deepEqual ignores a key named __proto__.
    assert.equal(JSON.stringify(read), JSON.stringify(story.entries));
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  },
}));

export const oddContent: ContractGroup = {
  title: "odd content",
  cases: [
    ...texts,
    ...inputs,
    {
      title: "keeps a text of 9 MiB, and the entries around it",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const entries = [
          story.prompt("before"),
          story.prompt("long \u2028 text ".repeat(600_000)),
          story.prompt("after"),
        ];
        await store.append(story.session, toSeq(2), entries);
        const reader = another();
        assert.equal((await reader.open(story.session)).outline.length, 4);
        assert.deepEqual(await reader.read(story.session, toSeq(1), toSeq(4)), story.entries);
      },
    },
    {
      title: "keeps an entry of an unknown kind, with all its fields",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const { kind: _kind, title: _title, ...base } = story.title("");
        const foreign = {
          ...base,
          kind: "foreign" as const,
          foreignKind: "teleport",
          fields: { to: "mars", via: [1, 2] },
        };
        story.untell();
        await store.append(story.session, toSeq(2), [foreign]);
        assert.deepEqual(await another().read(story.session, toSeq(2), toSeq(2)), [foreign]);
        assert.equal((await another().open(story.session)).outline.head?.kind, "foreign");
      },
    },
  ],
};

function deep(levels: number): Json {
  let value: Json = "bottom";
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { down: value };
  return value;
}

const MIB = 1024 * 1024;
const MANY = 5_000;

async function begun(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  return story;
}

/** Returns bytes that contain every value, in an order that cannot be compressed. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export const bigValues: ContractGroup = {
  title: "large values",
  cases: [
    {
      title: "keeps a blob of 8 MiB, byte for byte",
      run: async ({ store, another }) => {
        const { session } = await begun(store);
        const bytes = noise(8 * MIB);
        const hash = await store.putBlob(session, bytes);
        assert.ok(bytes.equals(Buffer.from(await another().getBlob(session, hash))));
        assert.deepEqual(await store.verify(session), []);
      },
    },
    {
      title: "keeps an entry with a line of 1 MiB, and the entries around it",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const entries = [story.prompt("before"), story.prompt("é".repeat(MIB / 2)), story.prompt("after")];
        await store.append(story.session, toSeq(2), entries);
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(4)), story.entries);
        assert.deepEqual(await another().read(story.session, toSeq(4), toSeq(4)), story.entries.slice(3));
      },
    },
    {
      title: "keeps 5,000 entries from one append, and reads any range of them",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const { session } = story;
        const entries = Array.from({ length: MANY }, (_, at) => story.prompt(`entry ${at}`));
        await store.append(session, toSeq(2), entries);
        const other = another();
        const { outline, damage } = await other.open(session);
        assert.deepEqual([outline.length, outline.nextSeq, damage], [MANY + 1, MANY + 2, []]);
        const ranges = [
          [1, MANY + 1],
          [2_400, 2_600],
          [MANY - 5, 2 * MANY],
          [MANY + 1, MANY + 1],
          [MANY + 2, 2 * MANY],
          [0, 3],
          [2_600, 2_400],
          [1, Number.MAX_SAFE_INTEGER],
        ] as const;
        for (const [from, to] of ranges) {
          const expected = story.entries.filter(({ seq }) => seq >= from && seq <= to);
          assert.deepEqual(await other.read(session, toSeq(from), toSeq(to)), expected, `${from} to ${to}`);
        }
      },
    },
    {
      title: "creates a session with 2,000 entries and 50 blobs from the start",
      run: async ({ store, another }) => {
        const story = new Story();
        const first = story.begin();
        const entries = Array.from({ length: 2_000 }, (_, at) => story.prompt(`copied ${at}`));
        const blobs = Array.from({ length: 50 }, (_, at) => Buffer.from(`blob ${at}`));
        await store.create(first, { entries, blobs });
        const other = another();
        assert.deepEqual(await other.read(story.session, toSeq(1), toSeq(9_999)), story.entries);
        assert.equal((await other.listBlobs(story.session)).length, 50);
      },
    },
  ],
};
