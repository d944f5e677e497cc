import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ScriptedReply, scripted } from "../../../src/testing/testing.ts";
import { agentMachine, ofKind, refusedOf, resultsIn, textOf } from "./support.ts";

const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
const files = { ".gitignore": ".env\nbuild/\n", ".env": "KEY=1\n", "src/a.ts": "one\n", "src/b.ts": "two\n" };

describe("the files of a turn in print mode", () => {
  it("are captured before the first tool runs, and what a command did to them can be taken back, ignored ones too", async () => {
    const here = await agentMachine(
      scripted(
        bash("rm -rf src; echo KEY=2 > .env; echo new > made.txt"),
        { text: "All gone." },
        { text: "I see." },
      ),
      { files },
    );
    const { code, events } = await here.tell("clean up");
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === "files")).toMatchObject([
      {
        files: expect.arrayContaining([
          { path: "src/a.ts", change: "deleted", added: 0, removed: 1 },
          { path: ".env", change: "changed", added: 1, removed: 1 },
          { path: "made.txt", change: "created", added: 1, removed: 0 },
        ]),
      },
    ]);
    const entries = await here.log();
    const [snapshot] = ofKind(entries, "snapshot");
    const [start] = ofKind(entries, "tool-start");
    expect(snapshot).toMatchObject({ checkpoint: 1, state: "complete" });
    expect(Number(snapshot?.seq)).toBeLessThan(Number(start?.seq));

    await here.data("rewind", "1", "--scope", "files", "--yes");
    expect(["src/a.ts", "src/b.ts", ".env", "made.txt"].map(here.read)).toEqual([
      "one\n",
      "two\n",
      "KEY=1\n",
      undefined,
    ]);
    expect(await here.ask("what is there?", "-c")).toMatchObject({ code: 0, answer: "I see." });
    expect(refusedOf(here)).toEqual([]);
    // The model is told that the files are no longer as it left them.
    const told = textOf(here.server.requests.at(-1));
    for (const path of ["src/a.ts", ".env", "made.txt"]) expect(told).toContain(path);

    // After the new turn, only its id refers to that journey.
    expect(await here.worldline(["redo", "--yes", "--json"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"NOTHING_TO_REDO"'),
    });
    const [rewind] = (await here.data("redo", "--list")).journeys;
    await here.data("redo", rewind.id, "--yes");
    expect(["src/a.ts", ".env", "made.txt"].map(here.read)).toEqual([undefined, "KEY=2\n", "new\n"]);
  });

  it("go back with the agent when it asks for that", async () => {
    const back = { checkpoint_id: 2, note: "that broke it", files: "restore" };
    const here = await agentMachine(
      scripted(
        bash("echo broken > src/a.ts; rm .env"),
        { calls: [{ name: "Backtrack", input: back }] },
        { text: "Whole again." },
      ),
      { files },
    );
    const { code, events } = await here.tell("try it");
    expect([code, refusedOf(here)]).toEqual([0, []]);
    expect(events.filter(({ type }) => type === "backtrack")).toMatchObject([
      { to: 2, files: "restore", restored: { restored: 1, created: 1, removed: 0, kept: 0, failed: 0 } },
    ]);
    expect(["src/a.ts", ".env"].map(here.read)).toEqual(["one\n", "KEY=1\n"]);
    expect(textOf(here.server.requests[2])).toContain(
      "The files were taken back to that checkpoint as well.",
    );
  });

  it("that cannot be captured are named, and fail no turn", async () => {
    const here = await agentMachine(
      scripted(bash("echo changed > src/a.ts"), { text: "Done all the same." }),
      { files },
    );
    mkdirSync(here.home);
    writeFileSync(join(here.home, "snapshots"), "not a folder");
    const { code, stdout, stderr } = await here.worldline(["-p", "change it"]);
    expect([code, stdout, here.read("src/a.ts")]).toEqual([0, "Done all the same.\n", "changed\n"]);
    expect(stderr).toMatch(/^warning: No file checkpoints: .*ENOTDIR/u);
    const rewound = await here.worldline(["rewind", "1", "--scope", "files", "--yes"]);
    expect(rewound.code).not.toBe(0);
    expect(here.read("src/a.ts")).toBe("changed\n");
  });

  it("that can no longer be captured in the middle of a turn are named, and the turn goes on", async () => {
    const here = await agentMachine(
      scripted(bash("rm -r $STORE; echo > $STORE; echo changed > src/a.ts"), bash("echo more >> src/a.ts"), {
        text: "Done.",
      }),
      { files },
    );
    Object.assign(here.environment, { STORE: join(here.home, "snapshots") });
    const { code, events } = await here.tell("change it");
    expect([code, here.read("src/a.ts")]).toEqual([0, "changed\nmore\n"]);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "done", answer: "Done." });
    const warnings = events.filter(({ type }) => type === "warning").map((event) => event["code"]);
    expect(warnings).toContain("SNAPSHOT_FAILED");
    expect(refusedOf(here)).toEqual([]);
  });

  it("stay as they are if checkpoints have none, and the agent is told that they cannot go back", async () => {
    const back = { checkpoint_id: 2, note: "that broke it", files: "restore" };
    const here = await agentMachine(
      scripted(
        bash("echo changed > src/a.ts"),
        { calls: [{ name: "Backtrack", input: back }] },
        { text: "Then not." },
      ),
      { files, environment: { WORLDLINE_FILE_CHECKPOINTING: "false" } },
    );
    expect(await here.ask("change it")).toMatchObject({ code: 0, backtracks: 0 });
    expect(resultsIn(here.server.requests[2]).at(-1)).toContain("Files cannot be restored here");
    expect(here.read("src/a.ts")).toBe("changed\n");
  });
});
