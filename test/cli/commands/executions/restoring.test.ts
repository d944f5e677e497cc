import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPipeline, withExecutions } from "./with-executions.ts";

describe("worldline executions restore", () => {
  it("shows what would happen, then brings back files and state, and can be undone", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-123", "on");
    const before = place.content("out.txt");
    const dry = await place.text("executions restore exec-123 --step load --dry-run");
    expect(dry).toContain("Would restore to checkpoint: exec-123, step load\n");
    expect(dry).toContain("Nothing was changed: this was a dry run.");
    expect(place.content("out.txt")).toBe(before);
    const made = await place.text("executions restore exec-123 --yes");
    expect(made).toContain("Restored to checkpoint: exec-123, step data_processing\n");
    expect(made).toContain("Undo this: worldline redo --session <session>");
    expect(made).not.toContain("Context:");
    expect(place.content("out.txt")).toBe("processed\n");
    const { checkpoints, session } = await place.data("executions show exec-123");
    expect(checkpoints.map(({ name, branch }: Record<string, string>) => `${name} ${branch}`)).toEqual([
      "load here",
      "data_processing here",
      "write left",
    ]);
    expect((await place.worldline(`redo --session ${session} --yes`)).code).toBe(0);
    expect(place.content("out.txt")).toBe("broken\n");
  });

  it("brings back the state alone where the execution has no files", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    expect(await place.data("executions restore exec-1 --step 0")).toMatchObject({
      scope: "conversation",
      changed: true,
      filesStay: null,
    });
    const again = await place.open("exec-1");
    expect((await again.lastSuccessful())?.name).toBe("load");
    await again.close();
  });

  it("also takes back what a user changed since, says so before, and a redo restores it", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1", "on");
    place.put("out.txt", "by hand\n");
    place.put("mine.txt", "a person's\n");
    const dry = await place.text("executions restore ckpt-exec-1-0 --dry-run");
    expect(dry).toContain(
      "All later changes are reverted too, including yours; worldline redo --session <session> restores them.\n",
    );
    const { session } = await place.data("executions restore ckpt-exec-1-0 --yes");
    expect([place.content("out.txt"), existsSync(join(place.workspace, "mine.txt"))]).toEqual([
      "loaded\n",
      false,
    ]);
    await place.worldline(`redo --session ${session} --yes`);
    expect([place.content("out.txt"), place.content("mine.txt")]).toEqual(["by hand\n", "a person's\n"]);
  });

  it("needs the whole id: what is gone is not another one", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-10");
    const before = (await place.data("executions")).executions;
    const refused = async (line: string) => (await place.data(`executions ${line} --yes`)).error;
    for (const line of ["delete exec-1", "restore exec-1"]) {
      expect(await refused(line)).toMatchObject({
        code: "EXECUTION_UNKNOWN",
        message: 'There is no execution "exec-1".',
        hint: "Did you mean exec-10?",
      });
    }
    for (const line of ["restore ckpt-exec-1-0", "restore ckpt-exec-1-0@1"]) {
      expect(await refused(line)).toMatchObject({ code: "CHECKPOINT_UNKNOWN" });
    }
    expect((await place.data("executions")).executions).toEqual(before);
  });

  it("does not guess which of several steps of one name is meant", async () => {
    const place = withExecutions();
    const execution = await place.open("exec-1");
    for (let item = 0; item < 10; item += 1) await execution.step(item === 4 ? "other" : "item", () => item);
    await execution.close();
    const { error } = await place.data("executions restore exec-1 --step item --yes");
    expect(error).toMatchObject({
      code: "CHECKPOINT_AMBIGUOUS",
      message: '9 steps in exec-1 are called "item".',
      hint: "Nothing was changed. Choose one by its index with --step <index>: 0, 1, 2, 3, 5, 6, 7, 8, …",
    });
    expect(await place.data("executions restore exec-1 --step 3 --dry-run")).toMatchObject({ to: 4 });
    expect(await place.data("executions restore exec-1 --step other --dry-run")).toMatchObject({ to: 5 });
  });

  it("goes back to where a turn began, or to one of its steps", async () => {
    const place = withExecutions();
    const session = await place.talk();
    const scope = "--scope conversation --dry-run";
    expect(await place.data(`executions restore turn-${session}-1 ${scope}`)).toMatchObject({
      session,
      to: 1,
    });
    expect(await place.data(`executions restore turn-${session}-4 --step reply ${scope}`)).toMatchObject({
      session,
      to: 5,
    });
  });

  it("names the holder, and refuses what cannot be restored", async () => {
    const place = withExecutions();
    const running = await place.open("exec-1", { name: "a nightly import" });
    await running.save({ name: "one", index: 0, status: "pending" });
    const refused = async (line: string) => {
      const { code, stderr } = await place.worldline(`${line} --setting lock.waitMs=0`);
      return [code, stderr.split("\n").find((text) => text.startsWith("error:"))];
    };
    expect(await refused("executions restore exec-1")).toEqual([
      42,
      "error: No successful checkpoint found in exec-1",
    ]);
    expect(await refused("executions restore exec-1 --step one")).toEqual([
      1,
      "error: Step one in exec-1 has not ended.",
    ]);
    expect(await refused("executions restore exec-1 --step two")).toEqual([
      42,
      'error: exec-1 has no step "two".',
    ]);
    await running.save({ name: "one", index: 0 });
    await running.save({ name: "two", index: 1 });
    expect(await refused("executions restore exec-1 --step 0")).toEqual([
      1,
      expect.stringContaining("a nightly import"),
    ]);
    expect(await refused("executions delete exec-1 --yes")).toEqual([
      1,
      expect.stringContaining("a nightly import"),
    ]);
    await running.close();
  });
});

describe("worldline executions delete", () => {
  it("asks, moves it to the trash, and says how to have it back", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const { session } = await place.data("executions show exec-1");
    expect((await place.worldline("executions delete exec-1")).stderr).toContain(
      "Move exec-1 with 3 steps to the trash?",
    );
    expect((await place.worldline("executions delete exec-1", { typed: "n\n" })).stderr).toContain(
      "Canceled",
    );
    expect(await place.text("executions delete exec-1 --dry-run")).toContain(
      "Would be moved to the trash: exec-1",
    );
    expect((await place.data("executions")).executions).toHaveLength(1);
    expect(await place.data("executions delete exec-1 --yes")).toEqual({
      deleted: "exec-1",
      session,
      changed: true,
    });
    expect((await place.data("executions")).executions).toEqual([]);
    await place.worldline(`sessions undelete ${session}`);
    expect((await place.data("executions")).executions).toHaveLength(1);
  });

  it("leaves a turn in its session", async () => {
    const place = withExecutions();
    const session = await place.talk();
    const { code, stderr } = await place.worldline(`executions delete turn-${session}-1 --yes`);
    expect([code, stderr]).toEqual([42, expect.stringContaining(`worldline sessions delete ${session}`)]);
  });
});

describe("worldline fork", () => {
  it("says of a fork of an execution that it is for looking", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const { session } = await place.data("executions show exec-1");
    const said = await place.text(`fork ${session}`);
    expect(said).toContain(
      "This is a fork of an execution. You can view and rewind it, but a program cannot open",
    );
    expect((await place.data("executions")).executions).toHaveLength(1);
    const { session: fork } = await place.data(`fork ${session}`);
    expect((await place.data(`executions show ${fork}`)).checkpoints).toHaveLength(3);
  });
});

describe("worldline rewind without a checkpoint", () => {
  it("lists executions of programs apart, and brings the chosen one back", async () => {
    const place = withExecutions();
    await place.talk();
    await runPipeline(place, "exec-123", "on");
    await runPipeline(place, "exec-124");
    const { stderr, stdout } = await place.worldline("rewind --yes", { typed: "4\n" });
    const rows = stderr
      .slice(stderr.indexOf("Program executions"))
      .replaceAll(/just now|now|\d+ s ago/gu, "<ago>");
    expect(rows.split("\n").slice(0, 3)).toEqual([
      "Program executions in this workspace",
      "  3  <ago>  Restore exec-124, step data_processing",
      "  4  <ago>  Restore exec-123, step data_processing",
    ]);
    expect(stdout).toContain("Restored to checkpoint: exec-123, step data_processing");
    expect(place.content("out.txt")).toBe("processed\n");
  });

  it("lists them also where there is nothing else", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-123", "on");
    const { code } = await place.worldline("rewind --yes", { typed: "1\n" });
    expect([code, place.content("out.txt")]).toEqual([0, "processed\n"]);
    expect((await place.worldline("rewind", { typed: "0\n" })).stdout).toBe("Nothing was changed.\n");
  });
});
