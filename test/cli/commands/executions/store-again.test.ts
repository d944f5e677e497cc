import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPipeline, withExecutions } from "./with-executions.ts";

describe("a command that is printed to be copied", () => {
  it("names the store that was named, and the session, and works as it is printed", async () => {
    const place = withExecutions();
    const store = `sqlite:${join(place.root, "sessions.db")}`;
    const open = place.open;
    await runPipeline({ ...place, open: (id, options) => open(id, { ...options, store }) }, "exec-123", "on");
    const say = async (line: string) => (await place.worldline(`--store ${store} ${line}`)).stdout;
    /** Runs the command that the output suggests after a colon, word for word. */
    const follow = async (said: string) => {
      const [, command = ""] = /: (worldline .*)$/mu.exec(said) ?? [];
      expect(command).toMatch(new RegExp(`^worldline --store ${store} `, "u"));
      const { code, stdout, stderr } = await place.worldline(command.split(" ").slice(1));
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    await follow(await say("executions show exec-123"));
    const undone = await follow(await say("executions restore exec-123 --step load --yes"));
    expect(place.content("out.txt")).toBe("broken\n");
    await follow(undone);
    expect(place.content("out.txt")).toBe("loaded\n");
    await follow(await follow(await say("executions delete exec-123 --yes")));
    await follow(await say("fork --session exec-123"));
  });

  it("names the session in hints too", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-123");
    const { error } = await place.data("rewind nosuch --session exec-123");
    expect(error.hint).toContain("worldline checkpoints --session exec-123");
  });

  it("needs no store where the command needs none, whatever WORLDLINE_STORE says", async () => {
    const { worldline } = withExecutions();
    const environment = { WORLDLINE_STORE: "bogus" };
    for (const line of ["config", "models", "--help", "--version"]) {
      expect(await worldline(line, { environment })).toMatchObject({ code: 0 });
    }
    const refused = await worldline("checkpoints", { environment });
    expect([refused.code, refused.stderr]).toEqual([
      42,
      expect.stringContaining('error: WORLDLINE_STORE: Unknown store "bogus".'),
    ]);
  });
});
