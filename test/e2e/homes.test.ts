import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scripted } from "../../src/testing/testing.ts";
import { agentMachine } from "./agent/support.ts";
import { machine } from "./binary.ts";

/** A machine whose home folder is read-only. */
function closedMachine() {
  const here = machine({ WORLDLINE_HOME: "" }, { as: "owner" });
  const folder = here.environment.HOME;
  chmodSync(folder, 0o555);
  return { ...here, folder, home: join(folder, ".worldline") };
}

describe("in a home folder that cannot be written", () => {
  it("what has to keep something says what to do, and touches nothing", async () => {
    const { worldline, home, workspace } = closedMachine();
    for (const args of [
      ["checkpoint", "one"],
      ["run", "--", "touch", "made"],
    ]) {
      const { code, stdout, stderr } = await worldline(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`error: Worldline's home ${home} cannot be created: EACCES`);
      expect(stderr).toContain("hint: Set WORLDLINE_HOME to a folder that you can write to.");
      expect(stderr).not.toContain("    at ");
    }
    expect(readdirSync(workspace)).toEqual([]);
  });

  it("what only looks works, and doctor names the folder", async () => {
    const { worldline, home } = closedMachine();
    expect(await worldline(["sessions"])).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await worldline(["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${home} is not writable.\n`);
    expect(stdout).toContain("Set WORLDLINE_HOME to a folder you can write to");
  });

  it("the agent says what to do, and answers with --no-session", async () => {
    const { worldline, environment } = await agentMachine(scripted({ text: "Hello." }), {
      as: "owner",
      environment: { WORLDLINE_HOME: "" },
    });
    chmodSync(environment.HOME, 0o555);
    const refused = await worldline(["-p", "hello"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("Set WORLDLINE_HOME to a folder that you can write to");
    expect(refused.stderr).toContain("--no-session");
    expect(await worldline(["-p", "hello", "--no-session"])).toMatchObject({ code: 0, stdout: "Hello.\n" });
  });
});

describe("a home folder that is not there", () => {
  it("is made with the first session", async () => {
    const here = machine({ WORLDLINE_HOME: "" });
    const HOME = join(here.environment.HOME, "new", "user");
    const there = machine({ HOME, WORLDLINE_HOME: "" });
    expect(await there.worldline(["checkpoint", "one"])).toMatchObject({ code: 0 });
    expect(existsSync(join(HOME, ".worldline", "sessions"))).toBe(true);
  });
});

describe("a folder of sessions that may be read and not written", () => {
  it("is listed, and refused with the next step where it is to be written", async () => {
    const { worldline, home } = machine({}, { as: "owner" });
    expect(await worldline(["checkpoint", "one"])).toMatchObject({ code: 0 });
    const [session = ""] = readdirSync(join(home, "sessions"));
    for (const folder of [join("sessions", session), "sessions", ""]) chmodSync(join(home, folder), 0o500);
    chmodSync(join(home, "sessions", session, "log.jsonl"), 0o400);
    expect(await worldline(["sessions"])).toMatchObject({ code: 0 });
    const { code, stderr } = await worldline(["checkpoint", "two"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Check the owner of");
    expect(stderr).not.toContain("    at ");
    expect((await worldline(["doctor"])).stdout).toContain(`${home} is not writable.`);
  });
});
