import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../../support/command-line.ts";

const environment = { PATH: process.env["PATH"] ?? "", OLLAMA_HOST: "127.0.0.1:1" };
const PROMPT = "find what broke: sh test.sh";
const FINDER = ["-p", "--model", "worldline/finder"];

/** A workspace whose test passed at #1 and fails since the second of three edits. */
async function broken() {
  const place = playground();
  const put = (path: string, text: string): void => writeFileSync(join(place.workspace, path), text);
  const worldline = (line: readonly string[]) => place.worldline(line, { environment });
  put("test.sh", "grep -q 'b = 2' numbers\n");
  put("numbers", "a = 1\n# -\n# -\nb = 2\n");
  put("other", "1\n");
  await worldline(["checkpoint"]);
  put("numbers", "a = 1\n# -\n# -\nb = 3\n");
  await worldline(["checkpoint"]);
  put("other", "2\n");
  const read = (path: string) => readFileSync(join(place.workspace, path), "utf8");
  return { ...place, worldline, read };
}

describe("the model worldline/finder", () => {
  it("repairs what broke the test, after a wrong guess that it takes back, and costs nothing", async () => {
    const { worldline, read } = await broken();
    const said = await worldline([...FINDER, "--permission-mode", "auto", "--json", PROMPT]);
    const answer = JSON.parse(said.stdout);
    expect(answer).toMatchObject({
      model: "worldline/finder",
      outcome: "done",
      answer: expect.stringMatching(/^Found: numbers, line 4, changed between #1 of \w+ and #2 of \w+\./u),
      backtracks: 1,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      cost: 0,
      files: [{ path: "numbers", change: "changed", added: 1, removed: 1 }],
      denied: [],
    });
    expect([read("numbers"), read("other")]).toEqual(["a = 1\n# -\n# -\nb = 2\n", "2\n"]);
  });

  it("looks at the session that it works in, too", async () => {
    const { worldline, workspace } = playground();
    const [file, goOn] = [join(workspace, "numbers"), ["-c", ...FINDER, "--permission-mode", "auto"]];
    writeFileSync(join(workspace, "test.sh"), "grep -q 'b = 2' numbers\n");
    writeFileSync(file, "b = 2\n");
    await worldline([...FINDER, "hello"], { environment });
    writeFileSync(file, "b = 3\n");
    const said = await worldline([...goOn, PROMPT], { environment });
    expect(said.stdout).toMatch(/^Found: numbers, line 1, changed between #\d+ of \w+ and #\d+ of \w+\./u);
    expect(readFileSync(file, "utf8")).toBe("b = 2\n");
    const again = await worldline([...goOn, PROMPT], { environment });
    expect(again.stdout).toBe("`sh test.sh` passes now, so there is nothing to find.\n");
  });

  it("is taken from the setting too", async () => {
    const { worldline } = await broken();
    const line = ["-p", "--setting", "model=worldline/finder", "--setting", "context.window=1000", "hello"];
    expect(await worldline(line)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^I work without a model and can do only one thing/u),
    });
  });

  it("says what it was denied, and how to allow it", async () => {
    const { worldline, read } = await broken();
    const said = await worldline([...FINDER, PROMPT]);
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Cannot tell: `sh test\.sh` could not be run\. Denied: /u),
      stderr: expect.stringContaining("  --allow 'Bash(sh test.sh)'\n"),
    });
    expect(read("numbers")).toContain("b = 3");
  });

  it.each([
    ["--setting=enableFileCheckpointing=false", "Checkpoint feature not enabled"],
    ["--no-session", "An unsaved session has no file checkpoints."],
  ])("says that it needs files, with %s", async (flag, why) => {
    const { worldline } = await broken();
    const said = await worldline([...FINDER, flag, PROMPT]);
    expect(said.code).toBe(1);
    expect(said.stderr).toContain(`The finder needs file checkpoints: ${why}`);
  });

  it("is listed as always usable, and suggested if there is no model", async () => {
    const { worldline } = playground();
    const { providers, why } = JSON.parse((await worldline("models --json", { environment })).stdout);
    expect(providers.at(-1)).toEqual({
      name: "worldline",
      kind: "finder",
      usable: "yes",
      why: "It finds what broke a test, and it works offline and without a key.",
      model: "worldline/finder",
      models: ["worldline/finder"],
    });
    expect(why).toContain("`--model worldline/finder`");
    const chosen = await worldline("models --setting model=worldline/finder", { environment });
    expect(chosen.stdout).toContain(
      "Default model (without --model): worldline/finder, context window 200,000 tokens",
    );
    expect(await worldline("setup worldline")).toMatchObject({
      code: 0,
      stdout: "worldline needs no key.\n",
    });
  });

  it("writes no summaries, and names models that could", async () => {
    const { worldline } = await broken();
    for (const number of [1, 2, 3, 4]) {
      await worldline([
        ...(number === 1 ? [] : ["-c"]),
        ...FINDER,
        `hello ${number} ${"and again ".repeat(40)}`,
      ]);
    }
    const said = await worldline(["compact", "--setting", "model=worldline/finder"]);
    expect(said.code).toBe(42);
    expect(said.stderr).toContain("cannot write summaries.\nhint: Choose another model for summaries: ");
  });
});
