import { expect, it } from "vitest";
import { RunningCalls, type StartingCall } from "../../../src/agent/turn/files/running-calls.ts";

const command = (about: string): StartingCall => ({ call: "call-1", reach: "anything", about });

it("a command in the background is still known to run when a later call has the same id", () => {
  const calls = new RunningCalls({ session: "s", workspace: "/w" });
  let isRunning = true;
  calls.start(command("sleep 9 &"));
  calls.end("call-1", { processes: { isRunning: () => isRunning } });
  calls.start(command("true"));
  calls.end("call-1", { processes: { endedAt: 1 } });
  calls.saw(calls.ended, "everything");
  expect(calls.facts()).toMatchObject({ author: "timeline", during: [{ about: "sleep 9 &" }] });

  isRunning = false;
  expect(calls.facts().during).toMatchObject([{ about: "sleep 9 &" }]);
  calls.saw(calls.ended, "everything");
  expect(calls.facts()).toMatchObject({ author: "outside", during: [] });
});
