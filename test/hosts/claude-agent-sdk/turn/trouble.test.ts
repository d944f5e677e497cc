import { expect, it } from "vitest";
import type { Responder, ScriptedReply } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf, toldOf } from "./lines.ts";

const status = (code: number, message?: string): ScriptedReply => ({
  misbehave: {
    do: "status",
    status: code,
    ...(message === undefined
      ? {}
      : { body: { type: "error", error: { type: "invalid_request_error", message } } }),
  },
});

describeWithClaude("an API that fails behind the Claude Agent SDK", () => {
  it("ends the turn as failed, with an error in the log and no reply, and the next prompt works", async () => {
    let answer: () => ScriptedReply = () => ({ text: "Fine." });
    const responder: Responder = () => answer();
    const { agent, session, server, events } = await claudeStage({ responder });

    answer = () => status(401);
    expect(await agent.prompt("a")).toMatchObject({
      outcome: "failed",
      answer: "",
      error: { code: "MODEL_KEY" },
    });
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: a",
      "host 1",
      "step 2",
      "error MODEL_KEY",
    ]);

    let failures = 1;
    answer = () => (failures-- > 0 ? status(529) : { text: "At last." });
    expect(await agent.prompt("b")).toMatchObject({ outcome: "done", answer: "At last." });
    expect(toldOf(events, "retry").map(({ waitMs: _, ...retry }) => retry)).toEqual([
      {
        type: "retry",
        checkpoint: 2,
        attempt: 1,
        of: 1,
        code: "MODEL_KEY",
        message: "Claude does not accept the key or the login (status 401).",
        reason: "claude-key-refused",
        params: { status: 401 },
      },
      {
        type: "retry",
        checkpoint: 4,
        attempt: 1,
        of: 1,
        code: "MODEL_BUSY",
        message: "Claude is busy (status 529).",
        reason: "claude-busy-with",
        params: { status: 529 },
      },
    ]);
    expect(await linesOf(session, 5)).toEqual([
      "checkpoint 3 (prompt)",
      "prompt: b",
      "host 1",
      "step 4",
      "reply: At last.",
      "host 1",
    ]);

    answer = () => status(529);
    expect(await agent.prompt("c")).toMatchObject({ outcome: "failed", error: { code: "MODEL_BUSY" } });

    answer = () => status(400, "prompt is too long: 250000 tokens > 200000 maximum");
    expect(await agent.prompt("d")).toMatchObject({ outcome: "failed", error: { code: "CONTEXT_TOO_LONG" } });

    answer = () => ({ text: "Fine." });
    expect(await agent.prompt("e")).toMatchObject({ outcome: "done", answer: "Fine." });
    expect(await linesOf(session, 11)).toEqual([
      "checkpoint 5 (prompt)",
      "prompt: c",
      "host 1",
      "step 6",
      "error MODEL_BUSY",
      "checkpoint 7 (prompt)",
      "prompt: d",
      "host 1",
      "step 8",
      // This step is the SDK's attempt to compact.
      "step 9",
      "error CONTEXT_TOO_LONG",
      "checkpoint 10 (prompt)",
      "prompt: e",
      "host 1",
      "step 11",
      "reply: Fine.",
      "host 1",
    ]);
    const marker = (text: string): string =>
      `<system-${session.header.tag}>Checkpoint ${text}</system-${session.header.tag}>`;
    expect(server.requests.map(spoken).at(-1)).toEqual([
      { role: "user", text: ["a", marker("2, context 0 %"), "b"] },
      { role: "assistant", text: ["At last."] },
      {
        role: "user",
        text: [
          ...["c", marker("6, context 1 %")],
          ...["d", marker("8, context 1 %"), marker("9, context 1 %")],
          "e",
        ],
      },
    ]);

    const odd: ScriptedReply[] = [
      { text: "Cut in the middle of it.", misbehave: { do: "cut", after: "half" } },
      { text: "As long as", stop: "length" },
      { text: "it takes." },
    ];
    answer = () => odd.shift() ?? {};
    expect(await agent.prompt("f")).toMatchObject({ outcome: "done", answer: "it takes.", steps: 2 });
    expect(await linesOf(session, 28)).toEqual([
      "checkpoint 12 (prompt)",
      "prompt: f",
      "host 1",
      "step 13",
      "reply (length): As long as",
      "host 1",
      "step 14",
      "reply: it takes.",
      "host 1",
    ]);
    expect(toldOf(events, "warning").map(({ code }) => code)).toEqual(["REPLY_CUT"]);

    await server.close();
    expect(await agent.prompt("g")).toMatchObject({
      outcome: "failed",
      error: { code: "MODEL_UNREACHABLE" },
    });
  });

  it("continues after calls whose arguments are nested deeper than our log can hold", async () => {
    const nested = (levels: number) =>
      `{"file_path":"a.txt","content":"x","more":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const { agent, session, write } = await claudeStage({
      mode: "auto",
      responder: (request) =>
        request.messages.some(({ results }) => results.length > 0)
          ? { text: "Gone on." }
          : {
              calls: [
                { name: "Write", rawArguments: nested(300) },
                { name: "Write", rawArguments: nested(2_000) },
                { name: "Read", input: { file_path: "b.txt" } },
              ],
            },
    });
    write("b.txt", "fine");
    expect(await agent.prompt("write")).toMatchObject({ outcome: "done", answer: "Gone on." });
    const ends = (await linesOf(session)).filter((line) => line.startsWith("tool-end"));
    expect(ends.map((line) => / (ok|error|denied)/u.exec(line)?.[1])).toEqual(["error", "error", "ok"]);
    const calls = (await session.context()).messages.flatMap((message) =>
      message.role === "assistant" ? message.parts : [],
    );
    expect(calls.filter((part) => part.type === "tool-call" && part.malformed !== undefined)).toHaveLength(2);
  });
});
