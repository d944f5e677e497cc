import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Place, withExecutions } from "./with-executions.ts";

async function runOne(place: Place, id: string): Promise<void> {
  const execution = await place.open(id);
  await execution.step("one", () => 1);
  await execution.close();
}

describe("worldline executions", () => {
  it("shortens very long ids, and quotes invisible ones", async () => {
    const place = withExecutions();
    const long = "x".repeat(100_000);
    for (const id of [" ", "\n", "\u200b", long]) await runOne(place, id);
    const lines = (await place.text("executions")).trimEnd().split("\n");
    expect(lines.map((line) => line.trimEnd().split(/ {2,}/u)[0]).sort()).toEqual([
      '" "',
      '"\\n"',
      "<U+200B>",
      `${"x".repeat(59)}…`,
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
    const { executions } = await place.data("executions");
    expect(executions.map(({ id }: { readonly id: string }) => id).sort()).toEqual([
      "\n",
      " ",
      long,
      "\u200b",
    ]);
    const { stdout } = await place.worldline(["executions", "show", " "]);
    expect(stdout).toContain('execution  " "\n');
  });

  it("tells one that was opened and left without a step as empty", async () => {
    const place = withExecutions();
    await (await place.open("exec-1")).close();
    expect(await place.text("executions")).toBe("exec-1  <ago>  empty  0 steps\n");
  });

  it("refuses to list nothing", async () => {
    const place = withExecutions();
    expect((await place.data("executions --limit 0")).error).toMatchObject({
      code: "INPUT_INVALID",
      hint: "Give a positive whole number. The default is 20.",
    });
  });

  it("has its own options in its help, and not in that of the commands below it", async () => {
    const place = withExecutions();
    const help = async (line: string) => (await place.worldline(`${line} --help`)).stdout;
    expect(await help("executions")).toContain("--limit");
    for (const command of ["show", "restore", "delete"]) {
      const text = await help(`executions ${command}`);
      expect([/--all|--kind|--limit/u.exec(text), text.includes("--json")]).toEqual([null, true]);
    }
  });
});

describe("worldline executions show", () => {
  it("names the workspaces of those that an id may mean, and the way out", async () => {
    const place = withExecutions();
    const folders = ["a", "b"].map((name) => join(place.root, name));
    const sessions: string[] = [];
    for (const workspace of folders) {
      mkdirSync(workspace);
      const execution = await place.open("exec-1", { workspace });
      sessions.push(execution.session);
      await execution.close();
    }
    const { error } = await place.data("executions show exec-1");
    expect(error.message).toBe('"exec-1" matches 2 executions.');
    for (const at of [0, 1]) expect(error.hint).toContain(`${sessions[at]} in ${folders[at]}`);
    expect(error.hint).toContain(
      "; or use --workspace <folder> to name the folder. To see all of them, run: worldline executions --all",
    );
    expect((await place.data(`executions show exec-1 --workspace ${folders[1]}`)).session).toBe(sessions[1]);
  });

  it("shows an error with everything that it carries and came from", async () => {
    const place = withExecutions();
    const execution = await place.open("exec-1");
    const deep = Object.assign(new RangeError("no route"), { code: "EHOST" });
    const error = Object.assign(new Error("fetch failed", { cause: deep }), { tries: 3 });
    await execution.save({ name: "ask", index: 0, status: "failed", error });
    await execution.close();
    expect(await place.text("executions show ckpt-exec-1-0")).toContain(
      [
        "error:",
        "  Error: fetch failed",
        "    tries: 3",
        "    cause: RangeError: no route",
        "      code: EHOST",
        "",
      ].join("\n"),
    );
  });

  it("says what was decided of a step that an earlier run left open", async () => {
    const place = withExecutions();
    const cut = await place.open("exec-1");
    await cut.save({ name: "pay", index: 0, status: "pending" });
    await cut.close();
    const execution = await place.open("exec-1");
    await execution.step("pay", () => 1, { unfinished: "retry" });
    await execution.close();
    expect(await place.text("executions show exec-1")).toContain(
      [
        "0  pay  attempt 1  failed   #1  <time>  (decided: retry)",
        "0  pay  attempt 2  success  #2  <time>",
        "",
      ].join("\n"),
    );
    expect(await place.text("executions show ckpt-exec-1-0@1")).toContain(
      "status      failed (decided: retry)\n",
    );
    const { checkpoints } = await place.data("executions show exec-1");
    expect(checkpoints.map(({ decided }: { readonly decided: unknown }) => decided)).toEqual(["retry", null]);
  });
});
