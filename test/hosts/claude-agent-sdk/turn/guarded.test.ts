import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ClaudeSdk, SdkHook, SdkOptions } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import type { PermissionRequest } from "../../../../src/ports/person.ts";
import { type Responder, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";

/** A script that is built from the stage on which it is played. */
function onStage(script: (stage: ClaudeStage) => readonly ScriptedReply[]): {
  readonly responder: Responder;
  readonly begin: (stage: ClaudeStage) => ClaudeStage;
} {
  let play: Responder = () => ({ text: "Too early." });
  return {
    responder: (request, index) => play(request, index),
    begin: (stage) => {
      play = scripted(...script(stage));
      return stage;
    },
  };
}

/** Changes the options with which every SDK process is started. */
const startedWith =
  (change: (options: SdkOptions, sdk: ClaudeSdk) => Partial<SdkOptions>) =>
  (sdk: ClaudeSdk): ClaudeSdk => ({
    ...sdk,
    query: ({ prompt, options }) => sdk.query({ prompt, options: { ...options, ...change(options, sdk) } }),
  });

/** Replaces the hooks by one that answers late: when several hooks answer, the SDK follows the last. */
function answeringLast({ hooks }: SdkOptions): Partial<SdkOptions> {
  const late: SdkHook = async (...heard) => {
    const answers = await Promise.all([
      ...(hooks?.PreToolUse ?? []).flatMap((matcher) => matcher.hooks.map((hook) => hook(...heard))),
      setTimeout(500, {}),
    ]);
    return answers[0];
  };
  return { settingSources: ["user"], hooks: { ...hooks, PreToolUse: [{ hooks: [late] }] } };
}

const bash = (id: string, command: string): ScriptedReply => ({
  calls: [{ id, name: "Bash", input: { command, description: "x" } }],
});

const OTHERS = "projects/-another/another/tool-results/x.txt";

describeWithClaude("a call with special rules in Claude Code", () => {
  it("is asked about once, if the user allows it for the session, until that is revoked", async () => {
    const asked: PermissionRequest[] = [];
    const { responder, begin } = onStage(({ workspace }) => {
      const write = (id: string): ScriptedReply => {
        const file_path = join(workspace, ".claude/commands", `${id}.md`);
        return { calls: [{ id, name: "Write", input: { file_path, content: id } }] };
      };
      return [write("w1"), write("w2"), { text: "Written." }, write("w3"), { text: "Again." }];
    });
    const stage = await claudeStage({
      responder,
      person: {
        allow: async (request) => {
          asked.push(request);
          return { answer: "session", rule: request.rule };
        },
      },
    });
    const { agent, session, read } = begin(stage);
    expect(await agent.prompt("write them")).toMatchObject({ answer: "Written." });
    expect(asked.map(({ call, rule }) => [call, rule])).toEqual([["w1", "Edit(.claude/commands/**)"]]);
    expect([read(".claude/commands/w1.md"), read(".claude/commands/w2.md")]).toEqual(["w1", "w2"]);
    const entries = await session.history();
    const told = entries.flatMap((entry) => {
      if (entry.kind === "tool-start") return [`start ${entry.call}`];
      if (entry.kind === "tool-end") return [`end ${entry.call} ${entry.outcome}`];
      return entry.kind === "host" && entry.granted !== undefined ? [entry.granted] : [];
    });
    expect(told).toEqual(["start w1", "Edit(.claude/commands/**)", "end w1 ok", "start w2", "end w2 ok"]);
    await session.rewind(1);
    await agent.prompt("once more");
    expect(asked.map(({ call }) => call)).toEqual(["w1", "w3"]);
  });

  it("is asked about, and logged, as a user's hook has changed it", async () => {
    const asked: PermissionRequest[] = [];
    const stage = await claudeStage({
      mode: "manual",
      between: startedWith(answeringLast),
      responder: scripted(bash("c1", "touch asked"), { text: "Done." }),
      person: {
        allow: async (request) => {
          asked.push(request);
          return { answer: "once" };
        },
      },
    });
    const { agent, session, config } = stage;
    const input = { command: "touch changed", description: "x" };
    const said = { hookEventName: "PreToolUse", permissionDecision: "ask", updatedInput: input };
    const hook = join(config, "hook.json");
    writeFileSync(hook, JSON.stringify({ hookSpecificOutput: said }));
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: `cat ${hook}` }] }] };
    writeFileSync(join(config, "settings.json"), JSON.stringify({ hooks }));
    await agent.prompt("touch it");
    expect(asked).toMatchObject([{ call: "c1", input, rule: "Bash(touch changed)" }]);
    const entries = await session.history();
    expect(entries.flatMap((entry) => (entry.kind === "tool-start" ? [entry.input] : []))).toEqual([input]);
  });

  it("does not read unasked what was kept for other sessions", async () => {
    const asked: string[] = [];
    const { responder, begin } = onStage(({ config }) => [
      { calls: [{ id: "r1", name: "Read", input: { file_path: join(config, OTHERS) } }] },
      { text: "Read." },
    ]);
    const stage = await claudeStage({
      responder,
      person: {
        allow: async ({ call }) => {
          asked.push(call);
          return { answer: "no", reason: "not yours" };
        },
      },
    });
    const { agent, session, config } = begin(stage);
    mkdirSync(join(config, OTHERS, ".."), { recursive: true });
    writeFileSync(join(config, OTHERS), "a secret");
    await agent.prompt("look");
    expect(asked).toEqual(["r1"]);
    expect((await linesOf(session)).find((line) => line.startsWith("tool-end"))).toBe(
      "tool-end r1 denied: Denied: not yours",
    );
  });

  it("is another one where its id came before in the turn", async () => {
    const { agent, session, read } = await claudeStage({
      between: slowly(100),
      responder: scripted(bash("same", "echo 1 >> x.txt"), bash("same", "echo 2 >> x.txt"), {
        text: "Done.",
      }),
    });
    expect(await agent.prompt("count")).toMatchObject({ outcome: "done", answer: "Done." });
    expect(read("x.txt")).toBe("1\n2\n");
    expect((await linesOf(session)).filter((line) => line.startsWith("tool-"))).toEqual([
      "tool-start same",
      "tool-end same ok: (Bash completed with no output)",
      "tool-start same",
      "tool-end same ok: (Bash completed with no output)",
    ]);
  });

  it("is not our Backtrack if a user's server has our name", async () => {
    const { agent, session } = await claudeStage({
      backtrack: "off",
      rules: { deny: ["mcp__worldline"] },
      between: startedWith((_options, sdk) => {
        const tool = sdk.tool("Backtrack", "Not ours.", {}, async () => ({ content: [] }));
        return { mcpServers: { worldline: sdk.createSdkMcpServer({ name: "worldline", tools: [tool] }) } };
      }),
      responder: scripted(
        { calls: [{ id: "c1", name: "mcp__worldline__Backtrack", input: {} }] },
        { text: "So be it." },
      ),
    });
    await agent.prompt("go");
    expect((await linesOf(session, 4)).slice(0, 2)).toEqual([
      "reply: mcp__worldline__Backtrack c1",
      "tool-end c1 denied: Denied: it is denied by the rule mcp__worldline",
    ]);
  });
});

/** Delays the SDK's messages, so that hooks run before the messages that they belong to arrive. */
function slowly(milliseconds: number): (sdk: ClaudeSdk) => ClaudeSdk {
  return (sdk) => ({
    ...sdk,
    query: (asked) => {
      const query = sdk.query(asked);
      return new Proxy(query, {
        get: (target, name) => {
          if (name === Symbol.asyncIterator) return () => delayed(query, milliseconds);
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  });
}

async function* delayed<Message>(
  messages: AsyncIterable<Message>,
  milliseconds: number,
): AsyncGenerator<Message> {
  for await (const message of messages) {
    await setTimeout(milliseconds);
    yield message;
  }
}
