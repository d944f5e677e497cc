import { describe, expect, it } from "vitest";
import type { ReceivedRequest, Wire } from "../../../src/testing/model-server/script.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { stage } from "../support/stage.ts";

const wires: readonly Wire[] = ["anthropic", "chat", "responses", "ollama"];
const LARGE = Array.from({ length: 1_500 }, (_, line) => `line ${line}: nothing of interest`).join("\n");

function textsOf(request: ReceivedRequest | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}

describe.each(wires)("a backtrack over %s", (wire) => {
  it("drops a large read and answers from the note, on a prefix that was sent before", async () => {
    const { agent, server, write, events, session } = await stage({
      wire,
      responder: scripted(
        { calls: [{ name: "Read", input: { file_path: "large.txt" } }] },
        {
          calls: [
            { name: "Backtrack", input: { checkpoint_id: 2, note: "large.txt: 30 of 10,000 lines failed." } },
          ],
        },
        { text: "The error rate is 0.3 %." },
      ),
    });
    write("large.txt", LARGE);
    const end = await agent.prompt("what is the error rate in large.txt?");
    expect(end).toMatchObject({
      outcome: "done",
      answer: "The error rate is 0.3 %.",
      steps: 1,
      backtracks: 1,
    });
    const [first, second, third] = server.requests;
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
    expect(textsOf(second)).toContain("line 700: nothing");
    expect(textsOf(third)).not.toContain("line 700: nothing");
    expect(textsOf(third)).toContain("30 of 10,000 lines failed.");
    expect(third?.system).toBe(first?.system);
    const [task] = first?.messages ?? [];
    expect(third?.messages[0]?.text.startsWith(task?.text ?? "?")).toBe(true);
    expect(events.find(({ type }) => type === "backtrack")).toMatchObject({
      to: 2,
      prompt: "what is the error rate in large.txt?",
      note: "large.txt: 30 of 10,000 lines failed.",
      files: "keep",
    });
    expect((await session.journeys()).length).toBe(1);
  });
});

describe("a backtrack", () => {
  it("takes the files back as well, and can be undone", async () => {
    const { agent, session, read, write, events } = await stage({
      responder: scripted(
        { calls: [{ name: "Bash", input: { command: "echo broken > a.txt; rm b.txt; echo new > c.txt" } }] },
        {
          calls: [
            { name: "Backtrack", input: { checkpoint_id: 2, note: "that broke it", files: "restore" } },
          ],
        },
        { text: "ok" },
      ),
    });
    write("a.txt", "good\n");
    write("b.txt", "kept\n");
    expect(await agent.prompt("try")).toMatchObject({ outcome: "done" });
    expect([read("a.txt"), read("b.txt")]).toEqual(["good\n", "kept\n"]);
    expect(() => read("c.txt")).toThrow();
    expect(events.find(({ type }) => type === "backtrack")).toMatchObject({
      restored: { restored: 1, created: 1, removed: 1, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
    });
    // The model has answered since, so the backtrack can only be undone by its id.
    await expect(session.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
    const [backtrack] = await session.journeys();
    await session.redo(backtrack?.entry.id);
    expect([read("a.txt"), read("c.txt")]).toEqual(["broken\n", "new\n"]);
  });

  it("is dropped when another call in the step is denied", async () => {
    const { agent, server, events } = await stage({
      mode: "manual",
      responder: scripted(
        { calls: [{ name: "Glob", input: { pattern: "*" } }] },
        {
          calls: [
            { name: "Bash", input: { command: "touch x" } },
            { name: "Backtrack", input: { checkpoint_id: 2, note: "n" } },
          ],
        },
        { text: "ok" },
      ),
    });
    expect(await agent.prompt("go")).toMatchObject({ outcome: "done", backtracks: 0 });
    const results =
      server.requests[2]?.messages.flatMap(({ results: all }) => all.map(({ text }) => text)) ?? [];
    expect(results.at(-1)).toContain("The backtrack was dropped. Another call in the same reply was denied.");
    expect(events).toContainEqual({
      type: "warning",
      code: "BACKTRACK_DROPPED",
      message: "A backtrack was dropped. Another call in the same reply was denied.",
      reason: "backtrack-dropped",
      params: { problem: { reason: "backtrack-call-denied", params: {} } },
    });
  });

  it("is refused with the usable numbers, and for bad arguments with what is wrong", async () => {
    const { agent, server } = await stage({
      responder: scripted(
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 99, note: "n" } }] },
        { calls: [{ name: "Backtrack", input: { checkpoint_id: "two", note: "n", extra: 1 } }] },
        {
          calls: [
            { name: "Backtrack", input: { checkpoint_id: 2, note: "n" } },
            { name: "Backtrack", input: { checkpoint_id: 2, note: "other" } },
          ],
        },
        { text: "ok" },
      ),
    });
    await agent.prompt("go");
    const last = server.requests.map(({ messages }) => messages.at(-1)?.text ?? "").join("\n");
    const all = server.requests.flatMap(({ messages }) =>
      messages.flatMap(({ results }) => results.map(({ text }) => text)),
    );
    expect(all.find((text) => text.includes("99"))).toContain("Usable checkpoints: 2");
    expect(all.find((text) => text.startsWith("Invalid arguments"))).toContain("checkpoint_id");
    expect(last).toContain("your own note");
  });

  it("is not offered to a sub-agent, and refused there", async () => {
    const { agent, server } = await stage({
      responder: (request) => {
        const isSub = request.system.includes("sub-agent");
        if (isSub && request.messages.length === 1) {
          return { calls: [{ name: "Backtrack", input: { checkpoint_id: 1, note: "n" } }] };
        }
        if (isSub) return { text: "the sub-agent's report" };
        return request.messages.length === 1
          ? { calls: [{ name: "Task", input: { description: "look", prompt: "look around" } }] }
          : { text: "done" };
      },
    });
    expect(await agent.prompt("delegate")).toMatchObject({ outcome: "done", answer: "done" });
    const sub = server.requests.filter(({ system }) => system.includes("sub-agent"));
    expect(sub[0]?.tools).not.toContain("Backtrack");
    expect(JSON.stringify(sub[1]?.messages)).toContain("not available in this context");
    const results = server.requests.at(-1)?.messages.flatMap(({ results: all }) => all) ?? [];
    expect(results[0]?.text).toContain("the sub-agent's report");
  });
});
