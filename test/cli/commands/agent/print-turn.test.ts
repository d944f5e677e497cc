import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Interrupt } from "../../../../src/app/context.ts";
import type { Surroundings } from "../../../../src/cli/frame.ts";
import { run } from "../../../../src/cli/start.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import { inEnglish, WorldlineError } from "../../../../src/record/error.ts";
import { textPart } from "../../../../src/record/parts.ts";
import { playground } from "../../support/command-line.ts";
import { opened, playing, session, turnEnd } from "../../support/played-agent.ts";

const at = "2026-01-01T00:00:00.000Z";
const entry = (body: object): AgentEvent => ({
  type: "entry",
  entry: { seq: 1, id: "e1", parent: null, at, ...body } as unknown as Entry,
});
const tool = (call: string, name: string, about: string): AgentEvent => ({
  type: "doing",
  doing: { what: "tool", call, name, about },
});
const asked = {
  call: "c2",
  tool: "Bash",
  input: {},
  about: "npm test",
  reason: { code: "mode-asks-commands", mode: "manual" } as const,
  why: "it changes something",
  help: "mode" as const,
  rule: "Bash(npm test:*)",
};

const story: Parameters<typeof playing>[0] = async ({ tell, person }) => {
  tell(opened);
  tell({ type: "text", text: "I look" });
  tell(
    entry({
      kind: "reply",
      model: "scripted/one",
      estimate: 1,
      parts: [
        textPart("I look"),
        { type: "tool-call", call: "c1", name: "Read", input: {} },
        { type: "tool-call", call: "c2", name: "Bash", input: {} },
      ],
    }),
  );
  tell(tool("c1", "Read", "a\nb\u001b[2J.ts"));
  tell(tool("c1", "Read", "told twice"));
  tell(entry({ kind: "tool-end", call: "c1", outcome: "ok", parts: [], estimate: 1 }));
  const answer = await person.allow(asked, new AbortController().signal);
  const { reason, because } = answer.answer === "no" ? answer : { reason: "" };
  tell(
    entry({
      kind: "tool-end",
      call: "c2",
      outcome: "denied",
      parts: [textPart(`Denied: ${reason}`)],
      ...(because === undefined ? {} : { denial: because }),
      estimate: 1,
    }),
  );
  tell({
    type: "retry",
    checkpoint: 3,
    attempt: 1,
    of: 3,
    waitMs: 1_500,
    code: "MODEL_BUSY",
    message: "busy.",
  });
  tell({
    type: "backtrack",
    to: 2,
    entries: 4,
    tokens: 31_000,
    prompt: "find it",
    note: "it is\nin pool.ts",
    files: "keep",
  });
  tell({
    type: "compaction",
    outcome: "done",
    reason: "full",
    before: 150_000,
    after: 20_000,
    model: "scripted/one",
  });
  tell({ type: "journey", journey: "rewind", scope: "conversation", to: 2 });
  tell({ type: "warning", code: "SNAPSHOT", message: "Not captured.", hint: "Look." });
  tell({
    type: "sub-agent",
    call: "c9",
    session,
    event: tool("c1", "Grep", "leak"),
  });
  tell({
    type: "files",
    files: [{ path: "a.ts", change: "changed", added: 3, removed: 1 }],
    more: 2,
  });
  const end = turnEnd({ backtracks: 1 });
  tell(end);
  return end;
};

describe("a turn in text", () => {
  it("says in the user's language what warnings, failed compactions and errors were made from", async () => {
    const error = inEnglish("step-limit", { steps: 2 });
    const { commands } = playing(async ({ tell }) => {
      tell({ type: "warning", ...inEnglish("capture-late", { seconds: 5 }), code: "SNAPSHOT_SLOW" });
      const notMade = inEnglish("nothing-to-compact-now", {});
      tell({ type: "compaction", outcome: "failed", reason: "full", why: notMade.message, error: notMade });
      const { message, reason, params } = inEnglish("step-limit", { steps: 1 });
      tell({
        type: "retry",
        checkpoint: 3,
        attempt: 1,
        of: 3,
        waitMs: 1_500,
        code: "STEP_LIMIT",
        message,
        reason,
        params,
      });
      const end = turnEnd({ outcome: "step-limit", error });
      tell(end);
      return end;
    });
    const environment = { LANG: "zh_CN.UTF-8" };
    const { stderr } = await playground().worldline("play", { commands, environment });
    const english = [/capture/u, /compact/u, /stopped/u, /error:/u, /warning:/u].filter((each) =>
      each.test(stderr.replaceAll("snapshots.firstWaitMs", "")),
    );
    expect([english, stderr.includes("首次捕获")]).toEqual([[], true]);
  });

  it("has the answer alone on stdout, and what happened in short lines on stderr", async () => {
    const { commands, closed } = playing(story);
    expect(await playground().worldline("play", { commands })).toEqual({
      code: 0,
      stdout: "It is fixed.\n",
      stderr: [
        "warning: of the settings",
        "done  answered: All of it.",
        "open  nothing",
        "next  your next prompt",
        "Read a b\u241b[2J.ts",
        "Bash denied: Print mode cannot ask for permission.",
        "Retrying in 2 s (1 of 3): busy.",
        "Backtracked to #2: moved 4 entries (about 31,000 tokens) to another branch",
        "  to: find it",
        "  | it is",
        "  | in pool.ts",
        "Compacted (the context was nearly full): from about 150,000 tokens to 20,000",
        "Rewound the conversation to #2",
        "warning: Not captured. Look.",
        "  Grep leak",
        "3 files changed:",
        "  changed a.ts +3 -1",
        "  and 2 more",
        "Denied 1 call, because this run cannot ask for permission:",
        "  Bash npm test",
        "  --allow 'Bash(npm test:*)'",
        `To continue: worldline -r ${session} "..."`,
        "",
      ].join("\n"),
    });
    expect(closed()).toEqual([1]);
  });

  it.each([
    ["line", ["Backtracked to #2: moved 4 entries (about 31,000 tokens) to another branch"]],
    ["off", []],
  ] as const)("shows a backtrack as backtrack.display says: %s", async (display, lines) => {
    const { commands } = playing(story, display);
    const { stderr } = await playground().worldline("play", { commands });
    const shown = stderr.split("\n").filter((line) => /Backtracked|to: find|pool/u.test(line));
    expect(shown).toEqual(lines);
  });

  it("without a saved session names no way to continue", async () => {
    const { commands } = playing(async () => turnEnd());
    const { stderr } = await playground().worldline("play --no-session", { commands });
    expect(stderr).not.toContain("To go on");
  });
});

describe("the end of a turn", () => {
  const error = { code: "MODEL_KEY", message: "The key is refused.", hint: "Set another." } as const;
  it.each([
    [turnEnd(), 0],
    [turnEnd({ outcome: "failed", error }), 41],
    [turnEnd({ outcome: "failed", error: { code: "MODEL_UNREACHABLE", message: "Gone." } }), 1],
    [turnEnd({ outcome: "step-limit" }), 53],
    [turnEnd({ outcome: "interrupted" }), 130],
  ])("is an exit code: %o", async (end, code) => {
    const { commands } = playing(async () => end);
    for (const format of ["text", "json", "stream-json"]) {
      const said = await playground().worldline(`play --output-format ${format}`, { commands });
      expect(said.code, format).toBe(code);
    }
  });

  it("reports the failure, after whatever there was of an answer", async () => {
    const { commands } = playing(async () => turnEnd({ outcome: "failed", error, answer: "Half." }));
    const { stdout, stderr } = await playground().worldline("play", { commands });
    expect(stdout).toBe("Half.\n");
    expect(stderr).toContain(
      "error: The key is refused.\nhint: Set another.\nTo continue: worldline resume ",
    );
  });

  it("is only the error if our own store refuses; the agent is still closed", async () => {
    const { commands, closed } = playing(async () => {
      throw new WorldlineError("stated", { code: "STORE_FULL", message: "The disk is full." });
    });
    const said = await playground().worldline("play --output-format stream-json", { commands });
    expect(said).toMatchObject({ code: 1, stderr: "" });
    expect(JSON.parse(said.stdout)).toEqual({
      error: {
        code: "STORE_FULL",
        reason: "stated",
        params: { code: "STORE_FULL", message: "The disk is full." },
        message: "The disk is full.",
      },
    });
    expect(closed()).toEqual([1]);
  });
});

describe("a turn whose session cannot be closed", () => {
  const full = { code: "STORE_FULL", message: "The disk is full.", hint: "Make room." } as const;
  const unclosed = async () => {
    throw new WorldlineError("stated", full);
  };
  const print = (format: string, end = turnEnd(), close = unclosed) => {
    const { commands } = playing(async () => end, "card", close);
    return playground().worldline(`play --output-format ${format}`, { commands });
  };

  it("still gets its answer, followed by what is wrong", async () => {
    const said = await print("text");
    expect(said).toMatchObject({ code: 1, stdout: "It is fixed.\n" });
    expect(said.stderr).toContain("error: The disk is full.\nhint: Make room.\n");
  });

  it("holds both in its document", async () => {
    const said = await print("json");
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
      1,
      { outcome: "failed", answer: "It is fixed.", error: full },
    ]);
  });

  it("ends with turn-end in a stream too", async () => {
    const said = await print("stream-json");
    const last = said.stdout.trimEnd().split("\n").at(-1) ?? "";
    expect([said.code, JSON.parse(last)]).toEqual([
      1,
      turnEnd({ outcome: "failed", error: { ...full, reason: "stated", params: full } }),
    ]);
  });

  it("causes a warning in addition to the earlier failure", async () => {
    const end = turnEnd({ outcome: "failed", error: { code: "MODEL_KEY", message: "The key is refused." } });
    const said = await print("json", end);
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
      41,
      { error: end.error, warnings: ["of the settings", "The disk is full. Make room."] },
    ]);
  });

  it("is not reported twice if it also failed the turn", async () => {
    const said = await print("json", turnEnd({ outcome: "failed", error: full }));
    expect(JSON.parse(said.stdout)).toMatchObject({ error: full, warnings: ["of the settings"] });
  });

  it("reports the first failure if the turn itself did not finish", async () => {
    const broken = async () => {
      throw new WorldlineError("stated", { code: "STORE_UNWRITABLE", message: "The store is read-only." });
    };
    const { commands } = playing(broken, "card", unclosed);
    const said = await playground().worldline("play --json", { commands });
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: "STORE_UNWRITABLE" } });
  });

  it("is answered whatever it is that closing throws", async () => {
    const said = await print("text", turnEnd(), async () => {
      throw new Error("no space left on device");
    });
    expect(said).toMatchObject({ code: 1, stdout: "It is fixed.\n" });
    expect(said.stderr).toContain(
      "error: The session could not be closed cleanly: no space left on device\n",
    );
  });
});

describe("a turn as JSON", () => {
  it.each(["--json", "--output-format json", "--output-format=json"])(
    "is one document: %s",
    async (option) => {
      const { commands } = playing(story);
      const { stdout, stderr } = await playground().worldline(`play ${option}`, { commands });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({
        session,
        model: "scripted/one",
        outcome: "done",
        answer: "It is fixed.",
        steps: 2,
        backtracks: 1,
        usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
        milliseconds: 7,
        cards: [
          { to: 2, entries: 4, tokens: 31_000, prompt: "find it", note: "it is\nin pool.ts", files: "keep" },
        ],
        cost: null,
        files: [{ path: "a.ts", change: "changed", added: 3, removed: 1 }],
        moreFiles: 2,
        denied: [{ tool: "Bash", about: "npm test", why: "it changes something", rule: "Bash(npm test:*)" }],
        plan: null,
        error: null,
        resume: `worldline -r ${session} "..."`,
        warnings: ["of the settings", "Not captured. Look."],
      });
    },
  );
});

describe("a turn as a stream", () => {
  it("has every event on its own line, the session first and the turn's end last", async () => {
    const told: AgentEvent[] = [];
    const { commands } = playing(async (stage) =>
      story({ ...stage, tell: (event) => [told.push(event), stage.tell(event)] }),
    );
    const said = await playground().worldline("play --output-format stream-json", { commands });
    const lines = said.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const warning = { type: "warning", code: "WARNING", message: "of the settings" };
    expect(lines).toEqual([told[0], warning, ...told.slice(1)]);
    expect(said.stderr).toBe("");
  });

  it("loses nothing to a slow reader", async () => {
    const count = 5_000;
    const { commands } = playing(async ({ tell }) => {
      tell(opened);
      for (let index = 0; index < count; index += 1) tell({ type: "text", text: `piece ${index}` });
      return turnEnd();
    });
    const place = surroundingsOf();
    const running = run(commands, place.surroundings);
    let text = "";
    for await (const chunk of place.stdout) {
      text += String(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      if (text.includes('"turn-end"')) break;
    }
    expect(await running).toBe(0);
    expect(text.trimEnd().split("\n")).toHaveLength(count + 3);
  });

  it("is interrupted when its reader leaves, and says nothing of it", async () => {
    const { commands, closed } = playing(async ({ tell, interrupted }) => {
      tell(opened);
      await interrupted;
      return turnEnd({ outcome: "interrupted" });
    });
    const place = surroundingsOf();
    const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    place.stdout.write = ((_text: string, done: (error: Error) => void) => {
      queueMicrotask(() => {
        place.stdout.emit("error", error);
        done(error);
      });
      return false;
    }) as typeof place.stdout.write;
    expect(await run(commands, place.surroundings)).toBe(130);
    expect(place.stderr.read()).toBeNull();
    expect(closed()).toEqual([1]);
  });
});

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("interrupts the turn in order: %s", async (signal) => {
    const listeners: ((signal: Interrupt) => void)[] = [];
    let released = 0;
    const { commands, closed } = playing(async ({ interrupted }) => {
      listeners[0]?.(signal);
      // The handler is released at once, so a second signal ends the process as if there were no handler.
      expect(released).toBe(1);
      await interrupted;
      return turnEnd({ outcome: "interrupted", answer: "" });
    });
    const onInterrupt: Surroundings["onInterrupt"] = (listener) => {
      listeners.push(listener);
      return () => {
        released += 1;
      };
    };
    const said = await playground().worldline("play", { commands, onInterrupt });
    expect(said).toMatchObject({ code: 130, stdout: "" });
    expect(said.stderr.split("\n").slice(4)).toEqual([
      "Interrupting; press Ctrl-C again to stop immediately",
      "Interrupted. All work up to this point is kept.",
      `To continue: worldline resume ${session}`,
      "",
    ]);
    expect(closed()).toEqual([1]);
  });
});

function surroundingsOf() {
  const { home, workspace } = playground();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const surroundings: Surroundings = {
    arguments: ["play", "--output-format", "stream-json"],
    environment: { WORLDLINE_HOME: home },
    cwd: () => workspace,
    stdin,
    stdout,
    stderr,
    cancelled: new AbortController().signal,
    onInterrupt: () => () => undefined,
    knownWorkspaces: async () => [],
  };
  return { surroundings, stdout, stderr };
}
