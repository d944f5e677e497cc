import { describe, expect, it } from "vitest";
import type { Session } from "../../src/machine/session.ts";
import { textPart } from "../../src/record/parts.ts";
import { begin, openSessionDeps, reopen, step } from "./deps.ts";

async function command(session: Session, text: string): Promise<void> {
  await session.mark();
  await session.toolStart("shell-0123456789ab", "Shell", { input: { command: text } });
  await session.toolEnd("shell-0123456789ab", "ok", [textPart("done")]);
}

describe("a checkpoint before a user command", () => {
  it("is listed with how the command begins", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await command(session, `npm test &&\n  echo ${"x".repeat(100)}`);
    await session.checkpoint("kept");
    await session.prompt("go");
    await step(session, "on", "a");
    const again = await reopen(deps, session);
    const listed = (await again.checkpoints()).map(({ number, on, prompt, command: run, label }) => [
      number,
      on,
      run ?? prompt ?? label,
    ]);
    expect(listed).toEqual([
      [1, "command", `npm test && echo ${"x".repeat(63)}`],
      [2, "manual", "kept"],
      [3, "prompt", "go"],
      [4, "step", "go"],
    ]);
    expect(deps.published.at(-1)?.at(-1)?.description).toBe(`! npm test && echo ${"x".repeat(63)}`);
  });
});
