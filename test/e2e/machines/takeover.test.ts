import { expect, it } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { eventsIn, OUTPUT, ofKind, refusedOf, resultsIn } from "../agent/support.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { powerCut } from "./support/machine.ts";
import { type TwoMachines, twoMachines } from "./support/two-machines.ts";

const SLOW = "echo begun; echo ran >> runs.txt; sleep 300; echo ended >> runs.txt";
async function annaAndBert(options: { readonly leaseMs?: number } = {}): Promise<TwoMachines> {
  return twoMachines(
    byPrompt({
      "Write one": [calls("Write", { file_path: "one.txt", content: "1\n" }), { text: "One is written." }],
      "Write two": [calls("Write", { file_path: "two.txt", content: "2\n" }), { text: "Two is written." }],
      "Do the slow thing": [calls("Bash", { command: SLOW }), { text: "Whether it ran, I cannot know." }],
      "Something else": [{ text: "In a copy." }],
    }),
    { ...options, files: { "notes.txt": "Pears.\n" } },
  );
}

/** Kills anna while a command runs and switches to bert. The session is new unless the flags name one. */
async function dieAtWork(both: TwoMachines, ...flags: readonly string[]): Promise<string> {
  const slow = both.anna.start(["-p", "Do the slow thing", "--output-format", "stream-json", ...flags]);
  await slow.until("stdout", OUTPUT);
  await powerCut(slow.child);
  expect(both.read("runs.txt")).toBe("ran\n");
  both.turnTo("bert");
  return String(eventsIn(slow.said.stdout)[0]?.["session"]);
}

describeWithPostgres("a machine that died in the middle of a turn", () => {
  it("keeps the session until its lease expires, and a copy can be continued meanwhile", async () => {
    const both = await annaAndBert();
    const { bert, leaks } = both;
    const session = await dieAtWork(both);
    await bert.confirm(session);
    const [prompt, look, goOn, copy] = await Promise.all([
      bert.worldline(["-r", session, "-p", "Something else"]),
      bert.worldline(["resume", session]),
      bert.worldline(["resume", session, "--continue"]),
      bert.ask("Something else", "-r", session, "--fork"),
    ]);
    const holder = /worldline, an agent \(pid \d+ on anna\b/u;
    for (const said of [prompt, goOn]) {
      expect(said).toMatchObject({ code: 1, stdout: "" });
      const [error, hint] = said.stderr.split("\n").slice(-3);
      expect(error).toMatch(holder);
      expect(error).toMatch(/; its lease runs until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d unless it is renewed\.$/u);
      expect(hint).toContain(
        `If the process died, wait until the lease ends, or continue in a copy: worldline -r ${session} --fork`,
      );
    }
    expect(look.code).toBe(0);
    expect(look.stdout).toMatch(holder);
    expect(look.stdout).toMatch(/Its lease lasts until \d\d:\d\d:\d\d/u);
    expect(look.stdout).toContain(`Or continue in a copy: worldline -r ${session} --fork`);
    expect(copy).toMatchObject({ code: 0, answer: "In a copy." });
    expect(copy.session).not.toBe(session);
    expect(leaks()).toEqual([]);
  });

  it("is taken over after its lease, with what it left open and what only it has named", async () => {
    const both = await annaAndBert({ leaseMs: 2_000 });
    const { anna, bert, server } = both;
    const { session } = await anna.ask("Write one");
    await anna.ask("Write two", "-r", session);
    await anna.data("checkpoint", "both written", "--session", session);
    await dieAtWork(both, "-r", session);
    await bert.confirm(session);
    await both.leaseOver(session);
    const look = await bert.worldline(["resume", session]);
    const asked = server.requests.length;
    const goOn = await bert.worldline(["resume", session, "--continue"]);
    expect(goOn).toMatchObject({ code: 0, stdout: "Whether it ran, I cannot know.\n" });
    expect(JSON.stringify(server.requests.at(asked))).toContain(
      String.raw`This session now continues on another machine, \"bert\"; before, it was on \"anna\".`,
    );
    for (const told of [look.stdout, goOn.stderr]) {
      expect(told).toContain(
        `Bash ${SLOW} was started but did not finish, so it may or may not have taken effect`,
      );
      expect(told).toMatch(/last opened by worldline, an agent \(pid \d+ on anna\)/u);
      expect(told).toMatch(/elsewhere +the files of #1-#9 are only on anna/u);
    }
    expect(look.stdout).not.toContain("--rewind-files");
    // The command is not run again on its own: it has never run on this machine.
    expect(both.read("runs.txt")).toBeUndefined();
    expect(server.requests.slice(asked).map((request) => resultsIn(request).at(-1))).toEqual([
      expect.stringMatching(/^Interrupted; it is not known whether it took effect\./u),
    ]);
    expect(refusedOf(both)).toEqual([]);
    const log = await bert.log(session);
    expect(ofKind(log, "tool-start").filter(({ name }) => name === "Bash")).toHaveLength(1);
    expect(ofKind(log, "interrupt")).toMatchObject([{ by: "crash" }]);
    expect(ofKind(log, "snapshot").map(({ machine }) => machine)).toEqual([
      ...Array.from({ length: 9 }, () => "anna"),
      "bert",
    ]);
    both.turnTo("anna");
    expect(both.read("runs.txt")).toBe("ran\n");
    expect(both.leaks()).toEqual([]);
  });
});
