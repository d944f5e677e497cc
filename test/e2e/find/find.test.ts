import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isLiving } from "../../living.ts";
import { machine } from "../binary.ts";

const TEST = ["--", "sh", "test.sh"];

/** A workspace whose test passed at #1 and fails since a `sed` from outside the session. */
async function broken() {
  const place = machine();
  const { workspace, worldline, temporary } = place;
  const put = (path: string, text: string): void => writeFileSync(join(workspace, path), text);
  put("test.sh", "grep -q 'b = 2' numbers\n");
  put("numbers", "a = 1\n# -\n# -\nb = 2\n");
  await worldline(["checkpoint"]);
  put("other", "1\n");
  await worldline(["checkpoint"]);
  put("numbers", "a = 0\n# -\n# -\nb = 3\n");
  put("other", "2\n");
  await worldline(["checkpoint"]);
  put("other", "3\n");
  const leftovers = (): readonly string[] =>
    readdirSync(temporary).filter((name) => name.startsWith("worldline-find-"));
  return { ...place, leftovers, read: (path: string) => readFileSync(join(workspace, path), "utf8") };
}

describe("worldline find", () => {
  it("names the change, takes back only that, and redo brings it again", async () => {
    const { worldline, read, leftovers } = await broken();
    const said = await worldline(["find", "--undo", "--json", ...TEST]);
    expect(said.code).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({
      verdict: "found",
      green: { checkpoint: 2 },
      red: { checkpoint: 3 },
      author: { by: "outside", calls: [] },
      change: { size: "minimal", hunks: 1, paths: [{ path: "numbers", what: "lines" }] },
      confirmed: "confirmed",
      undo: { state: "undone" },
    });
    expect([read("numbers"), read("other")]).toEqual(["a = 0\n# -\n# -\nb = 2\n", "3\n"]);
    expect((await worldline(["redo", "--yes"])).code).toBe(0);
    expect(read("numbers")).toBe("a = 0\n# -\n# -\nb = 3\n");
    expect(leftovers()).toEqual([]);
  });

  it.each<NodeJS.Signals>(["SIGINT", "SIGTERM"])(
    "ends on %s with 130, and leaves nothing",
    async (signal) => {
      const { start, leftovers, workspace } = await broken();
      const child = start([
        "find",
        "--",
        "sh",
        "-c",
        `echo $$ > "${join(workspace, "..", "pid")}"; sleep 1000`,
      ]);
      while (!existsSync(join(workspace, "..", "pid")))
        await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill(signal);
      expect(await once(child, "close")).toEqual([130, null]);
      expect(leftovers()).toEqual([]);
    },
  );

  it("removes what a killed one has left, and ends its test", async () => {
    const { start, worldline, leftovers, workspace } = await broken();
    const pid = join(workspace, "..", "pid");
    const child = start(["find", "--", "sh", "-c", `echo $$ > "${pid}"; sleep 1000`]);
    while (!existsSync(pid) || readFileSync(pid, "utf8") === "") {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill("SIGKILL");
    await once(child, "close");
    // The test runs in its own process group, and the killed program could not end it.
    const test = Number(readFileSync(pid, "utf8"));
    expect([leftovers().length, isLiving(test)]).toEqual([1, true]);
    expect((await worldline(["find", ...TEST])).code).toBe(0);
    expect([leftovers(), isLiving(test)]).toEqual([[], false]);
  });
});
