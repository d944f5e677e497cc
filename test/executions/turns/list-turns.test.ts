import { describe, expect, it } from "vitest";
import { listTurns } from "../../../src/executions/turns/list-turns.ts";
import type { Draft } from "../../../src/record/entry.ts";
import { toCheckpointNumber } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { agentSession, callingStep, memoryDeps, replyingStep } from "./told-turns.ts";

describe("the list of turns", () => {
  it("tells each turn, newest first, over all sessions of a workspace", async () => {
    const deps = memoryDeps();
    const { session } = await agentSession(deps);
    await session.prompt("one");
    await replyingStep(session, "Done.");
    await deps.clock.wait(1000);
    const { session: other } = await agentSession(deps);
    await other.prompt("two");
    await callingStep(other, { Edit: "ok" });
    await deps.clock.wait(1000);
    await session.prompt("three");
    await callingStep(session, { Bash: "error" });
    await other.close();
    const turns = await listTurns(deps.store, { workspace: "/work", limit: 10 });
    expect(turns.map(({ last, ...rest }) => ({ ...rest, last: last?.name }))).toEqual([
      {
        id: `turn-${session.id}-3`,
        scope: session.id,
        kind: "turn",
        session: session.id,
        workspace: "/work",
        title: "three",
        status: "running",
        steps: 1,
        last: "Bash",
        used: Date.UTC(2026, 0, 1, 0, 0, 2),
      },
      {
        id: `turn-${other.id}-1`,
        scope: other.id,
        kind: "turn",
        session: other.id,
        workspace: "/work",
        title: "two",
        status: "interrupted",
        steps: 1,
        last: "Edit",
        used: Date.UTC(2026, 0, 1, 0, 0, 1),
      },
      {
        id: `turn-${session.id}-1`,
        scope: session.id,
        kind: "turn",
        session: session.id,
        workspace: "/work",
        title: "one",
        status: "done",
        steps: 1,
        last: "reply",
        used: Date.UTC(2026, 0, 1),
      },
    ]);
    const next = await listTurns(deps.store, { limit: 10, before: Date.UTC(2026, 0, 1, 0, 0, 1) });
    expect(next.map(({ title }) => title)).toEqual(["one"]);
    expect(await listTurns(deps.store, { workspace: "/elsewhere", limit: 10 })).toEqual([]);
  });

  it("takes one that is held on another machine for running", async () => {
    const { deps, session } = await agentSession();
    await session.prompt("go");
    await callingStep(session, { Edit: "ok" });
    const statuses = [];
    for (const life of ["living", "elsewhere", "dead"] as const) {
      const store = { ...deps.store, holder: async () => ({ life }) };
      statuses.push((await listTurns(store, { limit: 1 }))[0]?.status);
    }
    expect(statuses).toEqual(["running", "running", "interrupted"]);
  });

  it("says running only of the newest turn, while a program that had it at that time still has the session", async () => {
    const { deps, session } = await agentSession();
    await session.prompt("cut while the model answered");
    await session.step();
    await session.prompt("went on with what was said meanwhile");
    await callingStep(session, { Edit: "ok" });
    await session.prompt("said meanwhile");
    await replyingStep(session, "Done.");
    await session.prompt("stopped at once");
    await session.interrupt("person");
    await session.prompt("failed before its first step");
    await session.append({ kind: "error", code: "MODEL_BUSY", message: "Overloaded" });
    await session.prompt("denied");
    await callingStep(session, { Bash: "denied" });
    await session.interrupt("person");
    await session.prompt("answered");
    await callingStep(session, { Bash: "error" });
    await replyingStep(session, "Done.");
    await session.prompt("at work");
    await callingStep(session, { Edit: "ok", Bash: "error" });
    const told = async (store = deps.store) =>
      (await listTurns(store, { limit: 9 })).map(({ title, status }) => `${title}: ${status}`);
    expect(await told()).toEqual([
      "at work: running",
      "answered: done",
      "denied: interrupted",
      "failed before its first step: failed",
      "stopped at once: interrupted",
      "said meanwhile: done",
      "went on with what was said meanwhile: done",
      "cut while the model answered: interrupted",
    ]);
    // The session's holder was started later and has not resumed this turn, so nothing is running it.
    const since = new Date(Date.UTC(2027, 0, 1)).toISOString();
    const owner = { pid: 1, started: "", boot: "", host: "", name: "", token: "", since };
    const opened = { ...deps.store, holder: async () => ({ life: "living" as const, owner }) };
    expect((await told(opened))[0]).toBe("at work: interrupted");
    const turn = session.outline.highestNumber;
    await session.rewind(turn);
    expect((await told())[0]).toBe("at work: interrupted");
    await session.rewind(1);
    expect((await told())[0]).toBe("at work: interrupted");
    await session.close();
  });

  it("reads no more of a long session than its page", async () => {
    const { deps, session } = await agentSession();
    const drafts: { readonly draft: Draft }[] = [];
    for (let number = 1; number <= 20_000; number += 2) {
      const place = toCheckpointNumber(number);
      drafts.push(
        { draft: { kind: "checkpoint", number: place, on: "prompt" } },
        { draft: { kind: "prompt", parts: [textPart(`turn ${number}`)] } },
        { draft: { kind: "step", number: toCheckpointNumber(number + 1) } },
        { draft: { kind: "reply", model: "scripted", parts: [textPart("Done.")] } },
      );
    }
    await session.write(drafts);
    let lines = 0;
    const store = {
      ...deps.store,
      read: async (...asked: Parameters<typeof deps.store.read>) => {
        const entries = await deps.store.read(...asked);
        lines += entries.length;
        return entries;
      },
    };
    const turns = await listTurns(store, { limit: 3 });
    expect(turns.map(({ title }) => title)).toEqual(["turn 19999", "turn 19997", "turn 19995"]);
    expect(lines).toBeLessThan(20);
  });
});
