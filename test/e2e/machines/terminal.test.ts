import { expect, it, onTestFinished } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { OUTPUT } from "../agent/support.ts";
import { binary } from "../binary.ts";
import { Pty } from "../terminal/support/pty.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { powerCut } from "./support/machine.ts";
import { twoMachines } from "./support/two-machines.ts";

describeWithPostgres("the terminal of a second machine", () => {
  it("names the holder of the session, and after its lease what was left open and what is elsewhere", async () => {
    const both = await twoMachines(
      byPrompt({ Bake: [calls("Bash", { command: "echo begun; sleep 300" }), { text: "Baked." }] }),
    );
    const { anna, bert, workspace } = both;
    const open = (...args: readonly string[]): Pty => {
      const environment = { ...bert.environment, TERM: "xterm-256color", WORLDLINE_DEBUG: "" };
      const terminal = new Pty({
        file: process.execPath,
        args: [binary, ...args, "--permission-mode", "auto"],
        cwd: workspace,
        environment,
        columns: 100,
        rows: 30,
      });
      onTestFinished(async () => terminal.close());
      return terminal;
    };
    const baking = anna.start(["-p", "Bake", "--output-format", "stream-json"]);
    await baking.until("stdout", OUTPUT);
    const session = /"session":"([0-9a-z]{10})"/u.exec(baking.said.stdout)?.[1] ?? "";
    both.shareKey();
    const early = open("-r", session);
    expect(await early.exit()).toMatchObject({ code: 1 });
    const told = early.scrollback().join("");
    expect(told).toContain(`is in use by worldline, an agent (pid ${baking.child.pid} on anna, since `);
    expect(told).toContain(`continue in a copy: worldline -r ${session} --fork`);
    await powerCut(baking.child);
    await both.endLease(session);
    const late = open("-r", session);
    const screen = (await late.waitFor(/^elsewhere +the files of #1-#2 are only on anna/mu)).join("\n");
    expect(screen).toMatch(/Bash echo begun; sleep 300 was started but did not finish/u);
    expect(screen).toContain(`last opened by worldline, an agent (pid ${baking.child.pid} on anna)`);
    await late.waitFor("1. Continue");
    // This machine has no snapshots to restore the files from.
    expect(late.screen().join("\n")).not.toMatch(/rewind .*files/iu);
    both.hear(early.bytes + late.bytes);
    expect(both.leaks()).toEqual([]);
  });
});
