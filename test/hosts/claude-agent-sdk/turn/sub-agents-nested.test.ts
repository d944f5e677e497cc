import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ClaudeSdk, SdkMessage } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import type { Responder, ScriptedCall } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeScript, claudeScript } from "../../../support/claude/series.ts";
import { type ClaudeStage, type ClaudeStageOptions, claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";
import { until } from "./until.ts";

describeWithClaude("a sub-agent that starts another one", () => {
  it("is the caller in its log, and what was written outside the workspace is taken back with the outermost call", async () => {
    const { stage, file } = await staged((path) => ({
      main: [{ calls: [agentCall("outer", "outer task")] }, { text: "All done." }],
      subAgents: {
        "outer task": [{ calls: [agentCall("inner", "inner task")] }, { text: "Outer done." }],
        "inner task": [{ calls: [write("write", path)] }, { text: "Inner done." }],
      },
    }));
    const { agent, session, events } = stage;
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", steps: 2 });
    expect(existsSync(file)).toBe(true);
    const [outer, inner] = subSessions(events);
    const logs = await Promise.all([outer, inner].map(async (id) => viewOf(stage, id)));
    expect(logs.map(({ header }) => header.task)).toEqual([
      { session: session.id, call: "outer" },
      { session: outer, call: "inner" },
    ]);
    expect(await outsideOf(session)).toEqual([["outer", [file]]]);
    expect(await Promise.all(logs.map(outsideOf))).toEqual([[["inner", []]], [["write", []]]]);
    expect(depths(events)).toEqual(["outer", "outer > inner"]);

    await session.rewind({ to: 1, scope: "both" });
    expect(existsSync(file)).toBe(false);
  });

  it("is ended with all below it when the turn is interrupted, and what a call had changed outside by then is kept", async () => {
    const { stage, file } = await staged(
      (path) => ({
        main: [{ calls: [agentCall("outer", "outer task")] }],
        subAgents: {
          "outer task": [{ calls: [agentCall("inner", "inner task")] }],
          "inner task": [{ calls: [write("write", path), sleep("sleep")] }],
        },
      }),
      { between: withoutResultOf("write") },
    );
    const { agent, session, events, workspace } = stage;
    const turn = agent.prompt("go");
    await until(() => (existsSync(file) && existsSync(join(workspace, "pid")) ? true : undefined));
    await agent.interrupt();
    expect(await turn).toMatchObject({ outcome: "interrupted" });
    const [, inner] = subSessions(events);
    const ends = (await linesOf(await viewOf(stage, inner))).filter((line) => line.startsWith("tool-end"));
    expect(ends.map((line) => line.slice(0, line.indexOf(":"))).sort()).toEqual([
      "tool-end sleep interrupted",
      "tool-end write interrupted",
    ]);
    expect(await outsideOf(session)).toEqual([["outer", [file]]]);

    await session.rewind({ to: 1, scope: "both" });
    expect(existsSync(file)).toBe(false);
  });
});

describeWithClaude("a reply of a sub-agent with several calls", () => {
  it("is one reply of one step, and comes before the start of every call", async () => {
    const { stage } = await staged(() => ({
      main: [{ calls: [agentCall("agent", "the task")] }, { text: "All done." }],
      subAgents: {
        "the task": [
          { text: "I begin.", calls: ["a", "b", "c", "d"].map((id) => bash(id, `echo ${id}`)) },
          { text: "Done." },
        ],
      },
    }));
    await stage.agent.prompt("go");
    const [sub] = subSessions(stage.events);
    const lines = await linesOf(await viewOf(stage, sub));
    expect(lines.slice(0, 4)).toEqual([
      ...["checkpoint 1 (prompt)", "prompt: the task", "step 2"],
      "reply: I begin. + Bash a + Bash b + Bash c + Bash d",
    ]);
    expect(lines.slice(4, -2).sort()).toEqual([
      ...["tool-end a ok: a", "tool-end b ok: b", "tool-end c ok: c", "tool-end d ok: d"],
      ...["tool-start a", "tool-start b", "tool-start c", "tool-start d"],
    ]);
    expect(lines.slice(-2)).toEqual(["step 3", "reply: Done."]);
  });

  it("is still one step, counted once, where the calls come far apart", async () => {
    const { stage } = await staged(
      () => ({
        main: [{ calls: [agentCall("agent", "the task")] }, { text: "All done." }],
        subAgents: { "the task": [{ calls: [bash("a", "echo a"), bash("b", "echo b")] }, { text: "Done." }] },
      }),
      { between: slowBefore("b") },
    );
    await stage.agent.prompt("go");
    const [sub] = subSessions(stage.events);
    const view = await viewOf(stage, sub);
    expect((await linesOf(view)).filter((line) => /^(?:step|reply)/u.test(line))).toEqual([
      ...["step 2", "reply: Bash a", "reply: Bash b", "step 3", "reply: Done."],
    ]);
    const inputs = (await view.entriesOf("reply")).map(({ usage }) => (usage?.input ?? 0) > 0);
    expect(inputs).toEqual([true, false, true]);
  });
});

/** A stage with a file outside its workspace, and a script that can name that file. */
async function staged(
  script: (file: string) => ClaudeScript,
  request: Partial<ClaudeStageOptions> = {},
): Promise<{ readonly stage: ClaudeStage; readonly file: string }> {
  let responder: Responder | undefined;
  let file = "";
  const stage = await claudeStage({
    person: { allow: async () => ({ answer: "once" }) },
    ...request,
    responder: (request, index) => {
      responder ??= claudeScript(script(file));
      return responder(request, index);
    },
  });
  file = join(dirname(stage.workspace), "outside.txt");
  return { stage, file };
}

function agentCall(id: string, prompt: string): ScriptedCall {
  return { id, name: "Agent", input: { description: "A task", prompt, subagent_type: "general-purpose" } };
}

function write(id: string, file: string): ScriptedCall {
  return { id, name: "Write", input: { file_path: file, content: "x\n" } };
}

function bash(id: string, command: string): ScriptedCall {
  return { id, name: "Bash", input: { command, description: "x" } };
}

function sleep(id: string): ScriptedCall {
  return bash(id, "echo $$ > pid; sleep 60");
}

/** The sessions of sub-agents, in the order in which events first mention them. */
function subSessions(events: readonly AgentEvent[]): readonly (SessionId | undefined)[] {
  return [...new Set(events.flatMap(sessionsIn))];
}

function sessionsIn(event: AgentEvent): readonly SessionId[] {
  return event.type === "sub-agent" ? [event.session, ...sessionsIn(event.event)] : [];
}

function depths(events: readonly AgentEvent[]): readonly string[] {
  const paths = events.map((event) => callsIn(event).join(" > "));
  return [...new Set(paths)].filter((path) => path !== "");
}

function callsIn(event: AgentEvent): readonly string[] {
  return event.type === "sub-agent" ? [event.call, ...callsIn(event.event)] : [];
}

async function viewOf(stage: ClaudeStage, id: SessionId | undefined): ReturnType<typeof viewSession> {
  return viewSession(stage.deps.store, id as SessionId);
}

type Log = Pick<ClaudeStage["session"], "entriesOf">;

/** Each result, with the files outside the workspace that it reports as changed. */
async function outsideOf(log: Log): Promise<readonly (readonly [string, readonly string[]])[]> {
  const ends = await log.entriesOf("tool-end");
  return ends.map(({ call, outside: changed = [] }) => [call, changed.map(({ path }) => path)]);
}

type Heard = (message: SdkMessage) => Promise<readonly SdkMessage[]>;

function between(heardBetween: Heard): (sdk: ClaudeSdk) => ClaudeSdk {
  return (sdk) => ({
    ...sdk,
    query: (asked) => {
      const query = sdk.query(asked);
      const messages = async function* (): AsyncGenerator<SdkMessage> {
        for await (const message of query) yield* await heardBetween(message);
      };
      return new Proxy(query, {
        get: (target, name) => {
          if (name === Symbol.asyncIterator) return messages;
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    },
  });
}

/** Drops a result, as if the process had ended between the tool's work and its result. */
function withoutResultOf(call: string): (sdk: ClaudeSdk) => ClaudeSdk {
  return between(async (message) => (resultsIn(message).includes(call) ? [] : [message]));
}

function resultsIn(message: SdkMessage): readonly string[] {
  if (message.type !== "user" || typeof message.message.content === "string") return [];
  return message.message.content.flatMap((block) =>
    block.type === "tool_result" ? [block.tool_use_id] : [],
  );
}

/** Delays a call, like a model that thinks for a long time before it. */
function slowBefore(call: string): (sdk: ClaudeSdk) => ClaudeSdk {
  return between(async (message) => {
    if (message.type === "assistant" && JSON.stringify(message.message.content).includes(`"id":"${call}"`)) {
      await setTimeout(1_000);
    }
    return [message];
  });
}
