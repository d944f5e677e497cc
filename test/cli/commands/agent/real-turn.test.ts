import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSession } from "../../../../src/open-session.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { type Given, playground } from "../../support/command-line.ts";

/** A playground and a model server that gives these replies. */
async function withModel(...replies: ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  return {
    ...place,
    server,
    worldline: (line: readonly string[], given: Pick<Given, "piped" | "typed"> = {}) =>
      place.worldline(line, { ...given, environment }),
  };
}

describe("worldline -p", () => {
  it("answers on stdout; what would need a question is denied, with a note on how to allow it", async () => {
    const place = await withModel(
      { text: "", calls: [{ name: "Bash", input: { command: "npm test" } }] },
      { text: "I was not allowed to." },
    );
    const said = await place.worldline(["-p", "run the tests"]);
    expect(said).toMatchObject({ code: 0, stdout: "I was not allowed to.\n" });
    expect(said.stderr).toMatch(/Bash denied: Print mode cannot ask for permission/u);
    expect(said.stderr).toMatch(/ {2}--allow 'Bash\(npm test/u);
    expect(said.stderr).toMatch(/To continue: worldline -r \S+ "\.\.\."\n$/u);
  });

  it("does what rules and mode allow, and its document says which files changed", async () => {
    const input = { file_path: "new.txt", content: "hello\n" };
    const place = await withModel(
      { text: "I write it.", calls: [{ name: "Write", input }] },
      { text: "Written." },
    );
    const line = ["-p", "write it", "--permission-mode", "accept-edits", "--output-format", "json"];
    const said = await place.worldline(line);
    expect(said.code).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({
      outcome: "done",
      answer: "Written.",
      steps: 2,
      files: [{ path: "new.txt", change: "created" }],
      denied: [],
      error: null,
    });
    expect(readFileSync(join(place.workspace, "new.txt"), "utf8")).toBe("hello\n");
  });

  it("streams events, the session first and the turn's end last, and goes on with -c", async () => {
    const place = await withModel({ text: "One." }, { text: "Two." });
    const first = await place.worldline(["-p", "--output-format", "stream-json"], { piped: "say one\n" });
    const lines = first.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(0)).toMatchObject({ type: "session", version: 1, resumed: "new" });
    expect(lines.at(-1)).toMatchObject({ type: "turn-end", outcome: "done", answer: "One." });
    const second = await place.worldline(["-c", "say two", "--json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({ answer: "Two.", session: lines[0].session });
    expect(place.server.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
  });

  it("writes nothing under its home with --no-session", async () => {
    const place = await withModel({ text: "Gone tomorrow." });
    const said = await place.worldline(["-p", "hello there", "--no-session"]);
    expect(said).toMatchObject({ code: 0, stdout: "Gone tomorrow.\n" });
    expect(existsSync(place.home) ? readdirSync(place.home) : []).toEqual([]);
    expect(said.stderr).not.toContain("To go on");
  });

  it("ends with 53 at the step limit, and the session can continue", async () => {
    const place = await withModel({ calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "There." });
    const said = await place.worldline(["-p", "look around", "--max-steps", "1"]);
    expect(said).toMatchObject({ code: 53 });
    expect(said.stderr).toMatch(/To continue: worldline resume \S+\n$/u);
    expect(await place.worldline(["resume", "--continue"])).toMatchObject({ code: 0, stdout: "There.\n" });
  });

  it("exits with 41 if there is no model", async () => {
    const said = await playground().worldline(["-p", "hello there", "--json"]);
    expect(said.code).toBe(41);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: "NO_MODEL" } });
  });

  it("uses the folder that is named first", async () => {
    const place = await withModel({ text: "Here." });
    writeFileSync(join(place.workspace, "a.txt"), "a");
    const said = await place.worldline([place.workspace, "where are you?", "--output-format", "stream-json"]);
    expect(JSON.parse(said.stdout.split("\n")[0] ?? "")).toMatchObject({ workspace: place.workspace });
  });
});

describe("the output of a command", () => {
  it("is kept whole, apart from that of a sub-agent's call with the same id", async () => {
    const flood = (letter: string): ScriptedReply => ({
      calls: [
        { id: "call-1", name: "Bash", input: { command: `head -c 40000 /dev/zero | tr '\\0' ${letter}` } },
      ],
    });
    const task = { name: "Task", input: { description: "flood too", prompt: "flood" } };
    const place = await withModel(
      flood("a"),
      { calls: [task] },
      flood("b"),
      { text: "Flooded." },
      { text: "Much." },
    );
    const said = await place.worldline(["-p", "flood", "--permission-mode", "auto", "--json"]);
    const { session, answer } = JSON.parse(said.stdout);
    expect(answer).toBe("Much.");
    const outputs = join(place.home, "sessions", session, "outputs");
    const kept = readdirSync(outputs).map((name) => readFileSync(join(outputs, name), "utf8"));
    expect(kept.sort()).toEqual(["a".repeat(40_000), "b".repeat(40_000)]);
  });
});

describe("worldline resume", () => {
  it("says what is done, open and next, and how it can continue", async () => {
    const place = await withModel({ text: "One." });
    await place.worldline(["-p", "say one"]);
    const told = await place.worldline(["resume", "--json"]);
    expect(told.code).toBe(0);
    const { session, open, choices } = JSON.parse(told.stdout);
    expect({ open, choices }).toEqual({
      open: { todos: [], turn: { state: "idle" } },
      choices: [{ way: "prompt", command: `worldline resume ${session} "..."` }],
    });
    expect((await place.worldline(["resume"])).stdout).toContain(`worldline resume ${session} "..."`);
    expect(await place.worldline(["resume", session, "--continue"])).toMatchObject({ code: 42 });
    expect(await place.worldline(["resume", session, "--rewind-files"])).toMatchObject({ code: 42 });
  });

  it("continues a turn that was cut off, or sends a new prompt", async () => {
    const place = await withModel(
      { misbehave: { do: "status", status: 401 } },
      { text: "Late, but here." },
      { text: "As you like." },
    );
    expect(await place.worldline(["-p", "say one"])).toMatchObject({ code: 41 });
    const { session, choices } = JSON.parse((await place.worldline(["resume", "--json"])).stdout);
    expect(choices.map(({ way }: { way: string }) => way)).toContain("continue");
    const went = await place.worldline(["resume", session, "--retry"]);
    expect(went).toMatchObject({ code: 0, stdout: "Late, but here.\n" });
    const other = await place.worldline(["resume", session, "something", "else"]);
    expect(other).toMatchObject({ code: 0, stdout: "As you like.\n" });
    expect(place.server.requests.at(-1)?.messages.at(-1)?.text).toContain("something else");
  });

  /** A session whose program died during a tool call that had already changed a file. */
  async function died(captured: "step" | "prompt alone") {
    const place = playground();
    const file = join(place.workspace, "a.txt");
    writeFileSync(file, "before\n");
    const { home, workspace } = place;
    const session = await openSession({ home, workspace, resume: "new", files: "on" });
    const { checkpoint } = await session.prompt("break it");
    await session.capture({ checkpoint, author: "outside" });
    const step = await session.step();
    if (captured === "step") await session.capture({ checkpoint: step, author: "timeline" });
    const call = { type: "tool-call", call: "c1", name: "Bash", input: { command: "rm a.txt" } } as const;
    await session.reply({ model: "scripted/one", parts: [call] });
    await session.toolStart("c1", "Bash");
    writeFileSync(file, "half\n");
    await session.close();
    return { ...place, file, session: session.id };
  }

  it("takes the files back to before the step that was cut", async () => {
    const { worldline, file } = await died("step");
    const told = JSON.parse((await worldline("resume --json")).stdout);
    expect(told.open.turn).toMatchObject({ state: "cut", openCalls: [{ name: "Bash", about: "rm a.txt" }] });
    const ways = told.choices.map(({ way }: { way: string }) => way);
    expect(ways).toEqual(["continue", "retry", "rewindFiles", "prompt"]);
    expect(await worldline("resume --rewind-files --yes")).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe("before\n");
  });

  it("takes no older files in place of those that were not captured, but names them", async () => {
    const { worldline, file, session } = await died("prompt alone");
    const said = await worldline("resume --rewind-files --yes --json");
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout)).toEqual({
      error: {
        code: "REWIND_REFUSED",
        reason: "files-before-step-not-captured",
        params: { session, step: 2, older: 1 },
        message: "The files before step #2 were not captured.",
        hint: `The latest earlier checkpoint with files is #1: worldline rewind ${session}:1 --scope files`,
      },
    });
    expect(readFileSync(file, "utf8")).toBe("half\n");
  });

  it.each([
    [["resume", "--continue", "--retry"], 2],
    [["resume", "x", "a prompt", "--retry"], 2],
    [["resume", "nobody"], 42],
    [["resume"], 42],
  ])("refuses %j", async (line, code) => {
    expect(await playground().worldline(line)).toMatchObject({ code });
  });

  it("asks how, if there is a terminal", async () => {
    const place = await withModel({ misbehave: { do: "status", status: 401 } }, { text: "Gone on." });
    await place.worldline(["-p", "say one"]);
    const left = await place.worldline(["resume"], { typed: "\n" });
    expect(left).toMatchObject({ code: 0 });
    expect(left.stderr).toContain("[c]ontinue, [r]etry");
    const went = await place.worldline(["resume"], { typed: "x\nc\n" });
    expect(went.stdout).toContain("Gone on.\n");
    expect(went.stderr).toContain('"x" is not an option: type c, r or f.');
    const recaps = `${went.stdout}${went.stderr}`.match(/^asked {2}say one$/gmu);
    expect(recaps).toEqual(["asked  say one"]);
  });
});
