import { describe, expect, it } from "vitest";
import { cutOf } from "../../../src/agent/compaction/compact-session.ts";
import { materialOf } from "../../../src/agent/compaction/material.ts";
import type { Session } from "../../../src/machine/session.ts";
import { textPart } from "../../../src/record/parts.ts";
import { begin, openSessionDeps, says, step } from "../../machine/deps.ts";

async function command(session: Session, id: string, told: "model" | "nobody"): Promise<void> {
  const call = `shell-${id.repeat(12)}`;
  await session.mark();
  await session.toolStart(call, "Shell", { input: { command: `run ${id}` } });
  const end = { kind: "tool-end", call, outcome: "ok", parts: [textPart(`printed by ${id}`)] } as const;
  const notice = { kind: "notice", text: `the person ran ${id}` } as const;
  await session.write((told === "model" ? [end, notice] : [end]).map((draft) => ({ draft })));
}

async function begun(): Promise<Session> {
  const session = await begin(openSessionDeps());
  await session.prompt("one");
  await step(session, "first");
  await command(session, "b", "nobody");
  await command(session, "a", "model");
  await session.prompt("two");
  await step(session, "second");
  return session;
}

describe("user commands, in a compaction", () => {
  it("are never separated from the notices to the model about them", async () => {
    const session = await begun();
    const cut = await cutOf(session, 1);
    expect(cut?.summarised.map(({ kind }) => kind)).toEqual(["prompt", "reply", "tool-end"]);
    expect(cut?.kept.map(({ kind }) => kind)).toEqual([
      ...["checkpoint", "tool-start", "tool-end", "notice"],
      ...["checkpoint", "prompt", "step", "reply"],
    ]);
    await session.compact({ summary: "It began.", keep: 1 });
    const told = await says(session);
    expect(told.filter((message) => message.includes("the person ran a"))).toHaveLength(1);
    expect(told.join()).not.toContain("printed by");
  });

  it("are summarized from the notices to the model about them, and nothing more", async () => {
    const session = await begun();
    await session.prompt("three");
    await step(session, "third");
    const cut = await cutOf(session, 1);
    const { text } = materialOf(cut?.summarised ?? [], 10_000);
    expect(text).toContain("[Notice to the agent]\n> the person ran a");
    expect(text).not.toContain("printed by");
  });
});
