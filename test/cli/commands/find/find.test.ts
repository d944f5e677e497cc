import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { undo } from "../../../../src/app/find.ts";
import { sessionsHere } from "../../../../src/app/sessions/find-session.ts";
import { openStore } from "../../../../src/app/sessions/store.ts";
import { find as findChange } from "../../../../src/finder/find.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import { openSession } from "../../../../src/open-session.ts";
import { frameOf } from "../../support/frame-of.ts";
import { type Workshop, workshop } from "../../support/workshop.ts";

const TEST = ["--", "/bin/sh", "test.sh"];

/** The test script checks these files line by line. */
const CHECK = 'grep -q "two = 2" numbers && grep -q ready state\n';
const numbers = (two: number, more = ""): string =>
  `${more}one = 1\n# a\n# b\n# c\ntwo = ${two}\n# d\n# e\n# f\nthree = 3\n`;

function environment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "" };
}

/** An agent session with one step per edit; files are captured before and after each one. */
async function agentSteps(place: Workshop, steps: readonly (readonly [string, string])[]): Promise<string> {
  const { home, workspace, put } = place;
  const session = await openSession({ home, workspace, files: "on" });
  const { checkpoint } = await session.prompt("tidy the numbers");
  await session.capture({ checkpoint, author: "outside" });
  for (const [index, [path, content]] of steps.entries()) {
    const [call, input] = [`c${index}`, { file_path: join(workspace, path), content }];
    await session.reply({ model: "m", parts: [{ type: "tool-call", call, name: "Write", input }] });
    await session.toolStart(call, "Write");
    put(path, content);
    await session.toolEnd(call, "ok", "written");
    await session.capture({ checkpoint: await session.step(), author: "timeline" });
  }
  await session.close();
  return session.id;
}

async function broken() {
  const place = workshop();
  place.put("test.sh", CHECK);
  place.put("state", "ready\n");
  place.put("numbers", numbers(2));
  const session = await agentSteps(place, [
    ["other", "1\n"],
    ["numbers", numbers(3, "# begin\n")],
    ["other", "2\n"],
  ]);
  // An edit from outside continues in the same file.
  place.put("numbers", `${readFileSync(join(place.workspace, "numbers"), "utf8")}four = 4\n`);
  return { ...place, session };
}

describe("worldline find", () => {
  it("names checkpoint, prompt, tool call and lines, and touches nothing", async () => {
    const { worldline, session, files } = await broken();
    const before = files();
    const said = await worldline(["find", ...TEST], { environment: environment() });
    expect(said.code).toBe(0);
    const then = said.stdout.replaceAll(/\((?:just now|[^)]* ago)\)/gu, "(then)");
    expect(then.replace(/(by: Write ).*(\/numbers)/u, "$1$2")).toBe(
      [
        `Found: broken between #2 of ${session} (then) and #3 of ${session} (then).`,
        "  prompt: tidy the numbers",
        "  by: Write /numbers",
        "",
        "--- a/numbers",
        "+++ b/numbers",
        "@@ -2,7 +2,7 @@",
        " # a",
        " # b",
        " # c",
        "-two = 2",
        "+two = 3",
        " # d",
        " # e",
        " # f",
        "",
        "Confirmed: without this change, the test passes on the current files.",
        "To revert only this change, run the same command with --undo",
        "",
      ].join("\n"),
    );
    expect(said.stderr).toContain("Running the test on the files of now …\n  red\n");
    expect(said.stderr).toContain("Narrowing down: testing 2 hunks …\n");
    expect(files()).toEqual(before);
  });

  it("says the same in one JSON document", async () => {
    const { worldline } = await broken();
    const said = await worldline(["find", "--json", ...TEST], { environment: environment() });
    const answer = JSON.parse(said.stdout);
    expect(answer).toMatchObject({
      verdict: "found",
      states: 5,
      green: { kind: "then", checkpoint: 2 },
      red: { kind: "then", checkpoint: 3 },
      prompt: "tidy the numbers",
      author: { by: "tool", calls: [{ name: "Write", touches: "names" }] },
      change: { size: "minimal", hunks: 1, paths: [{ path: "numbers", what: "lines", hunks: 1 }] },
      confirmed: "confirmed",
      linked: [],
      undo: null,
    });
    expect(
      answer.tried.map(({ checkpoint, result }: Record<string, unknown>) => [checkpoint, result]),
    ).toEqual([
      [null, "red"],
      [4, "red"],
      [2, "green"],
      [3, "red"],
    ]);
  });

  it("takes back only that with --undo, keeps all else, and redo brings it again", async () => {
    const { worldline, files } = await broken();
    const before = files();
    const said = await worldline(["find", "--undo", ...TEST], { environment: environment() });
    expect(said.code).toBe(0);
    expect(said.stdout).toContain(
      "The test passed without this change, so it was reverted: numbers. Nothing else was changed. To undo this: worldline redo\n",
    );
    expect(files()).toEqual({ ...before, numbers: `${numbers(2, "# begin\n")}four = 4\n` });
    const again = await worldline(["find", ...TEST], { environment: environment() });
    expect([again.code, again.stdout]).toEqual([1, "The test passes now, so there is nothing to find.\n"]);
    expect((await worldline("redo --yes")).code).toBe(0);
    expect(files()).toEqual(before);
  });

  it("brings back a folder that was deleted, where that was it", async () => {
    const place = workshop();
    place.put("test.sh", "grep -q ready deep/er/state\n");
    place.put("deep/er/state", "ready\n");
    place.put("deep/er/other", "other\n");
    await place.worldline("checkpoint", { environment: environment() });
    place.remove("deep");
    const broken = place.files();
    const said = await place.worldline(["find", "--undo", ...TEST], { environment: environment() });
    expect([said.code, said.stderr]).toEqual([0, expect.stringContaining("green")]);
    expect(said.stdout).toContain("  by: an edit outside the session\n\ndeep/er/state: deleted\n");
    expect(place.files()).toEqual({ ...broken, deep: "/", "deep/er": "/", "deep/er/state": "ready\n" });
    expect((await place.worldline("redo --yes")).code).toBe(0);
    expect(place.files()).toEqual(broken);
  });

  it("names everything that has to go, if one change brought two causes", async () => {
    const place = workshop();
    place.put("test.sh", CHECK);
    place.put("state", "ready\n");
    place.put("numbers", numbers(2));
    await place.worldline("checkpoint");
    place.put("numbers", numbers(3, "# begin\n"));
    place.put("state", "gone\n");
    place.put("other", "1\n");
    const said = await place.worldline(["find", "--undo", ...TEST], { environment: environment() });
    expect([said.code, said.stdout]).toEqual([
      0,
      expect.stringContaining("All of this must be reverted for the test to pass.\nConfirmed: "),
    ]);
    expect([place.files()["numbers"], place.files()["state"]]).toEqual([numbers(2, "# begin\n"), "ready\n"]);
  });

  it("does not take back what the test does not pass without", async () => {
    const place = workshop();
    place.put("test.sh", CHECK);
    place.put("state", "ready\n");
    place.put("numbers", numbers(2));
    await agentSteps(place, [
      ["numbers", numbers(3)],
      ["state", "gone\n"],
    ]);
    const before = place.files();
    const said = await place.worldline(["find", "--undo", ...TEST], { environment: environment() });
    expect([said.code, place.files()]).toEqual([1, before]);
    expect(said.stdout).toContain("There are other causes too.\nNothing was reverted.\n");
  });

  it("says that it cannot take out what was changed since", async () => {
    const place = workshop();
    place.put("test.sh", CHECK);
    place.put("state", "ready\n");
    place.put("numbers", numbers(2));
    await agentSteps(place, [
      ["numbers", numbers(3)],
      ["numbers", numbers(5)],
    ]);
    const said = await place.worldline(["find", "--undo", ...TEST], { environment: environment() });
    expect(said.code).toBe(1);
    expect(said.stdout).toContain("because of later changes to numbers.\nNothing was reverted.\n");
  });
});

describe("worldline find cannot tell", () => {
  it("without checkpoints, and says what to do", async () => {
    const { worldline, put } = workshop();
    put("test.sh", "exit 1\n");
    const said = await worldline(["find", ...TEST], { environment: environment() });
    expect(said.code).toBe(1);
    expect(said.stdout).toBe(
      "Cannot tell: there are no checkpoints with files here, so there is nothing to compare with.\n" +
        "To create them from now on: worldline watch\n",
    );
  });

  it("where it was never green, and says how far back it looked", async () => {
    const { worldline, put } = workshop();
    put("test.sh", "exit 1\n");
    for (const content of ["1", "2", "3"]) {
      put("a", content);
      await worldline("checkpoint");
    }
    const said = await worldline(["find", "--json", ...TEST], { environment: environment() });
    expect([said.code, JSON.parse(said.stdout)]).toMatchObject([
      1,
      { verdict: "cannot-tell", why: "never-green", states: 3, change: null },
    ]);
    const text = await worldline(["find", ...TEST], { environment: environment() });
    expect(text.stdout).toMatch(
      /fails as far back as files were captured \(3 states tried, the oldest #1 of /u,
    );
  });

  it("where the command cannot be started", async () => {
    const { worldline, put } = workshop();
    put("a", "1");
    await worldline("checkpoint");
    const said = await worldline(["find", "--", "no-such-program"], { environment: environment() });
    expect(said.code).toBe(1);
    expect(said.stdout).toContain('the current files cannot be tested: "no-such-program" could not');
    expect(said.stdout).toContain("\nCheck the command. ");
    expect(said.stdout).toContain("To use a shell: worldline find -- sh -c '…'\n");
  });

  it("says why with a code for programs, and in the language of the reader", async () => {
    const { worldline, put } = workshop();
    put("a", "1");
    await worldline("checkpoint");
    const command = ["--", "/bin/sh", "-c", "exit 125"];
    const json = await worldline(["find", "--json", ...command], { environment: environment() });
    expect(JSON.parse(json.stdout)).toMatchObject({
      tried: [{ why: "the command asked to skip this state (exit code 125)", reason: "skipped", params: {} }],
    });
    const chinese = { ...environment(), LANG: "zh_CN.UTF-8" };
    const said = await worldline(["find", ...command], { environment: chinese });
    expect(said.stdout).toContain("无法判定测试：命令自己这样表示（退出代码 125）。");
  });

  it("where the test contradicts itself, and says how often it passed", async () => {
    const { worldline, put, root } = workshop();
    put("a", "good\n");
    await worldline("checkpoint");
    put("a", "bad\n");
    const script = 'echo >> "$RUNS"; grep -q good a || test $(($(wc -l < "$RUNS") % 2)) = 0';
    const runs = { ...environment(), RUNS: join(root, "runs") };
    const said = await worldline(["find", "--runs", "4", "--", "/bin/sh", "-c", script], {
      environment: runs,
    });
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(
      /^Flaky: passed [23] of 5 runs at now; cannot tell\.\nThe test seems to have broken between #1 of \w+ \([^)]*\) and now\.\n$/u,
    );
  });

  it("which of several, where those between cannot be judged", async () => {
    const { worldline, put } = workshop();
    for (const content of ["good", "skip", "bad"]) {
      put("a", `${content}\n`);
      await worldline("checkpoint");
    }
    const script = "case $(cat a) in good) exit 0;; skip) exit 125;; *) exit 1;; esac";
    const said = await worldline(["find", "--", "/bin/sh", "-c", script], { environment: environment() });
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(/by one of these changes\. The 1 state in between could not be tested/u);
    expect(said.stderr).toContain("cannot be tested: the command asked to skip this state (exit code 125)");
  });
});

describe("worldline find, interrupted", () => {
  it("stops while it captures, before any test is run, and gives the next Ctrl-C back", async () => {
    const { worldline, files } = await broken();
    const before = files();
    const listening = { before: 0, after: 0 };
    const said = await worldline(["find", "--undo", ...TEST], {
      environment: environment(),
      onInterrupt: (listener) => {
        listening.before += 1;
        listening.after += 1;
        queueMicrotask(() => listener("SIGINT"));
        return () => {
          listening.after = 0;
        };
      },
    });
    expect(said).toEqual({ code: 130, stdout: "", stderr: "error: The capture was canceled.\n" });
    expect(listening).toEqual({ before: 1, after: 0 });
    expect(files()).toEqual(before);
  });

  it("takes nothing back when that comes after the change was found", async () => {
    const place = await broken();
    const { home, workspace } = place;
    const frame = frameOf(place, { environment: environment() });
    const opened = await openWorkspaceFiles({ workspace, home, name: "worldline", threads: "none" });
    onTestFinished(() => opened.close());
    const finding = await findChange({
      files: opened,
      views: await sessionsHere(frame, openStore(frame)),
      present: await opened.capture({ look: "everything" }),
      now: Date.now(),
      command: {
        program: "/bin/sh",
        arguments: ["test.sh"],
        environment: environment(),
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      },
      within: "",
      runs: 1,
    });
    expect(finding.verdict).toBe("found");
    const before = place.files();
    const undoing = undo(frame, { files: opened, finding, signal: AbortSignal.abort() });
    await expect(undoing).rejects.toMatchObject({ code: "CANCELLED" });
    expect(place.files()).toEqual(before);
  });
});

describe("worldline find refuses", () => {
  it("to continue without a folder for temporary files, and says what to do", async () => {
    const { worldline } = await broken();
    vi.stubEnv("TMPDIR", "/no-such-folder");
    onTestFinished(() => void vi.unstubAllEnvs());
    const said = await worldline(["find", ...TEST], { environment: environment() });
    expect(said).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "The folder for temporary files, /no-such-folder, does not exist.\nhint: Set TMPDIR to a folder that you can write to.\n",
      ),
    });
  });

  it.each([
    [["find"], 2, "No test was given."],
    [["find", "--runs", "0", "--", "true"], 42, "--runs must be between 1 and 1000."],
    [["find", "--timeout", "0", "--", "true"], 42, "--timeout must be at least 1 second."],
    [["find", "--since", "99", "--", "true"], 42, "There is no checkpoint 99"],
  ])("%j", async (words, code, message) => {
    const { worldline, put } = workshop();
    put("a", "1");
    await worldline("checkpoint");
    const said = await worldline(words, { environment: environment() });
    expect([said.code, said.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
