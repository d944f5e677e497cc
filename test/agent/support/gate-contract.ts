import { expect, it } from "vitest";
import { TurnGate } from "../../../src/agent/agent-context.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Agent } from "../../../src/ports/agent.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { Responder } from "../../../src/testing/model-server/script.ts";
import { scripted } from "../../../src/testing/testing.ts";

interface Staged {
  readonly agent: Agent;
  readonly session: Session;
  readonly events: readonly AgentEvent[];
  again(): Promise<Staged>;
}

export type OpenStage = (request: {
  readonly responder: Responder;
  readonly gate: TurnGate;
}) => Promise<Staged>;

const NEVER = new Promise<void>(() => undefined);
const BUSY = { code: "TURN_RUNNING", hint: "Wait for it to finish, or interrupt it first." };

async function begun(agent: Agent, is: (event: AgentEvent) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = agent.on((event) => {
      if (!is(event)) return;
      resolve();
      stop();
    });
  });
}

const isText = ({ type }: AgentEvent): boolean => type === "text";

/**
 * The contract of every agent's gate: it lets one operation run at a time, of whatever kind. Call it inside a
 * `describe`.
 */
export function gateContract(open: OpenStage): void {
  it("refuses any other work while a turn runs, and lets the turn continue", async () => {
    const gate = new TurnGate();
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    const { agent, session } = await open({
      responder: scripted({ text: "One is enough.", hold }, { text: "Two." }),
      gate,
    });
    const turn = agent.prompt("one");
    expect(agent.busy).toBe("turn");
    await expect(agent.prompt("two")).rejects.toMatchObject(BUSY);
    await begun(agent, isText);
    const [first] = await session.checkpoints();
    const to = first?.number ?? 1;
    const refused = [
      agent.prompt("two"),
      agent.resume("continue"),
      agent.run("touch never", "user-only"),
      agent.compact(),
      gate.hold(async () => session.rewind({ to, scope: "conversation" })),
    ];
    for (const work of refused) await expect(work).rejects.toMatchObject(BUSY);
    release();
    expect(await turn).toMatchObject({ outcome: "done", answer: "One is enough." });
    expect(agent.busy).toBe("nothing");
    await gate.hold(async () => session.rewind({ to, scope: "conversation" }));
    expect((await agent.prompt("again")).answer).toBe("Two.");
  });

  it("refuses turns and commands while a command of the user's runs, which an interrupt ends", async () => {
    const gate = new TurnGate();
    const { agent } = await open({ responder: scripted({ text: "Hello." }), gate });
    const command = agent.run("echo begun; sleep 60", "user-only");
    expect(agent.busy).toBe("command");
    await begun(agent, ({ type }) => type === "output");
    const refused = [agent.prompt("hi"), agent.run("true", "user-only"), agent.compact()];
    for (const work of refused) await expect(work).rejects.toMatchObject(BUSY);
    await agent.interrupt();
    expect(agent.busy).toBe("nothing");
    expect((await command).outcome).toBe("interrupted");
    expect((await agent.prompt("hi")).outcome).toBe("done");
  });

  it("refuses the agent's work while a front end holds the session, and does not interrupt that", async () => {
    const gate = new TurnGate();
    const { agent, session } = await open({ responder: scripted({ text: "Hello." }), gate });
    let finish = (): void => undefined;
    const held = gate.hold(async () => new Promise<string>((resolve) => (finish = () => resolve("kept"))));
    expect(agent.busy).toBe("held");
    const length = session.outline.length;
    const refused = [
      agent.prompt("hi"),
      agent.resume("retry"),
      agent.run("true", "user-only"),
      agent.compact(),
    ];
    for (const work of refused) await expect(work).rejects.toMatchObject(BUSY);
    expect(session.outline.length).toBe(length);
    await agent.interrupt();
    expect(agent.busy).toBe("held");
    const released = gate.released();
    finish();
    expect(await held).toBe("kept");
    await released;
    expect((await agent.prompt("hi")).outcome).toBe("done");
  });

  it("tells when it becomes busy and when it is free again, also where nothing came of it", async () => {
    const gate = new TurnGate();
    const { agent, events } = await open({ responder: scripted({ text: "Hello." }), gate });
    await agent.prompt("hi");
    await agent.run("true", "user-only");
    await agent.compact();
    await expect(agent.resume("continue")).rejects.toMatchObject({ code: "INPUT_INVALID" });
    const told = events.flatMap((event) => (event.type === "busy" ? [event.busy] : []));
    expect(told).toEqual([
      ...["turn", "nothing", "command", "nothing"],
      ...["compaction", "nothing", "turn", "nothing"],
    ]);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["session", "busy"]);
    expect(types.indexOf("turn-end")).toBe(types.indexOf("busy", 2) - 1);
  });

  it("ends the turn that runs when it is closed, and nothing before what holds the session", async () => {
    const gate = new TurnGate();
    const first = await open({
      responder: scripted({ text: "Going on for ever.", hold: NEVER }, { text: "Fresh." }),
      gate,
    });
    const turn = first.agent.prompt("hi");
    await begun(first.agent, isText);
    await first.agent.close();
    expect((await turn).outcome).toBe("interrupted");
    expect(gate.busy).toBe("nothing");
    // A front end closes the old agent and opens the new one while it holds the gate.
    const next = await gate.hold(async () => {
      const opened = await first.again();
      await expect(opened.agent.prompt("too early")).rejects.toMatchObject(BUSY);
      await opened.agent.close();
      return opened.again();
    });
    expect((await next.agent.prompt("hello again")).answer).toBe("Fresh.");
    expect(first.events.filter(({ type }) => type === "busy")).toHaveLength(2);
  });
}
