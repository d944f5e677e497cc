import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machine } from "./binary.ts";

describe("worldline run", () => {
  it("gives the command its own streams, and makes checkpoints while it runs", async () => {
    const { worldline, workspace } = machine();
    writeFileSync(join(workspace, "a"), "0\n");
    // The script continues once its first change is checkpoint #2.
    const script = `echo said; echo wrong >&2; echo 1 > a; echo S > .env
until "${process.execPath}" "$0" checkpoints --json | grep -q '"number": 2'; do sleep 0.1; done; echo 2 > a`;
    const binary = join(import.meta.dirname, "../../dist/cli.js");
    const args = ["run", "--setting", "watch.quietMs=100", "--", "sh", "-c", script, binary];
    const said = await worldline(args);
    expect([said.code, said.stdout]).toEqual([0, "said\n"]);
    expect(said.stderr).toContain("wrong\n");
    expect(said.stderr).toContain("1 file changed, 1 created\nTo go back: worldline rewind 1\n");
    await worldline(["rewind", "2"]);
    expect(readFileSync(join(workspace, "a"), "utf8")).toBe("1\n");
    await worldline(["rewind", "1"]);
    expect(readFileSync(join(workspace, "a"), "utf8")).toBe("0\n");
    expect(existsSync(join(workspace, ".env"))).toBe(false);
  });

  it.each<[NodeJS.Signals, number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("hands %s on to the command, outlives it, and makes the checkpoint after it", async (signal, code) => {
    const { start, worldline, workspace } = machine();
    const child = start(["run", "--", "sh", "-c", "echo half > done; echo ready; exec sleep 60"]);
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await once(child, "close")).toEqual([code, null]);
    expect(existsSync(join(workspace, "done"))).toBe(true);
    const { checkpoints } = JSON.parse((await worldline(["checkpoints", "--json"])).stdout);
    expect(checkpoints).toHaveLength(2);
    await worldline(["rewind", "1"]);
    expect(existsSync(join(workspace, "done"))).toBe(false);
  });
});
