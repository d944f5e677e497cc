import { describe, expect, it } from "vitest";
import { runPipeline, withExecutions } from "./with-executions.ts";

describe("worldline executions", () => {
  it("lists what programs and agents have done here, newest first", async () => {
    const place = withExecutions();
    const session = await place.talk();
    await runPipeline(place, "exec-1");
    const { workspace, executions } = await place.data("executions");
    expect(workspace).toBe(place.workspace);
    expect(executions).toEqual([
      {
        id: "exec-1",
        scope: place.workspace,
        kind: "program",
        session: expect.any(String),
        workspace: place.workspace,
        title: null,
        status: "failed",
        steps: 3,
        last: {
          id: "ckpt-exec-1-2@1",
          name: "write",
          index: 2,
          attempt: 1,
          status: "failed",
          checkpoint: 3,
          time: expect.any(String),
        },
        used: expect.any(String),
      },
      expect.objectContaining({ id: `turn-${session}-4`, kind: "turn", title: "now write\na test" }),
      expect.objectContaining({ id: `turn-${session}-1`, kind: "turn", title: "find the leak" }),
    ]);
    expect(await place.text("executions --kind program")).toBe("exec-1  <ago>  failed  3 steps  write\n");
    expect((await place.data("executions --kind turn --limit 1")).executions).toHaveLength(1);
  });

  it("says so if there are none, in both languages, and finds those of other workspaces", async () => {
    const place = withExecutions();
    const none =
      "No executions found.\nTo see the executions in all workspaces: worldline executions --all\n";
    expect(await place.text("executions")).toBe(none);
    const zh = await place.worldline("executions --setting language=zh-CN");
    expect(zh.stdout).toContain("没有找到执行。");
    const other = await place.open("other", { workspace: place.root });
    await other.step("one", () => 1);
    await other.close();
    expect((await place.data("executions --all")).executions).toMatchObject([
      { id: "other", status: "stopped", workspace: place.root },
    ]);
    const { session } = await place.data("executions show other");
    expect(await place.data(`executions show ${session}`)).toMatchObject({
      id: "other",
      workspace: place.root,
    });
  });
});

describe("worldline executions show", () => {
  it("tells the steps of an execution", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    expect(await place.text("executions show exec-1")).toBe(
      [
        "execution  exec-1",
        "kind       program",
        "session    <session>",
        "workspace  <workspace>",
        "status     failed",
        "last used  <time>",
        "",
        "0  load             attempt 1  success  #1  <time>",
        "1  data_processing  attempt 1  success  #2  <time>",
        "2  write            attempt 1  failed   #3  <time>  disk full",
        "",
        "To show one step with its values: worldline executions show ckpt-exec-1-2@1",
        "",
      ].join("\n"),
    );
  });

  it("shows everything that a step holds, even what JSON cannot express", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    expect(await place.text("executions show ckpt-exec-1-0")).toBe(
      [
        "execution   exec-1",
        "step        0 load",
        "attempt     1",
        "status      success",
        "time        <time>",
        "checkpoint  #1",
        "",
        "state:",
        "  { at: 1970-01-01T00:00:00.000Z, ids: Set(2) { 1, 2 } }",
        "",
        "output:",
        "  { rows: 3 }",
        "",
      ].join("\n"),
    );
    expect(await place.data("executions show ckpt-exec-1-0@1")).toEqual({
      id: "ckpt-exec-1-0@1",
      execution: "exec-1",
      name: "load",
      index: 0,
      attempt: 1,
      status: "success",
      decided: null,
      error: null,
      state: { at: { $date: "1970-01-01T00:00:00.000Z" }, ids: { $set: [1, 2] } },
      context: null,
      variables: null,
      metadata: null,
      output: { rows: 3 },
      time: expect.any(String),
      checkpoint: 1,
      branch: "here",
    });
    expect(await place.data("executions show ckpt-exec-1-2")).toMatchObject({
      error: { $error: { name: "TypeError", message: "disk full" } },
    });
  });

  it("takes the beginning of an id, and never one execution for another", async () => {
    const place = withExecutions();
    for (const id of ["exec-1", "exec-10", "exec-2"]) await runPipeline(place, id);
    const shown = async (id: string) => (await place.data(`executions show ${id}`)).id;
    expect([await shown("exec-1"), await shown("exec-10"), await shown("exec-2")]).toEqual([
      "exec-1",
      "exec-10",
      "exec-2",
    ]);
    const { code, stderr } = await place.worldline("executions show exec");
    expect([code, stderr]).toEqual([42, expect.stringContaining('"exec" matches 3 executions.')]);
    await place.worldline("executions delete exec-1 --yes");
    expect(await shown("exec-1")).toBe("exec-10");
    expect((await place.data("executions show ckpt-exec-1-0")).error).toMatchObject({
      code: "CHECKPOINT_UNKNOWN",
      message: "Checkpoint ckpt-exec-1-0 not found",
      hint: 'There is no execution "exec-1". Did you mean ckpt-exec-10-0?',
    });
  });

  it("shows the turn of an agent with the same words", async () => {
    const place = withExecutions();
    const session = await place.talk();
    expect((await place.data(`executions show turn-${session}-4`)).checkpoints).toMatchObject([
      { name: "reply", status: "success", output: "Written.", checkpoint: 5 },
    ]);
    expect(await place.data(`executions show turn-${session.slice(0, 5)}`)).toMatchObject({
      error: { code: "EXECUTION_UNKNOWN", hint: `Name one of them: turn-${session}-4, turn-${session}-1` },
    });
    expect(await place.data(`executions show ckpt-turn-${session}-4-0`)).toMatchObject({
      context: { session, prompt: "now write\na test" },
    });
  });

  it("says what is not there, and what is near", async () => {
    const place = withExecutions();
    await runPipeline(place, "exec-1");
    const said = async (line: string) => {
      const { code, stderr } = await place.worldline(line);
      return [code, ...stderr.trimEnd().split("\n")];
    };
    expect(await said("executions show exce-1")).toEqual([
      42,
      'error: There is no execution "exce-1".',
      "hint: Did you mean exec-1?",
    ]);
    expect(await said("executions show ckpt-exec-1-9")).toEqual([
      42,
      "error: Checkpoint ckpt-exec-1-9 not found",
      "hint: Checkpoints: ckpt-exec-1-0@1, ckpt-exec-1-1@1, ckpt-exec-1-2@1",
    ]);
    expect(await said("executions show ckpt-zzz-1")).toEqual([
      42,
      "error: Checkpoint ckpt-zzz-1 not found",
      'hint: There is no execution "zzz". See all executions: worldline executions --all',
    ]);
  });
});
