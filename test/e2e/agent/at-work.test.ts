import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ReceivedRequest, type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { agentMachine, endGroup, isAlive, listen, OUTPUT, refusedOf, resultsIn } from "./support.ts";

const call = (name: string, input: Record<string, string | boolean>): ScriptedReply => ({
  calls: [{ name, input }],
});
const delegate = call("Task", { description: "find it", prompt: "find the leak" });
const hasResults = (request: ReceivedRequest) => resultsIn(request).length > 0;
const isSub = ({ tools }: ReceivedRequest) => !tools.includes("Task");

describe("the agent at work", () => {
  it("gets the answer of a sub-agent, whose session is not taken for its own", async () => {
    const sub = (request: ReceivedRequest): ScriptedReply =>
      hasResults(request)
        ? { text: "The leak is in pool.ts." }
        : call("Bash", { command: "echo sub > sub.txt" });
    const main = (request: ReceivedRequest): ScriptedReply =>
      hasResults(request) ? { text: "Found by another." } : delegate;
    const here = await agentMachine((request) => (isSub(request) ? sub(request) : main(request)));
    const { code, events } = await here.tell("find the leak");
    expect([code, events.at(-1)]).toMatchObject([0, { outcome: "done", answer: "Found by another." }]);
    expect(refusedOf(here)).toEqual([]);
    const { requests } = here.server;
    expect(resultsIn(requests.at(-1))[0]).toContain("The leak is in pool.ts.");
    expect(requests.find(isSub)?.tools).not.toContain("Backtrack");
    expect(here.read("sub.txt")).toBe("sub\n");
    const told = events.find(({ type }) => type === "sub-agent");
    expect(told?.["session"]).not.toBe(events[0]?.["session"]);
    expect((await here.data("sessions", "list")).sessions.length).toBe(1);
    expect(await here.ask("go on", "-c")).toMatchObject({
      code: 0,
      session: events[0]?.["session"],
      answer: "Found by another.",
    });
    // Rewinding the files also takes back the sub-agent's changes.
    await here.data("rewind", "1", "--scope", "files", "--yes");
    expect(here.read("sub.txt")).toBe(undefined);
  });

  it("continues the session itself after it was killed while a sub-agent worked", async () => {
    const here = await agentMachine((request) => {
      if (isSub(request)) return call("Bash", { command: "echo $$ > pid; echo up; sleep 60" });
      return hasResults(request) ? { text: "Still me." } : delegate;
    });
    const child = here.start(["-p", "find the leak", "--output-format", "stream-json"]);
    const { ended, until, said } = listen(child);
    await until("stdout", OUTPUT);
    child.kill("SIGKILL");
    await ended;
    const shell = Number(here.read("pid"));
    onTestFinished(() => endGroup(shell));
    const session = JSON.parse(said.stdout.split("\n")[0] ?? "").session;
    expect(await here.ask("and?", "-c")).toMatchObject({ code: 0, session, answer: "Still me." });
    expect(isAlive(shell)).toBe(false);
    expect(refusedOf(here)).toEqual([]);
  });

  it("ends its sub-agent and what that started when it is interrupted", async () => {
    const here = await agentMachine((request) =>
      isSub(request) ? call("Bash", { command: "echo $$ > pid; echo up; sleep 60" }) : delegate,
    );
    const child = here.start(["-p", "find the leak", "--output-format", "stream-json"]);
    const { ended, until } = listen(child);
    await until("stdout", OUTPUT);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(isAlive(Number(here.read("pid")))).toBe(false);
  });

  it("does not wait for what a command left running, and ends it with the turn", async () => {
    const here = await agentMachine(
      scripted(
        call("Bash", { command: "sleep 300 & echo $! > left; echo started" }),
        call("Bash", { command: "echo $$ > beside; sleep 300", run_in_background: true }),
        call("Bash", { command: "until [ -s beside ]; do sleep 0.05; done" }),
        { text: "Both run." },
      ),
    );
    expect(await here.ask("start them")).toMatchObject({ code: 0, answer: "Both run." });
    expect(resultsIn(here.server.requests[1])[0]).toContain("started");
    expect(["left", "beside"].map((name) => isAlive(Number(here.read(name))))).toEqual([false, false]);
  });

  it("gets no answers in print mode, and learns why", async () => {
    const question = {
      question: "Which one?",
      header: "Choice",
      options: [
        { label: "a", description: "A" },
        { label: "b", description: "B" },
      ],
    };
    const here = await agentMachine(
      scripted(
        { calls: [{ name: "AskUser", input: { questions: [question] } }] },
        { text: "I took the first." },
      ),
    );
    expect(await here.ask("choose")).toMatchObject({ code: 0, answer: "I took the first." });
    expect(resultsIn(here.server.requests[1])[0]).toMatch(/no user|nobody|no answer|not answer|unanswered/iu);
  });

  it("may be two at once in a workspace, each with its own session", async () => {
    const here = await agentMachine((request) =>
      resultsIn(request).length > 0 ? { text: "Done." } : call("Bash", { command: "echo x >> both.txt" }),
    );
    const answers = await Promise.all([here.ask("one"), here.ask("two")]);
    expect(answers.map(({ code, outcome, warnings }) => [code, outcome, warnings])).toEqual([
      [0, "done", undefined],
      [0, "done", undefined],
    ]);
    expect(answers[0]?.session).not.toBe(answers[1]?.session);
    expect(here.read("both.txt")).toBe("x\nx\n");
  });

  it("does not capture its own home when that lies in the workspace", async () => {
    const here = await agentMachine(
      scripted(call("Bash", { command: "echo x > made.txt" }), { text: "Done." }),
    );
    Object.assign(here.environment, { WORLDLINE_HOME: join(here.workspace, "wl") });
    const { code, events } = await here.tell("make it");
    expect([code, events.at(-1)]).toMatchObject([0, { outcome: "done" }]);
    expect(events.filter(({ type }) => type === "files")).toMatchObject([
      { files: [{ path: "made.txt" }], more: 0 },
    ]);
    await here.data("rewind", "1", "--scope", "files", "--yes");
    expect([here.read("made.txt"), (await here.log()).length > 0]).toEqual([undefined, true]);
  });
});
