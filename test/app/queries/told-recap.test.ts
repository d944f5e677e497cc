import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ResumedRecap } from "../../../src/app/queries/query-types.ts";
import { textPart } from "../../../src/record/parts.ts";
import { recapText } from "../../../src/show/recap-text.ts";
import { en } from "../../../src/strings/en.ts";
import { playground } from "../../cli/support/command-line.ts";
import { openWorkshop } from "../journeys/open-workshop.ts";
import { openAppAt } from "../support/open-app-at.ts";

function textOf(told: ResumedRecap | undefined): string {
  return told === undefined ? "" : recapText(told.recap, en);
}

describe("the recap of a session without prompts", () => {
  it("says what was run, and which files that changed", async () => {
    const place = playground();
    const first = await openAppAt(place);
    await first.app.agent.run("echo one > a.txt", "user-only");
    await first.app.agent.run("exit 3", "user-only");
    const { session } = first.app.agent;
    await first.close();
    const { app } = await openAppAt(place, { request: { resume: { how: "resume", wanted: session } } });
    const told = await app.queries.recap();
    expect(told?.session).toBe(session);
    expect(textOf(told)).toBe(
      [
        "done  changed: a.txt",
        "      ran: ! exit 3 (failed), ! echo one > a.txt",
        "open  nothing",
        "next  your next prompt",
      ].join("\n"),
    );
  });
});

describe.runIf(process.platform === "linux")("a session whose run was killed in a command", () => {
  it("opens with what was cut and what still runs, which the next command ends", async () => {
    const place = playground();
    const first = await openAppAt(place);
    await first.app.agent.run("echo begun", "user-only");
    const { session } = first.app.agent;
    await first.close();
    const child = spawn("sleep", ["60"], { env: { WORLDLINE_MARK: `worldline-${session}-1.` } });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    const { app, warnings } = await openAppAt(place, {
      request: { resume: { how: "resume", wanted: session } },
    });
    expect(warnings).toEqual([
      {
        message:
          "An earlier run of this session was killed, and one of its commands is still running: sleep 60",
        hint: "Your next prompt or ! command first stops what is still running. A rewind also offers to stop it.",
      },
    ]);
    await app.agent.run("echo next", "user-only");
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  it("names the command", async () => {
    const { session, looking } = await openWorkshop();
    await session().checkpoint();
    const call = "shell-0123456789ab";
    await session().toolStart(call, "Shell", { input: { command: "echo one > f; sleep 60" } });
    expect(textOf(await looking.recap())).toContain(
      "! echo one > f; sleep 60 was running when the program ended, so it may not have finished",
    );
    await session().toolEnd(call, "interrupted", "");
    expect(textOf(await looking.recap())).toContain("ran: ! echo one > f; sleep 60 (interrupted)");
  });
});

describe("a turn that did not ends", () => {
  it("is asked about until the user says that it may be left", async () => {
    const { session, looking, journeys } = await openWorkshop();
    await session().prompt("find the leak");
    await session().step();
    expect((await looking.recap())?.cut).toMatchObject({ step: 2, openCalls: [] });
    await journeys.leaveCut();
    expect((await looking.recap())?.cut).toBeUndefined();
    const { length } = session().outline;
    await journeys.leaveCut();
    expect(session().outline.length).toBe(length);
  });

  it("is not asked about if it failed, and is reported as failed", async () => {
    const { session, looking } = await openWorkshop();
    await session().prompt("find the leak");
    const step = await session().step();
    await session().append({
      kind: "error",
      code: "MODEL_UNREACHABLE",
      message: "It cannot be reached.",
    } as never);
    const told = await looking.recap();
    expect(told?.cut).toBeUndefined();
    expect(textOf(told)).toContain(`the turn failed at step #${step}`);
    expect(textOf(told)).toContain("what went wrong: It cannot be reached.");
    await session().reply({ model: "scripted/one", parts: [textPart("Found.")] });
    expect(textOf(await looking.recap())).not.toContain("failed");
  });
});
