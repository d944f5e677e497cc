import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../../../src/record/error.ts";
import { openAppAt } from "../../../app/support/open-app-at.ts";
import { runPipeline, withExecutions } from "./with-executions.ts";

/** Runs a pipeline as an execution, with access to the log lines of its session. */
async function begun() {
  const place = withExecutions();
  await runPipeline(place, "exec-123");
  const { session } = await place.data("executions show exec-123");
  const lines = async () => (await place.data(`log --session ${session}`)).entries.length as number;
  return { ...place, session, lines };
}

describe("the execution of a program", () => {
  it.each([
    "-p hello --model worldline/finder -r exec-123",
    "-p hello --model worldline/finder -r exec-123 --fork",
    "resume exec-123",
    "resume exec-123 --continue",
    "resume --session exec-123",
    "compact --session exec-123",
  ])("is not a conversation: %s is refused, and nothing is written", async (line) => {
    const { data, session, lines } = await begun();
    const before = await lines();
    expect((await data(line)).error).toEqual({
      code: "INPUT_INVALID",
      reason: "execution-not-conversation",
      params: { id: "exec-123", session },
      message: "exec-123 is a program's execution, not a conversation.",
      hint: `The execution continues the next time the program runs. See its steps: worldline executions show ${session}`,
    });
    expect(await lines()).toBe(before);
  });

  it("is not continued by -c", async () => {
    const { data } = await begun();
    expect((await data("-p hello --model worldline/finder -c")).error).toMatchObject({
      code: "SESSION_UNKNOWN",
    });
  });

  it("is neither offered in a terminal's list of sessions nor opened there", async () => {
    const place = await begun();
    const { app } = await openAppAt(place);
    const here = app.agent.session;
    expect(await app.sessions.list({ of: "workspace" })).toEqual([]);
    const error = await app.sessions.open(place.session).catch((thrown: unknown) => thrown);
    expect(isWorldlineError(error, "INPUT_INVALID")).toBe(true);
    expect(app.agent.session).toBe(here);
  });

  it("is found by its id after it was given a title, and never instead of a session with that title", async () => {
    const { data, worldline, session, open } = await begun();
    await worldline(["sessions", "rename", session, "The nightly import"]);
    expect((await data("tree --session exec-123")).session).toBe(session);
    const other = await open("exec-12");
    await other.save({ name: "one", index: 0 });
    await other.close();
    expect((await data("tree --session exec-12")).session).toBe(other.session);
    await worldline(["sessions", "rename", other.session, "exec-123"]);
    expect((await data("tree --session exec-123")).session).toBe(other.session);
  });
});
