import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openExecution } from "../../../../src/open-execution.ts";
import { languages } from "../../../../src/strings/language.ts";
import { stringsFor } from "../../../../src/strings/strings.ts";
import { expectScreen } from "../support/golden.ts";
import { say } from "../support/person.ts";
import { openWorldline, type Story } from "../support/story.ts";

/** Runs an execution in the terminal's workspace: two steps succeed and one fails after spoiling the file. */
async function runProgram({ scene }: Story): Promise<void> {
  const { workspace, home } = scene;
  const execution = await openExecution("exec-123", {
    home: join(home, ".worldline"),
    workspace,
    files: "on",
  });
  scene.write("report.txt", "loaded\n");
  await execution.step("load", () => 1);
  scene.write("report.txt", "processed\n");
  await execution.step("data_processing", () => 2);
  scene.write("report.txt", "spoiled\n");
  await execution.save({ name: "write", index: 2, status: "failed", error: new Error("no room") });
  await execution.close();
}

describe("the execution of a program in the terminal's list", () => {
  it.each(languages)("is listed separately, and is restored with its files (%s)", async (language) => {
    const story = await openWorldline({ language, files: { "notes.txt": "one\n" } });
    const { terminal, scene } = story;
    const strings = await stringsFor(language);
    await terminal.waitFor(strings.terminal.screen.status.snapshots.on);
    say(terminal, "!echo two > notes.txt");
    await terminal.waitFor("+1 -1");
    await runProgram(story);

    terminal.press("escape", "escape");
    await terminal.waitFor(strings.executions.restoreRow("exec-123", "data_processing"));
    await terminal.waitFor((lines) => !lines.join("\n").includes("…"), "all counts to be there");
    await expectScreen(terminal, `session/execution.${language}`);

    terminal.type("2");
    await terminal.waitFor("report.txt");
    terminal.press("enter");
    await terminal.waitFor("--session");
    expect(scene.read("report.txt")).toBe("processed\n");
  });
});
