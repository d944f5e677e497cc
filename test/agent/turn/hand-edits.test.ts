import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FilesPreview } from "../../../src/machine/files/requests.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { type Responder, type ScriptedReply, scripted } from "../../../src/testing/model-server/script.ts";
import { type Stage, stage } from "../support/stage.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

/** The paths reported as changed at the end of the turn. */
function reported({ events }: { readonly events: readonly AgentEvent[] }): readonly string[] {
  return events.flatMap((event) => (event.type === "files" ? event.files.map(({ path }) => path) : []));
}

function allFiles(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

/** An agent that asks before every call; `onQuestion` runs while the question is open. */
async function asking(
  responder: Responder,
  onQuestion: (workspace: string, question: number) => void,
): Promise<Stage> {
  let questions = 0;
  const staged: Stage = await stage({
    responder,
    mode: "manual",
    person: {
      allow: async () => {
        questions += 1;
        onQuestion(staged.workspace, questions);
        return { answer: "once" };
      },
    },
  });
  return staged;
}

/**
 * Summarizes a preview by path: whether it goes back or is kept and why, and during which commands it
 * changed.
 */
function told({ steps, kept, during }: FilesPreview): Record<string, string> {
  const told = new Map<string, string>([
    ...steps.map(({ path }) => [path, "goes back"] as const),
    ...kept.map(({ path, why }) => [path, `kept: ${why}`] as const),
  ]);
  for (const { path, calls, sign } of during) {
    const about = calls.map((call) => call.about).join(", ");
    told.set(path, `${told.get(path)}, during ${about}${sign === undefined ? "" : `, ${sign.sign}`}`);
  }
  return Object.fromEntries(told);
}

describe("a hand edit while a permission question is open", () => {
  it("is neither reported as the agent's nor taken back with it", async () => {
    const staged = await asking(scripted(bash("echo tool > tool.txt"), { text: "done" }), (workspace) =>
      writeFileSync(join(workspace, "mine.txt"), "by hand"),
    );
    const { agent, session, workspace, write } = staged;
    write("old.txt", "old");
    expect((await agent.prompt("go")).outcome).toBe("done");
    expect(reported(staged)).toEqual(["tool.txt"]);
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "old.txt": "old", "mine.txt": "by hand" });
  });

  it("is not the earlier command's of the same step either", async () => {
    const both = { calls: [...bash("echo one > one.txt").calls, ...bash("echo two > two.txt").calls] };
    const staged = await asking(scripted(both, { text: "done" }), (workspace, question) =>
      writeFileSync(join(workspace, `mine${question}.txt`), "by hand"),
    );
    const { agent, session, workspace } = staged;
    await agent.prompt("go");
    expect(reported(staged)).toEqual(["one.txt", "two.txt"]);
    await session.rewind({ to: 1, scope: "files" });
    expect(Object.keys(allFiles(workspace))).toEqual(["mine1.txt", "mine2.txt"]);
  });

  it("is kept where an edit tool asks, and the tool refuses a file that it is about to change", async () => {
    const change = { file_path: "a.txt", old_string: "one", new_string: "two" };
    const staged = await asking(
      scripted(
        { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Edit", input: change }] },
        { calls: [{ name: "Write", input: { file_path: "new.txt", content: "agent" } }] },
        { text: "done" },
      ),
      (workspace, question) => {
        if (question === 1) writeFileSync(join(workspace, "a.txt"), "one by hand\n");
        else writeFileSync(join(workspace, "new.txt"), "by hand");
      },
    );
    const { agent, session, workspace, write } = staged;
    write("a.txt", "one\n");
    await agent.prompt("go");
    expect(reported(staged)).toEqual([]);
    expect(allFiles(workspace)).toEqual({ "a.txt": "one by hand\n", "new.txt": "by hand" });
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "a.txt": "one by hand\n", "new.txt": "by hand" });
  });

  it("is a conflict where the model reads it and builds on it", async () => {
    const change = { file_path: "a.txt", old_string: "b", new_string: "B" };
    const staged = await asking(
      scripted(
        bash("true > x.txt"),
        { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Edit", input: change }] },
        { text: "done" },
      ),
      (workspace, question) => {
        if (question === 1) writeFileSync(join(workspace, "a.txt"), "a mine\nb\n");
      },
    );
    const { agent, session, read, write } = staged;
    write("a.txt", "a\nb\n");
    await agent.prompt("go");
    expect(read("a.txt")).toBe("a mine\nB\n");
    expect(told(await session.previewFiles({ to: 1 }))).toMatchObject({ "a.txt": "kept: outside" });
    await session.rewind({ to: 1, scope: "both" });
    expect(read("a.txt")).toBe("a mine\nB\n");
  });

  it("is not a sub-agent's whose call is asked about", async () => {
    const staged = await asking(
      (request) => {
        const turns = request.messages.filter(({ role }) => role === "assistant").length;
        if (turns > 0) return { text: "done" };
        return request.system.includes("sub-agent")
          ? bash("echo sub > sub.txt")
          : { calls: [{ name: "Task", input: { description: "work", prompt: "work" } }] };
      },
      (workspace) => writeFileSync(join(workspace, "mine.txt"), "by hand"),
    );
    const { agent, session, workspace } = staged;
    await agent.prompt("go");
    expect(reported(staged)).toEqual(["sub.txt"]);
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "mine.txt": "by hand" });
  });
});

describe("a hand edit while a command runs", () => {
  /** Prints "ready" and waits for the file `go` next to the workspace. */
  const WAIT = "echo ready; until [ -e ../go ]; do sleep 0.02; done";

  async function whileRunning(
    command: string,
    byHand: (workspace: string) => void | Promise<void>,
    ...then: readonly ScriptedReply[]
  ): Promise<Stage> {
    const staged: Stage = await stage({
      responder: scripted(bash(command), ...then, { text: "done" }),
      person: { allow: async () => ({ answer: "once" }) },
    });
    const { agent, workspace, write } = staged;
    write("notes.txt", "one\n");
    const stop = agent.on((event) => {
      if (event.type !== "output") return;
      stop();
      void Promise.resolve(byHand(workspace)).then(() => writeFileSync(join(workspace, "..", "go"), ""));
    });
    expect((await agent.prompt("go")).outcome).toBe("done");
    return staged;
  }

  it("is shown in a separate group, by command, and goes back by default", async () => {
    const command = `${WAIT}; echo tool > tool.txt`;
    const { session, workspace } = await whileRunning(command, (folder) =>
      writeFileSync(join(folder, "notes.txt"), "one\nby hand\n"),
    );
    expect(told(await session.previewFiles({ to: 1 }))).toEqual({
      "notes.txt": `goes back, during ${command}`,
      "tool.txt": `goes back, during ${command}`,
    });
    const choices = new Map([["notes.txt", "keep"]] as const);
    await session.rewind({ to: 1, scope: "files", choices });
    expect(allFiles(workspace)).toEqual({ "notes.txt": "one\nby hand\n" });
  });

  it("is named when the agent itself goes back over it, with the way to bring it back", async () => {
    const command = `${WAIT}; echo tool > tool.txt`;
    const back = { checkpoint_id: 2, note: "Once more.", files: "restore" };
    const { session, workspace, events } = await whileRunning(
      command,
      (folder) => writeFileSync(join(folder, "notes.txt"), "one\nby hand\n"),
      { calls: [{ name: "Backtrack", input: back }] },
    );
    expect(allFiles(workspace)).toEqual({ "notes.txt": "one\n" });
    const [journey] = await session.journeys();
    expect(events.filter((event) => event.type === "warning")).toEqual([
      {
        type: "warning",
        code: "BACKTRACK_TOOK",
        message: `The backtrack undid changes made while \`${command}\` ran: notes.txt, tool.txt.`,
        hint: `If any of those edits were yours, restore them: worldline redo ${journey?.entry.id} --scope files`,
        reason: "backtrack-took",
        params: {
          paths: ["notes.txt", "tool.txt"],
          more: 0,
          commands: [command],
          journey: journey?.entry.id,
        },
      },
    ]);
    await session.redo({ ...(journey === undefined ? {} : { wanted: journey.entry.id }), scope: "files" });
    expect(allFiles(workspace)).toEqual({ "notes.txt": "one\nby hand\n", "tool.txt": "tool\n" });
  });

  it("is kept if an editor's swap file is next to it, and so is the swap file", async () => {
    const { session, workspace } = await whileRunning(`${WAIT}; echo tool > tool.txt`, (folder) => {
      writeFileSync(join(folder, ".notes.txt.swp"), "vim");
      writeFileSync(join(folder, "notes.txt"), "one\nby hand\n");
    });
    expect(told(await session.previewFiles({ to: 1 }))).toMatchObject({
      "notes.txt": expect.stringMatching(/^kept: outside, .*, swap-file$/u),
      ".notes.txt.swp": expect.stringMatching(/^kept: outside, .*, editor-file$/u),
      "tool.txt": expect.stringMatching(/^goes back, [^,]*$/u),
    });
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "notes.txt": "one\nby hand\n", ".notes.txt.swp": "vim" });
    await session.redo();
    await session.rewind({ to: 1, scope: "both", choice: "take" });
    expect(allFiles(workspace)).toMatchObject({ "notes.txt": "one\n" });
  });

  it("is kept where the command only reads", async () => {
    const staged = await stage({ responder: scripted(bash("cat notes.txt"), { text: "done" }) });
    const { agent, session, workspace } = staged;
    const stop = agent.on((event) => {
      if (event.type !== "doing" || event.doing.what !== "tool") return;
      stop();
      writeFileSync(join(workspace, "mine.txt"), "by hand");
      void agent.interrupt();
    });
    expect((await agent.prompt("go")).outcome).toBe("interrupted");
    expect(reported(staged)).toEqual([]);
    expect(told(await session.previewFiles({ to: 1 }))).toEqual({
      "mine.txt": "kept: outside, during cat notes.txt, read-only",
    });
  });

  it.runIf(process.platform === "linux")("is kept where another program has it open", async () => {
    const { session } = await whileRunning(`${WAIT}; echo tool > tool.txt`, async (folder) => {
      // Like an editor, this process has its own session and is no longer our child.
      const script =
        "exec 3>>notes.txt; echo by hand >&3; echo $$ > ../pid; until [ -e ../over ]; do sleep 0.05; done";
      spawn("sh", ["-c", `setsid sh -c '${script}' >/dev/null 2>&1 &`], { cwd: folder });
      onTestFinished(async () => {
        writeFileSync(join(folder, "..", "over"), "");
        await sleep(150);
      });
      while (!existsSync(join(folder, "..", "pid"))) await sleep(20);
    });
    expect(told(await session.previewFiles({ to: 1 }))["notes.txt"]).toMatch(
      /^kept: outside, .*, open-elsewhere$/u,
    );
  });

  it("is also reported by a later process, and for a command that keeps running in the background", async () => {
    const first: Stage = await stage({
      responder: scripted(
        { calls: [{ name: "Bash", input: { command: "sleep 60", run_in_background: true } }] },
        { calls: [{ name: "Write", input: { file_path: "a.txt", content: "agent" } }] },
        { calls: [{ name: "Bash", input: { command: "echo b > b.txt" } }] },
        { text: "done" },
      ),
    });
    const stop = first.agent.on((event) => {
      if (event.type !== "entry" || event.entry.kind !== "tool-end") return;
      stop();
      writeFileSync(join(first.workspace, "mine.txt"), "by hand");
    });
    await first.agent.prompt("go");
    const { session } = await first.again();
    expect(told(await session.previewFiles({ to: 1 }))).toEqual({
      "a.txt": "goes back",
      "b.txt": "goes back, during sleep 60, echo b > b.txt",
      "mine.txt": "goes back, during sleep 60",
    });
  });
});

describe("a hand edit after a command has ended", () => {
  it("is kept, although it comes before the files are captured", async () => {
    const staged = await stage({ responder: scripted(bash("echo tool > tool.txt"), { text: "done" }) });
    const { agent, session, workspace } = staged;
    const stop = agent.on((event) => {
      if (event.type !== "entry" || event.entry.kind !== "tool-end") return;
      stop();
      // Busy-wait for longer than a file system's timestamp granularity; awaiting would let the capture
      // begin.
      for (const from = performance.now(); performance.now() < from + 30; );
      writeFileSync(join(workspace, "mine.txt"), "by hand");
    });
    await agent.prompt("go");
    expect(reported(staged)).toEqual(["tool.txt"]);
    await session.rewind({ to: 1, scope: "both" });
    expect(allFiles(workspace)).toEqual({ "mine.txt": "by hand" });
  });
});

describe("a backtrack that takes files back", () => {
  it("keeps what was edited by hand meanwhile", async () => {
    const staged = await asking(
      scripted(
        bash("echo tool > tool.txt"),
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "no", files: "restore" } }] },
        { text: "done" },
      ),
      (workspace) => writeFileSync(join(workspace, "mine.txt"), "by hand"),
    );
    const { agent, workspace } = staged;
    await agent.prompt("go");
    expect(allFiles(workspace)).toEqual({ "mine.txt": "by hand" });
    rmSync(join(workspace, "mine.txt"));
  });
});
