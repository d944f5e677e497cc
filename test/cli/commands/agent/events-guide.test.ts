import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AgentEvent, Doing } from "../../../../src/ports/agent-events.ts";
import type { EntryId, Seq, SessionId } from "../../../../src/record/ids.ts";

const guide = readFileSync(new URL("../../../../docs/guide/events.md", import.meta.url), "utf8");

const session = "k3f9x2m7q1" as SessionId;

/** `busy` events are never printed; only screens use them. */
type Printed = Exclude<AgentEvent["type"], "busy">;

/** One example of each event. A missing event, or one that no longer matches its type, does not compile. */
const examples: { readonly [Type in Printed]: Extract<AgentEvent, { type: Type }> } = {
  session: {
    type: "session",
    version: 1,
    session,
    workspace: "/home/ada/project",
    resumed: "new",
    model: "anthropic/claude-sonnet-5-5",
    window: 1_000_000,
    mode: "accept-edits",
    tools: ["Bash", "Read", "Edit"],
  },
  entry: {
    type: "entry",
    entry: {
      seq: 12 as Seq,
      id: "9f2c41d07be3" as EntryId,
      parent: "5a1b77c20e94" as EntryId,
      at: "2026-01-31T10:30:45.123Z",
      kind: "tool-end",
      call: "toolu_1",
      outcome: "ok",
      parts: [{ type: "text", text: "3 tests passed" }],
      estimate: 9,
    },
  },
  text: { type: "text", text: "The leak is in " },
  thinking: { type: "thinking", text: "The pool never closes" },
  call: { type: "call", call: "toolu_1", name: "Bash", text: '{"command": "npm' },
  output: { type: "output", call: "toolu_1", text: "> vitest run\n" },
  doing: { type: "doing", doing: { what: "tool", call: "toolu_1", name: "Bash", about: "npm test" } },
  retry: {
    type: "retry",
    checkpoint: 7,
    attempt: 1,
    of: 3,
    waitMs: 1_000,
    code: "MODEL_BUSY",
    message: "anthropic/claude is busy: Too many requests.",
    reason: "model-busy",
    params: { model: "anthropic/claude", said: "Too many requests." },
  },
  backtrack: {
    type: "backtrack",
    to: 4,
    entries: 11,
    tokens: 31_200,
    prompt: "find the leak",
    note: "It is in pool.ts: release() is never called.",
    rationale: "The log was noise but for one line.",
    files: "restore",
    restored: { restored: 2, created: 0, removed: 1, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
  },
  compaction: {
    type: "compaction",
    outcome: "done",
    reason: "full",
    before: 170_000,
    after: 21_000,
    model: "anthropic/claude-haiku-4-5",
  },
  journey: { type: "journey", journey: "rewind", scope: "conversation", to: 7 },
  files: {
    type: "files",
    files: [{ path: "src/pool.ts", change: "changed", added: 4, removed: 1 }],
    more: 0,
  },
  warning: {
    type: "warning",
    code: "SNAPSHOT_SLOW",
    message: "The files are still being captured.",
  },
  mode: { type: "mode", mode: "plan" },
  model: { type: "model", model: "anthropic/claude-haiku-4-5", window: 200_000 },
  "sub-agent": {
    type: "sub-agent",
    call: "toolu_2",
    session: "p8d0c4v6b1" as SessionId,
    event: { type: "text", text: "Looking" },
  },
  "turn-end": {
    type: "turn-end",
    outcome: "done",
    answer: "The leak was in pool.ts; it is closed now.",
    steps: 5,
    backtracks: 1,
    usage: { input: 48_210, output: 1_904, cacheRead: 41_000, cacheWrite: 5_200 },
    cost: 0.0421,
    milliseconds: 38_114,
  },
};

const doings: { readonly [What in Doing["what"]]: true } = {
  thinking: true,
  tool: true,
  asking: true,
  capturing: true,
  "waiting-for-capture": true,
  compacting: true,
  nothing: true,
};

/** Every section of the guide, with the one example line in it. */
function sections(): readonly (readonly [string, unknown])[] {
  return [...guide.matchAll(/^### `([a-z-]+)`\n[\s\S]*?```json\n(.+)\n```/gmu)].map(
    ([, type = "", line = ""]) => [type, JSON.parse(line)] as const,
  );
}

describe("the guide to events", () => {
  it("has a section for every type of event, with an example line", () => {
    expect(Object.fromEntries(sections())).toEqual(examples);
    expect(sections().map(([type]) => type)).toEqual(Object.keys(examples));
  });

  it("names every thing that an agent can be at", () => {
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \|/gmu)].map(([, what]) => what);
    expect(rows).toEqual(expect.arrayContaining(Object.keys(doings)));
  });

  it("says which version it is about", () => {
    expect(guide).toContain("version 1");
  });
});
