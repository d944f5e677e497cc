import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scripted } from "../../../../src/testing/testing.ts";
import { isLiving } from "../../../living.ts";
import { processesOf } from "../../../support/claude/claude-place.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./lines.ts";
import { heard, until } from "./until.ts";

const NEVER = new Promise<void>(() => undefined);
const SLEEP = { command: "echo $$ > pid; sleep 60; echo woke > woke", description: "Sleeps" };
const TOUCH = { command: "touch woke", description: "Touches" };
const CUT = { outcome: "interrupted", error: { code: "CANCELLED", message: "The turn was interrupted." } };

describeWithClaude("an interrupt of the Claude Agent SDK's turn", () => {
  it("keeps the reply so far and ends what runs, and the next prompt continues in the same process", async () => {
    const { agent, session, server, workspace, config } = await claudeStage({
      rules: { ask: ["Bash(touch:*)"] },
      person: {
        allow: async (_request, signal) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve({ answer: "no", reason: "interrupted" }));
          }),
      },
      responder: scripted(
        { text: "Half of it is all.", hold: NEVER },
        { calls: [{ id: "sleep", name: "Bash", input: SLEEP }] },
        { calls: [{ id: "touch", name: "Bash", input: TOUCH }] },
        { text: "Back again." },
      ),
    });
    const unsaid = agent.prompt("never mind");
    await agent.interrupt();
    expect(await unsaid).toMatchObject({ ...CUT, steps: 0 });
    expect(processesOf(config)).toEqual([]);

    const streaming = agent.prompt("talk");
    await heard(agent, ({ type }) => type === "text");
    await agent.interrupt();
    expect(await streaming).toMatchObject({ ...CUT, answer: "Half of i", steps: 1 });
    const processes = processesOf(config);

    const sleeping = agent.prompt("sleep");
    const pid = await until(() => {
      const file = join(workspace, "pid");
      return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
    });
    await agent.interrupt();
    expect(await sleeping).toMatchObject({ ...CUT, steps: 1 });
    expect(isLiving(pid)).toBe(false);

    const asking = agent.prompt("touch");
    await heard(agent, (event) => event.type === "doing" && event.doing.what === "asking");
    await agent.interrupt();
    expect(await asking).toMatchObject({ ...CUT, steps: 1 });

    expect(await agent.prompt("and now?")).toMatchObject({ outcome: "done", answer: "Back again." });
    expect([processes.length, processesOf(config)]).toEqual([1, processes]);
    expect(existsSync(join(workspace, "woke"))).toBe(false);
    expect(await linesOf(session)).toEqual([
      ...["checkpoint 1 (prompt)", "prompt: never mind", "host 1", "interrupt by person"],
      ...["checkpoint 2 (prompt)", "prompt: talk", "host 2", "step 3"],
      ...["reply (interrupted): Half of i", "host 2", "interrupt by person"],
      ...[
        "checkpoint 4 (prompt)",
        "prompt: sleep",
        "host 2",
        "step 5",
        "reply: Bash sleep",
        "tool-start sleep",
      ],
      "tool-end sleep interrupted: Interrupted; it is not known whether it took effect.",
      ...["host 2", "interrupt by person", "checkpoint 6 (manual)"],
      ...["checkpoint 7 (prompt)", "prompt: touch", "host 2", "step 8", "reply: Bash touch"],
      "tool-end touch interrupted: Not started: the turn was interrupted first.",
      ...["host 2", "interrupt by person"],
      ...["checkpoint 9 (prompt)", "prompt: and now?", "host 2", "step 10", "reply: Back again.", "host 2"],
    ]);
    const { tag } = session.header;
    const interrupted = `<system-${tag}>The person interrupted the turn here.</system-${tag}>`;
    expect(server.requests.map(spoken).at(-1)).toEqual([
      { role: "user", text: ["never mind", interrupted, "talk"] },
      { role: "assistant", text: ["Half of i"] },
      { role: "user", text: ["[Request interrupted by user]", interrupted, "sleep"] },
      { role: "assistant", calls: [{ name: "Bash", input: SLEEP }] },
      {
        role: "user",
        results: [{ text: expect.stringContaining("stopped while running"), isError: true }],
        text: ["[Request interrupted by user for tool use]", interrupted, "touch"],
      },
      { role: "assistant", calls: [{ name: "Bash", input: TOUCH }] },
      {
        role: "user",
        results: [{ text: expect.any(String), isError: true }],
        text: ["[Request interrupted by user for tool use]", interrupted, "and now?"],
      },
    ]);
  });
});
