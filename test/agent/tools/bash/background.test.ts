import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Toolshed, toolshed } from "../support/toolshed.ts";

/** Polls until the command has new output. */
async function nextOutput({ call }: Toolshed, input: { bash_id: string; filter?: string }): Promise<string> {
  for (;;) {
    const { text } = await call("BashOutput", input);
    if (!text.includes("(No new output")) return text;
    await sleep(10);
  }
}

async function ended({ background }: Toolshed): Promise<void> {
  while (background.running().length > 0) await sleep(10);
}

describe("a command in the background", () => {
  it("has an id at once, and is read piece by piece until its end", async () => {
    const shed = toolshed();
    const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2; exit 4";
    const said = await shed.call("Bash", { command, run_in_background: true });
    expect(said.text).toBe(
      "Started in the background as bash_1. Read its output with BashOutput, or stop it with KillShell.",
    );
    expect(await nextOutput(shed, { bash_id: "bash_1" })).toBe("bash_1: running\none");
    expect((await shed.call("BashOutput", { bash_id: "bash_1" })).text).toBe(
      "bash_1: running\n(No new output.)",
    );
    expect(shed.background.running()).toEqual([`bash_1: ${command}`]);
    writeFileSync(join(shed.workspace, "go"), "");
    await ended(shed);
    expect((await shed.call("BashOutput", { bash_id: "bash_1" })).text).toBe("bash_1: [Exit code 4]\ntwo");
    expect((await shed.call("BashOutput", { bash_id: "bash_1" })).text).toBe(
      "bash_1: [Exit code 4]\n(No new output.)",
    );
  });

  it("can be read through a filter, and a bad one costs nothing", async () => {
    const shed = toolshed();
    await shed.call("Bash", { command: "echo apple; echo -dash; echo avocado", run_in_background: true });
    await ended(shed);
    const bad = await shed.call("BashOutput", { bash_id: "bash_1", filter: "(" });
    expect(bad.outcome).toBe("error");
    expect(bad.text).toContain("unclosed group");
    expect(bad.text).toContain("apple\n-dash\navocado");
    await shed.call("Bash", { command: "echo apple; echo -dash; echo avocado", run_in_background: true });
    await ended(shed);
    expect((await shed.call("BashOutput", { bash_id: "bash_2", filter: "-d|^ap" })).text).toBe(
      "bash_2: [Exit code 0]\napple\n-dash",
    );
  });

  it("with an unknown id is refused with a list of the known ones", async () => {
    const { call } = toolshed();
    const none =
      "There is no background command bash_7. No background command has been started since this agent was opened.";
    expect((await call("BashOutput", { bash_id: "bash_7" })).text).toBe(none);
    await call("Bash", { command: "true", run_in_background: true });
    const said = await call("KillShell", { shell_id: "bash_7" });
    expect([said.outcome, said.text]).toEqual([
      "error",
      "There is no background command bash_7. Background commands: bash_1.",
    ]);
  });

  it("leaves the exit code of the command that started it on the last line", async () => {
    const shed = toolshed();
    const said = await shed.call("Bash", {
      command: "(until [ -e go ]; do sleep 0.02; done) & echo early; exit 3",
    });
    expect(said.text).toMatch(/^early\n\[The command exited, but .*\]\n\[Exit code 3\]$/u);
    writeFileSync(join(shed.workspace, "go"), "");
    await ended(shed);
  });

  it("is what a command becomes whose child outlives it", async () => {
    const shed = toolshed();
    const said = await shed.call("Bash", {
      command: "(until [ -e go ]; do sleep 0.02; done; echo late) & echo early",
    });
    expect(said.text.split("\n")[0]).toBe("early");
    expect(said.text).toContain("still running as bash_1");
    writeFileSync(join(shed.workspace, "go"), "");
    expect(await nextOutput(shed, { bash_id: "bash_1" })).toContain("late");
    await ended(shed);
  });
});
