import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realDisk } from "../../../../src/disk/real-disk.ts";
import type { ClaudeSdk, SdkMessage } from "../../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";
import { FailingDisk, scripted } from "../../../../src/testing/testing.ts";
import { processesOf } from "../../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./support/lines.ts";
import { heard } from "./support/until.ts";

/** Says things beside what the SDK says. */
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
    expect.soft(await cut).toEqual({});
    expect.soft(await linesOf(session, 6)).toEqual([]);
    expect.soft(await agent.prompt("what was it?")).toMatchObject({ outcome: "done", answer: "Again." });
    expect.soft(await linesOf(session, 11)).toEqual([]);
    expect.soft(spoken(server.requests.at(-1) as never)).toEqual([]);
  });

  it("does not run a tool whose start our store could not write", async () => {
    const disk = new FailingDisk(realDisk);
    const { agent, session, server, workspace } = await claudeStage({
      disk,
      responder: scripted(
        { calls: [{ id: "touch", name: "Bash", input: { command: "touch ran", description: "Touches" } }] },
        { text: "There is room again." },
      ),
    });
    const stop = agent.on((event) => {
      if (event.type !== "entry" || event.entry.kind !== "reply") return;
      disk.faults = ({ name }) => (name === "write" ? { errno: "ENOSPC", partial: 7 } : undefined);
      stop();
    });
    expect.soft(await agent.prompt("go")).toMatchObject({ outcome: "failed", error: { code: "STORE_FULL" } });
    expect.soft(existsSync(join(workspace, "ran"))).toBe(false);
    disk.faults = () => undefined;
    expect.soft(await agent.prompt("go on")).toMatchObject({ outcome: "done", answer: "There is room again." });
    expect.soft(await linesOf(session)).toEqual([]);
    expect.soft(spoken(server.requests.at(-1) as never)).toEqual([]);
  });

  it("may say what nobody knows", async () => {
    const words = [
      { type: "of another year", anything: [1] },
      { type: "system", subtype: "new_kind" },
      { type: "stream_event", parent_tool_use_id: null, event: { type: "new_event" } },
      { type: "stream_event", parent_tool_use_id: null },
      { type: "assistant", parent_tool_use_id: null, uuid: "x" },
      { type: "user", parent_tool_use_id: null, message: { content: [{ type: "new_block" }] } },
      { type: "user" },
      {},
      null,
    ];
    const { agent, session } = await claudeStage({
      between: (sdk) => babbling(sdk, words),
      responder: scripted({ text: "All the same." }),
    });
    expect.soft(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "All the same." });
    expect.soft(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: go",
      "host 1",
      "step 2",
      "reply: All the same.",
      "host 1",
    ]);
  });
});
