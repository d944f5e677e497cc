import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realDisk } from "../../../../src/disk/disk.ts";
import type { ClaudeSdk, SdkMessage } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { FailingDisk, scripted } from "../../../../src/testing/testing.ts";
import { HurriedClock } from "../../../agent/recovery/clocks.ts";
import { isLiving } from "../../../living.ts";
import { isOfSdk, processesOf } from "../../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";
import { heard, until } from "./until.ts";

const SLEEP = { command: "echo $$ > pid; sleep 60; echo woke > woke", description: "Sleeps" };
const TOUCH = { command: "touch ran", description: "Touches" };

/** Inserts extra messages before each message of the SDK. */
function babbling(sdk: ClaudeSdk, words: readonly unknown[]): ClaudeSdk {
  return {
    ...sdk,
    query: (asked) => {
      const query = sdk.query(asked);
      async function* all(): AsyncGenerator<SdkMessage> {
        for await (const message of query) {
          yield* words as readonly SdkMessage[];
          yield message;
        }
      }
      return new Proxy(query, {
        get: (target, name) => {
          if (name === Symbol.asyncIterator) return all;
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
}

describeWithClaude("a process of the Claude Agent SDK", () => {
  it("that is killed fails the turn, and the next prompt has everything in a new one", async () => {
    const { agent, session, server, config } = await claudeStage({
      responder: scripted(
        { text: "Hello." },
        { text: "I was about to say", hold: new Promise(() => undefined) },
        { text: "Again." },
      ),
    });
    await agent.prompt("hello");
    const cut = agent.prompt("tell me");
    await heard(agent, ({ type }) => type === "text");
    for (const pid of processesOf(config)) process.kill(pid, "SIGKILL");
    expect(await cut).toMatchObject({
      outcome: "failed",
      answer: "I was abo",
      error: { code: "MODEL_FAILED", message: "Claude Code was killed by SIGKILL." },
    });
    expect(await linesOf(session, 6)).toEqual([
      "checkpoint 3 (prompt)",
      "prompt: tell me",
      "host 1",
      "step 4",
      "reply (interrupted): I was abo",
      "error MODEL_FAILED",
    ]);
    expect(await agent.prompt("what was it?")).toMatchObject({ outcome: "done", answer: "Again." });
    expect(await linesOf(session, 12)).toEqual([
      "checkpoint 5 (prompt)",
      "prompt: what was it?",
      expect.stringMatching(/^host [12]$/u),
      "step 6",
      "reply: Again.",
      expect.stringMatching(/^host [12]$/u),
    ]);
    // The SDK may or may not have recorded the prompt; if it has not, the prompt is sent again.
    const heardNow = server.requests.map(spoken).at(-1) ?? [];
    expect(heardNow.slice(0, 2)).toEqual([
      { role: "user", text: ["hello"] },
      { role: "assistant", text: ["Hello."] },
    ]);
    expect(heardNow.at(-1)?.text?.at(-1)).toBe("what was it?");
    expect(JSON.stringify(heardNow).match(/tell me|I was abo/gu)).toEqual(["tell me", "I was abo"]);
  });

  it("that is killed takes with it what its tools run", async () => {
    const { agent, session, config, workspace } = await claudeStage({
      responder: scripted({ calls: [{ id: "sleep", name: "Bash", input: SLEEP }] }, { text: "Awake." }),
    });
    const turn = agent.prompt("sleep");
    const pid = await until(() => {
      const file = join(workspace, "pid");
      return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
    });
    for (const each of processesOf(config)) if (isOfSdk(each)) process.kill(each, "SIGKILL");
    expect(await turn).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
    expect([isLiving(pid), existsSync(join(workspace, "woke"))]).toEqual([false, false]);
    expect(await linesOf(session, 4)).toEqual([
      "reply: Bash sleep",
      "tool-start sleep",
      "tool-end sleep interrupted: Interrupted; it is not known whether it took effect.",
      "error MODEL_FAILED",
      "checkpoint 3 (manual)",
    ]);
    expect(await agent.prompt("and?")).toMatchObject({ outcome: "done", answer: "Awake." });
  });

  it("does not run a tool whose start our store could not write", async () => {
    const disk = new FailingDisk(realDisk);
    const { agent, session, server, workspace } = await claudeStage({
      disk,
      clock: new HurriedClock(),
      responder: scripted(
        { calls: [{ id: "touch", name: "Bash", input: TOUCH }] },
        { text: "There is room again." },
      ),
    });
    const stop = agent.on((event) => {
      if (event.type !== "entry" || event.entry.kind !== "reply") return;
      disk.faults = ({ name }) => (name === "write" ? { errno: "ENOSPC", partial: 7 } : undefined);
      stop();
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "failed", error: { code: "STORE_FULL" } });
    expect(existsSync(join(workspace, "ran"))).toBe(false);
    disk.faults = () => undefined;
    expect(await agent.prompt("go on")).toMatchObject({ outcome: "done", answer: "There is room again." });
    const unwritten = "Not started: its start could not be written to the session's log.";
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: go",
      "host 1",
      "step 2",
      "reply: Bash touch",
      "tool-start touch",
      `tool-end touch denied: ${unwritten}`,
      "host 1",
      "checkpoint 3 (prompt)",
      "prompt: go on",
      "host 1",
      "step 4",
      "reply: There is room again.",
      "host 1",
    ]);
    expect(server.requests.map(spoken)).toEqual([
      [{ role: "user", text: ["go"] }],
      [
        { role: "user", text: ["go"] },
        { role: "assistant", calls: [{ name: "Bash", input: TOUCH }] },
        {
          role: "user",
          results: [{ text: `PreToolUse:Bash hook error: ${unwritten}`, isError: true }],
          text: ["go on"],
        },
      ],
    ]);
  });

  it("may send unknown messages", async () => {
    const words = [
      { type: "of another year", anything: [1] },
      { type: "system", subtype: "new_kind" },
      { type: "stream_event", parent_tool_use_id: null, event: { type: "new_event" } },
      { type: "stream_event", parent_tool_use_id: null },
      { type: "assistant", parent_tool_use_id: null, uuid: "x" },
      { type: "user", parent_tool_use_id: null, message: { content: [{ type: "new_block" }] } },
      { type: "user" },
      {},
    ];
    const { agent, session } = await claudeStage({
      between: (sdk) => babbling(sdk, words),
      responder: scripted({ text: "All the same." }),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "All the same." });
    expect(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: go",
      "host 1",
      "step 2",
      "reply: All the same.",
      "host 1",
    ]);
  });
});
