import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { type ScriptedReply, scripted } from "../../../src/testing/model-server/script.ts";
import { aroundCaptures, Gate } from "./around-captures.ts";
import { HeldClock } from "./clocks.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";

const bash = (command: string) => ({ name: "Bash", input: { command } });
const FIRST_WAIT_MS = 60_000;
const LATER_WAIT_MS = 2_000;
const END_WAIT_MS = 10_000;

interface Slow extends Rehearsal {
  readonly clock: HeldClock;
  readonly gate: Gate;
}

/** Blocks every capture, starting with capture number `from`, until the test opens the gate. */
async function slowFrom(from: number, ...replies: readonly ScriptedReply[]): Promise<Slow> {
  const gate = new Gate();
  const clock = new HeldClock();
  const around = aroundCaptures(async (number) => {
    if (number >= from) await gate.passed;
  });
  const rehearsal = await rehearse(scripted(...replies), { clock, around });
  // Registered last so that it runs before the agent is closed: closing waits for captures.
  onTestFinished(() => gate.open());
  return { ...rehearsal, clock, gate };
}

function isEndOfTool(event: AgentEvent): boolean {
  return event.type === "entry" && event.entry.kind === "tool-end";
}

/** Ends every wait shortly after it begins. */
function letTimePass({ clock }: Slow): void {
  const timer = setInterval(() => clock.pass(), 5);
  onTestFinished(() => clearInterval(timer));
}

function warningsOf({ events }: Rehearsal): readonly string[] {
  return events.flatMap((event) => (event.type === "warning" ? [event.code] : []));
}

describe("the first capture of a workspace, when it is slow", () => {
  it("holds a command up until it is done, and that is shown", async () => {
    const slow = await slowFrom(1, { calls: [bash("echo ran > ran.txt")] }, { text: "done" });
    const { agent, gate, clock, read, events } = slow;
    const seen: (string | undefined)[] = [];
    agent.on((event) => {
      if (event.type !== "doing" || event.doing.what !== "waiting-for-capture") return;
      seen.push(read("ran.txt"));
      setImmediate(() => gate.open());
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "done" });
    expect(seen).toEqual([undefined]);
    expect(clock.waits[0]).toBe(FIRST_WAIT_MS);
    expect(warningsOf(slow)).toEqual([]);
    expect(events.some(isEndOfTool)).toBe(true);
  });

  it("holds the first command up no longer than that, says so, and later ones for two seconds", async () => {
    const slow = await slowFrom(
      1,
      { calls: [bash("echo one >> ran.txt"), bash("echo two >> ran.txt")] },
      { text: "done" },
    );
    letTimePass(slow);
    const { agent, clock, read } = slow;
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(read("ran.txt")).toBe("one\ntwo\n");
    expect(clock.waits).toEqual([FIRST_WAIT_MS, LATER_WAIT_MS, END_WAIT_MS]);
    expect(warningsOf(slow)).toEqual(["SNAPSHOT_SLOW", "SNAPSHOT_SLOW"]);
  });

  it("blocks nothing any longer once the user says so", async () => {
    const slow = await slowFrom(1, { calls: [bash("echo one >> ran.txt")] }, { text: "done" });
    const { agent, read, events, gate } = slow;
    agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "waiting-for-capture")
        setImmediate(() => agent.skipCaptureWait());
      if (isEndOfTool(event)) gate.open();
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(read("ran.txt")).toBe("one\n");
    expect(events.filter(({ type }) => type === "warning")).toEqual([
      {
        type: "warning",
        code: "SNAPSHOT_SLOW",
        message:
          "The first capture of the workspace has not finished. The tool is running without waiting for it, as you chose.",
        hint: "You may not be able to undo changes that the tool makes before the capture finishes.",
        reason: "capture-not-waited-for",
        params: {},
      },
    ]);
  });

  it("also holds up a user command, and an interrupt ends the wait before it began", async () => {
    const slow = await slowFrom(1);
    const { agent, read } = slow;
    agent.on((event) => {
      if (event.type === "doing" && event.doing.what === "waiting-for-capture") void agent.interrupt();
    });
    expect(await agent.run("echo one > ran.txt", "model")).toEqual({ outcome: "interrupted", checkpoint: 1 });
    expect([read("ran.txt"), warningsOf(slow)]).toEqual([undefined, []]);
  });

  it("delays a write like a command, because no snapshot has what it overwrites, but never a tool that only reads", async () => {
    const slow = await slowFrom(
      1,
      { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
      { calls: [{ name: "Write", input: { file_path: "b.txt", content: "b" } }] },
      { text: "done" },
    );
    letTimePass(slow);
    const { agent, clock, write, read } = slow;
    write("a.txt", "a\n");
    const waitsAtEnds: number[][] = [];
    agent.on((event) => {
      if (isEndOfTool(event)) waitsAtEnds.push([...clock.waits]);
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(waitsAtEnds).toEqual([[], [FIRST_WAIT_MS]]);
    expect(read("b.txt")).toBe("b");
  });
});

describe("a later capture, when it is slow", () => {
  it("holds a command up for two seconds at most", async () => {
    const slow = await slowFrom(
      3,
      { calls: [bash("echo one >> ran.txt")] },
      { calls: [bash("echo two >> ran.txt")] },
      { text: "done" },
    );
    letTimePass(slow);
    expect(await slow.agent.prompt("go")).toMatchObject({ outcome: "done" });
    expect(slow.read("ran.txt")).toBe("one\ntwo\n");
    expect(slow.clock.waits.slice(-2)).toEqual([LATER_WAIT_MS, END_WAIT_MS]);
  });

  it("is reported for a command that ran without it: earlier changes may be among its changes", async () => {
    // The first capture belongs to the prompt, the second to the step; the third comes before the command.
    const slow = await slowFrom(3, { calls: [bash("echo one > ran.txt")] }, { text: "done" });
    letTimePass(slow);
    const { agent, session, gate } = slow;
    agent.on((event) => {
      if (event.type !== "entry" || event.entry.kind !== "snapshot") return;
      if (event.entry.checkpoint === 2) slow.write("mine.txt", "by hand");
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done" });
    gate.open();
    // Captures take turns, so once this one is done all earlier ones are in the log.
    await session.checkpoint();
    const [interval] = await session.entriesOf("interval");
    expect(interval).toMatchObject({
      author: "timeline",
      during: [{ about: "echo one > ran.txt", looked: "late" }],
    });
    const { during } = await session.previewFiles({ to: 1 });
    expect(during.map(({ path }) => path)).toEqual(["mine.txt", "ran.txt"]);
  });
});

describe("a capture that fails", () => {
  it("is shown, the turn continues, and the next capture looks at everything", async () => {
    const looks: unknown[] = [];
    const around = aroundCaptures(async (number, { look }) => {
      looks.push(look);
      if (number === 2) throw new Error("the disk is on fire");
    });
    const write = (path: string) => ({
      calls: [{ name: "Write", input: { file_path: path, content: "x" } }],
    });
    const rehearsal = await rehearse(scripted(write("a.txt"), write("b.txt"), { text: "done" }), { around });
    const { agent, events, session } = rehearsal;
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", answer: "done" });
    expect(events.filter(({ type }) => type === "warning")).toEqual([
      {
        type: "warning",
        code: "SNAPSHOT_FAILED",
        message: "The files for checkpoint 2 were not captured: the disk is on fire",
        reason: "capture-failed",
        params: { checkpoint: 2, problem: "the disk is on fire" },
      },
    ]);
    expect([looks[0], looks[2]]).toEqual(["everything", "everything"]);
    const states = (await session.history()).flatMap((entry) =>
      entry.kind === "snapshot" ? [[entry.checkpoint, entry.state]] : [],
    );
    expect(states).toEqual([
      [1, "complete"],
      [2, "none"],
      [3, "complete"],
      [4, "complete"],
    ]);
  });
});
