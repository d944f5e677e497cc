import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { isLiving } from "../../../living.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { spoken } from "../../../support/claude/spoken.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { linesOf } from "./support/lines.ts";
import { heard, until } from "./support/until.ts";

const NEVER = new Promise<void>(() => undefined);

function bash(id: string, command: string): ScriptedReply {
  return { calls: [{ id, name: "Bash", input: { command, description: "A command" } }] };
}

describeWithClaude("an interrupt of the Claude Agent SDK's turn", () => {
  it("keeps what was said and ends what runs, and the next prompt goes on in the same process", async () => {
    const { agent, session, server, workspace } = await claudeStage({
      responder: scripted(
        { text: "Half of it is all.", hold: NEVER },
        bash("sleep", "echo $$ > pid; sleep 60; echo woke > woke"),
        { text: "Back again." },
      ),
    });
    const streaming = agent.prompt("talk");
    await heard(agent, ({ type }) => type === "text");
    await agent.interrupt();
    const cut = { outcome: "interrupted", error: { code: "CANCELLED", message: "The turn was interrupted." } };
    expect.soft(await streaming).toMatchObject({ ...cut, answer: "Half of i", steps: 1 });
    expect.soft(await linesOf(session)).toEqual([
      "checkpoint 1 (prompt)",
      "prompt: talk",
      "host 1",
      "step 2",
      "reply (interrupted): Half of i",
      "interrupt by person",
    ]);

    const sleeping = agent.prompt("sleep");
    const pid = await until(() => {
      const file = join(workspace, "pid");
      return existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined;
    });
    await agent.interrupt();
    expect.soft(await sleeping).toMatchObject({ ...cut, steps: 1 });
    expect.soft(isLiving(pid)).toBe(false);
    expect.soft(await linesOf(session, 6)).toEqual([]);

    const unsaid = agent.prompt("never mind");
    await agent.interrupt();
    expect.soft(await unsaid).toMatchObject({ ...cut, steps: 0 });
    expect.soft((await linesOf(session, 14))).toEqual([]);

    expect.soft(await agent.prompt("and now?")).toMatchObject({ outcome: "done", answer: "Back again." });
    expect.soft((await linesOf(session)).at(-1)).toBe("host 1");
    expect.soft(spoken(server.requests.at(-1) as never)).toEqual([]);
    expect.soft(existsSync(join(workspace, "woke"))).toBe(false);
  });
});
