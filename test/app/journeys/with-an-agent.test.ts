import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentRequest } from "../../../src/app/agent/agent-request.ts";
import { openApp } from "../../../src/app/app.ts";
import { printPerson } from "../../../src/cli/commands/agent/print-person.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { workshop } from "../../cli/support/workshop.ts";

const request: AgentRequest = {
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  host: "native",
  keepSession: "yes",
  mode: "auto",
};

async function atWork(...replies: ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const place = workshop();
  const environment = {
    ...server.environment("anthropic"),
    PATH: process.env["PATH"] ?? "",
    HOME: place.root,
  };
  const frame = frameOf(place, { environment });
  const person = printPerson(() => undefined);
  const app = await openApp(frame, {
    request,
    person,
  });
  onTestFinished(async () => {
    await app.close();
  });
  return { ...place, app };
}

describe("a journey with a real agent", () => {
  it("takes a turn back, emits its entries, and the next turn knows about it", async () => {
    const { app, put, files, workspace } = await atWork(
      { calls: [{ name: "Write", input: { file_path: "b.txt", content: "b\n" } }] },
      { text: "Written." },
      { text: "Again." },
    );
    put("a.txt", "one\n");
    expect((await app.agent.prompt("write b")).outcome).toBe("done");
    expect(files()).toHaveProperty("b.txt");
    const told: AgentEvent[] = [];
    app.agent.on((event) => told.push(event));
    const target = await app.journeys.undoTarget(1);
    expect(target).toMatchObject({ number: 1, text: "write b", files: "complete", on: "prompt" });
    const made = await app.journeys.rewind({ ...target, scope: "both" });
    expect(made).toMatchObject({
      place: expect.objectContaining({ number: 1, text: "write b" }),
      files: { restored: 0, removed: 1, kept: 0, failed: 0 },
    });
    expect(files()).toEqual({ "a.txt": "one\n" });
    expect(told.flatMap((event) => (event.type === "entry" ? [event.entry.kind] : []))).toContain("rewind");
    expect(await app.queries.state()).toMatchObject({ checkpoint: 1, branchesLeft: 1, redoable: 1 });
    expect((await app.agent.prompt("hello")).answer).toBe("Again.");
    // The new prompt is later work, so the rewind can now only be undone by its id.
    expect(await app.queries.state()).toMatchObject({ redoable: 0 });
    await expect(app.journeys.redo({})).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
    expect(await app.journeys.previewRedo({ journey: made.journey })).toMatchObject({
      newer: { kind: "rewind", to: 1, leaves: 5 },
    });
    await app.journeys.redo({ journey: made.journey });
    expect(files(workspace)).toHaveProperty("b.txt");
  });

  it("is refused while the turn runs, and possible once the turn is interrupted", async () => {
    let goOn = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    onTestFinished(() => goOn());
    const { app } = await atWork({ text: "One.", hold }, { text: "Two." });
    const turn = app.agent.prompt("first");
    const row = { session: app.agent.session, number: 1, scope: "conversation" } as const;
    await expect(app.journeys.preview(row)).rejects.toMatchObject({ code: "TURN_RUNNING" });
    await expect(app.journeys.rewind(row)).rejects.toMatchObject({
      code: "TURN_RUNNING",
      hint: expect.stringContaining("Esc"),
    });
    await app.agent.interrupt();
    expect((await turn).outcome).toBe("interrupted");
    expect(await app.journeys.rewind(row)).toMatchObject({ prompt: [{ type: "text", text: "first" }] });
  });

  it("shows a user command, and takes back what it did", async () => {
    const { app, put, files } = await atWork({ text: "Hello." });
    put("a.txt", "one\n");
    const { checkpoint } = await app.agent.run("echo two > a.txt", "user-only");
    expect(files()).toEqual({ "a.txt": "two\n" });
    const row = { session: app.agent.session, number: checkpoint };
    const [listed] = (await app.journeys.rows()).filter(({ number }) => number === checkpoint);
    expect(listed).toMatchObject({ on: "command", text: "! echo two > a.txt", files: "complete" });
    expect(await app.journeys.preview({ ...row, scope: "files" })).toMatchObject({
      place: expect.objectContaining({ number: checkpoint, text: "! echo two > a.txt" }),
      files: { conflicts: [], steps: [{ path: "a.txt" }] },
    });
    await app.journeys.rewind({ ...row, scope: "files" });
    expect(files()).toEqual({ "a.txt": "one\n" });
  });

  it("puts a command back into the editor, and names the places after it and the journeys to it after it", async () => {
    const { app, put, files } = await atWork({ text: "Hello." });
    put("a.txt", "one\n");
    const { checkpoint } = await app.agent.run("rm a.txt", "model");
    await app.agent.run("true", "model");
    await app.journeys.save(undefined);
    const { session } = app.agent;
    const rows = (await app.journeys.rows()).map(({ number, on, text }) => [number, on, text]);
    expect(rows).toEqual([
      [4, "manual", undefined],
      [3, "command", "! true"],
      [2, "after", "! rm a.txt"],
      [1, "command", "! rm a.txt"],
    ]);
    const after = await app.journeys.preview({ session, number: 2, scope: "both" });
    expect(after.place).toMatchObject({ number: 2, on: "after", text: "! rm a.txt" });
    const made = await app.journeys.rewind({ session, number: checkpoint, scope: "both" });
    expect(made.place).toMatchObject({ number: 1, text: "! rm a.txt" });
    expect(made.prompt).toBeUndefined();
    expect(files()).toEqual({ "a.txt": "one\n" });
    // The row names the place that a redo returns to, not the place the rewind went to.
    expect(await app.journeys.redoable()).toMatchObject([{ kind: "rewind", to: 1, order: "next" }]);
    expect((await app.journeys.redoable())[0]?.place).toMatchObject({ number: 4, text: "! true" });
  });

  it("includes the cost of its sub-agents", async () => {
    const { app } = await atWork(
      { calls: [{ name: "Task", input: { description: "look", prompt: "Look around." } }] },
      { text: "I looked." },
      { text: "Done." },
    );
    const { cost } = await app.agent.prompt("look");
    expect(cost).toBeGreaterThan(0);
    expect((await app.queries.state()).cost).toBeCloseTo(cost ?? 0, 9);
  });

  it.runIf(process.platform === "linux")("knows what still runs, and stops it", async () => {
    const { app } = await atWork(
      { calls: [{ name: "Bash", input: { command: "sleep 61.5", run_in_background: true } }] },
      { text: "It sleeps." },
    );
    await app.agent.prompt("sleep");
    expect((await app.journeys.running()).join("\n")).toContain("sleep 61.5");
    await app.journeys.stopRunning();
    expect(await app.journeys.running()).toEqual([]);
  });
});
