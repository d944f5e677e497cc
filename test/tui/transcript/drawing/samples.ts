import type { EntryId } from "../../../../src/record/ids.ts";
import type { Block, CallBlock, Happening } from "../../../../src/tui/transcript/block.ts";

const entry = "00000000000a" as EntryId;

const markdown = [
  "## What I found",
  "",
  "The pool **never** gives a connection back when `query()` throws; see [the docs](https://example.org/pool).",
  "",
  "1. `src/pool.ts` takes it",
  "2. nobody releases it",
  "   - 也没有超时 🙂",
  "",
  "> It was like this from the start.",
  "",
  "| file | lines |",
  "|---|---|",
  "| src/pool.ts | 12 |",
  "",
  "```ts",
  "try {",
  "  return await run(connection);",
  "} finally {",
  "  release(connection);",
  "}",
  "```",
].join("\n");

function call(change: Partial<CallBlock>): CallBlock {
  return {
    kind: "call",
    key: "call",
    call: "a",
    name: "Bash",
    about: "npm test",
    input: { command: "npm test" },
    state: "ok",
    took: 1234,
    output: Array.from({ length: 6 }, (_, index) => `test ${index + 1} passed`).join("\n"),
    below: [],
    ...change,
  };
}

const edit = {
  name: "Edit",
  about: "src/pool.ts",
  input: {
    file_path: "src/pool.ts",
    old_string: "const one = 1;\nreturn run(connection);\nend();",
    new_string: "const one = 1;\nreturn await run(connection);\nrelease(connection);\nend();",
  },
  output: "Edited src/pool.ts.",
};

const write = {
  name: "Write",
  about: "notes.md",
  input: {
    file_path: "notes.md",
    content: Array.from({ length: 20 }, (_, index) => `note ${index + 1}`).join("\n"),
  },
  output: "Created notes.md",
};

const paths = [
  '{"path":"src/a.ts","outcome":"restored"}',
  '{"path":"src/b.ts","outcome":"kept","why":"changed outside"}',
].join("\n");

const happenings: readonly Happening[] = [
  { what: "rewind", to: 3, scope: "both", restored: { restored: 4, kept: 1, failed: 0, paths } },
  { what: "redo", scope: "conversation" },
  { what: "restored", restored: { restored: 1, kept: 0, failed: 2, paths } },
  {
    what: "compaction",
    reason: "full",
    before: 120_000,
    after: 8_500,
    summary: "The leak is in **pool.ts**.",
  },
  {
    what: "not-compacted",
    failure: { type: "compaction", outcome: "failed", reason: "asked", why: "the summary was empty." },
  },
  { what: "interrupt", by: "person" },
  { what: "interrupt", by: "crash" },
  { what: "interrupt", by: "limit" },
  {
    what: "error",
    message: "The provider did not accept the key, and says that nothing else is wrong with it.",
    hint: "Set ANTHROPIC_API_KEY.",
  },
  { what: "error", message: "overloaded", times: 3 },
  { what: "go-on" },
  { what: "warning", message: "A backtrack was dropped." },
  {
    what: "retry",
    retry: {
      type: "retry",
      checkpoint: 4,
      attempt: 1,
      of: 3,
      waitMs: 1500,
      code: "MODEL_FAILED",
      message: "overloaded",
    },
  },
  { what: "title", title: "The leak in the pool" },
  { what: "label", label: "before the rewrite", checkpoint: 12 },
  { what: "label", label: "" },
  { what: "reply-cut" },
];

/** One of every kind of block, and of every state that looks different. */
export const samples: readonly (readonly [name: string, block: Block])[] = [
  [
    "prompt",
    {
      kind: "prompt",
      key: "1",
      text: "Find the leak in the pool, 谢谢\n\nand fix it",
      images: 2,
      checkpoint: 12,
      entry,
    },
  ],
  ["long prompt", { kind: "prompt", key: "1", text: "line\n".repeat(30), images: 0, entry }],
  ["text", { kind: "text", key: "2", text: markdown, place: "first" }],
  [
    "text inside code",
    {
      kind: "text",
      key: "2",
      text: "  release(connection);\n}\n```\n\nThat is all.\n",
      place: "joined",
      insideFence: { sign: "`", length: 3, language: "ts" },
    },
  ],
  ["thinking", { kind: "thinking", key: "3", text: "Where would it be?\nIn the pool.", state: "done" }],
  ["thinking, live", { kind: "thinking", key: "3", text: "Where", state: "live" }],
  ["call asked", call({ state: "asked", output: "" })],
  ["call running", call({ state: "running", since: 6_000, output: "test 1 passed\n" })],
  ["call ok", call({})],
  ["call failed", call({ state: "error", took: 65_000, output: "test 1 failed\n" })],
  [
    "call denied",
    call({ state: "denied", output: "Denied: not now", denial: { code: "said", words: "not now" } }),
  ],
  ["call interrupted", call({ state: "interrupted", output: "" })],
  ["call failed late", call({ state: "error", output: `${"line\n".repeat(20)}the cause\n[Exit code 2]` })],
  [
    "command of the person, interrupted",
    call({ name: "Shell", state: "interrupted", output: "one\ntwo\n[Interrupted: it was ended.]" }),
  ],
  [
    "command of the person, cut",
    call({ name: "Shell", output: `first\n[...]\n${"line\n".repeat(12)}[Not all of the output is shown.]` }),
  ],
  ["read failed", call({ name: "Read", about: "a", state: "error", output: "1\n2\n3\n4\n5" })],
  [
    "plan",
    call({
      name: "ExitPlanMode",
      about: "",
      input: { plan: `# Plan\n\n${"- one **step**\n".repeat(14)}` },
      output: "The user approved the plan.",
    }),
  ],
  [
    "plan, not approved",
    call({
      name: "ExitPlanMode",
      about: "",
      input: { plan: "Rewrite it." },
      state: "denied",
      output: "The plan was not approved: too much",
    }),
  ],
  [
    "answers",
    call({
      name: "AskUser",
      about: "",
      input: { questions: [{ question: "Which?", header: "h", options: [{ label: "a" }, { label: "b" }] }] },
      output: "Which?\n> a\n\nAnd how?\n> fast",
    }),
  ],
  [
    "call of the person",
    call({ name: "Shell", about: "ls", input: { command: "ls" }, output: "a.ts\nb.ts", took: 12 }),
  ],
  [
    "call that reads",
    call({
      name: "Grep",
      about: "leak (src)",
      input: { pattern: "leak", path: "src" },
      output: "src/pool.ts:3: leak\nsrc/pool.ts:9: leak",
    }),
  ],
  ["edit", call(edit)],
  ["write", call(write)],
  [
    "call of a sub-agent",
    call({
      name: "Task",
      about: "look for tests",
      input: {},
      state: "running",
      since: 3_000,
      output: "",
      below: [
        call({ name: "Read", about: "a.ts", input: {} }),
        call({ name: "Read", about: "b.ts", input: {}, state: "asked" }),
      ],
    }),
  ],
  [
    "sub-agent that has ended",
    call({
      name: "Task",
      about: "look for tests",
      input: { description: "look for tests", prompt: "Look.\nEverywhere.", deep: { levels: [1, 2] } },
      output: "There are two.",
      below: [
        call({ name: "Read", about: "a.ts", input: {} }),
        call({
          about: "rm a.ts",
          state: "denied",
          output: "Denied: not now",
          denial: { code: "said", words: "not now" },
        }),
      ],
    }),
  ],
  [
    "card",
    {
      kind: "card",
      key: "4",
      journey: entry,
      to: 12,
      note: "The leak is in `src/pool.ts`:\n\n- `query()` throws\n- nobody releases",
      rationale: "40 files were read, and one mattered.",
      files: "restore",
      restored: { restored: 2, kept: 1, failed: 0, paths },
      left: { entries: 14, tokens: 23_456, prompt: "Find the leak in the pool, 谢谢" },
    },
  ],
  [
    "card, not looked up",
    {
      kind: "card",
      key: "4",
      journey: entry,
      to: 2,
      note: "Look elsewhere.",
      files: "keep",
      left: undefined,
    },
  ],
  [
    "left by a backtrack",
    {
      kind: "left",
      key: "left-4",
      journey: entry,
      by: "backtrack",
      holds: { calls: 14, messages: 1 },
    },
  ],
  [
    "left prompt",
    {
      kind: "left-item",
      key: "41",
      by: "backtrack",
      folded: "line",
      block: { kind: "prompt", key: "41", text: "And then\nthe pears?", images: 1, entry },
    },
  ],
  [
    "left answer",
    {
      kind: "left-item",
      key: "42",
      by: "backtrack",
      folded: "line",
      block: { kind: "text", key: "42", text: "Pears are **cheaper**.\n\nBy 30.", place: "first" },
    },
  ],
  [
    "left call",
    {
      kind: "left-item",
      key: "43",
      by: "backtrack",
      folded: "hidden",
      block: call({ name: "Read", about: "a.ts", input: {} }),
    },
  ],
  ...happenings.map((happening): [string, Block] => [
    happening.what,
    { kind: "happening", key: "5", happening },
  ]),
  [
    "notice",
    { kind: "notice", key: "6", tone: "good", line: "Exported to session.md", details: "12 entries" },
  ],
  [
    "files",
    {
      kind: "files",
      key: "7",
      files: [
        { path: "src/pool.ts", change: "changed", added: 10, removed: 2 },
        { path: "notes.md", change: "created", added: 20, removed: 0 },
        { path: "src/old.ts", change: "deleted", added: 0, removed: 7 },
        { path: "logo.png", change: "changed" },
      ],
      more: 3,
      of: entry,
    },
  ],
  ["files, not looked up", { kind: "files", key: "7", files: undefined, more: 0, of: entry }],
  [
    "todos",
    {
      kind: "todos",
      key: "8",
      items: [
        { text: "find the leak", status: "done" },
        { text: "fix it", status: "doing" },
        { text: "write a test that fails without the fix, and passes with it", status: "open" },
      ],
    },
  ],
  ["answer", { kind: "answer", key: "9", asked: "/stats", text: "2 sessions\n  14 prompts", form: "plain" }],
  [
    "answer that nobody asked for",
    {
      kind: "answer",
      key: "9",
      asked: "",
      text: `Done\n  - ${"a long line of what was done, ".repeat(4)}\n${"next   and then ".padEnd(120, "on and ")}`,
      form: "plain",
    },
  ],
  [
    "answer in Markdown",
    { kind: "answer", key: "9", asked: "/help", text: "# Keys\n\n- `Esc` stops", form: "markdown" },
  ],
];
