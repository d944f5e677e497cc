import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../../src/testing/testing.ts";
import { machine } from "../../binary.ts";
import { agentMachine, eventsIn, overEveryWire, refusedOf } from "../support.ts";

const never = scripted({ text: "Nobody should have asked." });

describe("print mode over every wire", () => {
  overEveryWire(
    "ends with 41 when the key is refused, and with 42 when the model is not known there",
    async (wire) => {
      const here = await agentMachine(
        scripted({ misbehave: { do: "status", status: 401 } }, { misbehave: { do: "status", status: 404 } }),
        { wire },
      );
      expect(await here.ask("hello")).toMatchObject({
        code: 41,
        outcome: "failed",
        error: {
          code: "MODEL_KEY",
          message: expect.stringContaining("status 401"),
          hint: expect.any(String),
        },
      });
      expect(await here.ask("hello")).toMatchObject({ code: 42, error: { code: "MODEL_UNKNOWN" } });
      expect(here.server.requests.length).toBe(2);
      expect(JSON.stringify(await here.log())).not.toContain("scripted-key");
    },
  );

  overEveryWire("ends with 53 at --max-steps, and goes on from there", async (wire) => {
    const look = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
    const here = await agentMachine(scripted(look, { text: "Now I am done." }), { wire });
    const limited = await here.ask("look around", "--max-steps", "1");
    expect(limited).toMatchObject({
      code: 53,
      outcome: "step-limit",
      steps: 1,
      error: { code: "STEP_LIMIT" },
    });
    expect(await here.worldline(["resume", "--continue"])).toMatchObject({
      code: 0,
      stdout: "Now I am done.\n",
    });
    expect(refusedOf(here)).toEqual([]);
  });
});

describe("print mode without a key", () => {
  it("ends with 41 and says what to do, in every format", async () => {
    const { worldline, home } = machine();
    const error = {
      code: "NO_MODEL",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
      hint: expect.any(String),
      reason: "no-model",
      params: { variables: expect.arrayContaining(["ANTHROPIC_API_KEY"]) },
    };
    const text = await worldline(["-p", "hello"]);
    expect(text).toMatchObject({ code: 41, stdout: "", stderr: expect.stringContaining("worldline setup") });
    const json = await worldline(["-p", "hello", "--output-format", "json"]);
    expect({ ...json, stdout: JSON.parse(json.stdout) }).toEqual({ code: 41, stdout: { error }, stderr: "" });
    const stream = await worldline(["-p", "hello", "--output-format", "stream-json"]);
    expect({ ...stream, stdout: eventsIn(stream.stdout) }).toEqual({
      code: 41,
      stdout: [{ error }],
      stderr: "",
    });
    expect(existsSync(home)).toBe(false);
  });
});

describe("print mode", () => {
  const refused: readonly (readonly [args: readonly string[], code: number, error: string])[] = [
    [["-p", "hello", "--model", "nowhere/model"], 42, "Unknown provider: nowhere/model"],
    [["-p", "hello", "--model", "anthropic/"], 42, "anthropic"],
    [["-p", "hello", "--allow", "Bash("], 42, '"Bash(" is not a valid permission rule'],
    [["-p", "hello", "--deny", ""], 42, "--deny was given without a value."],
    [["-p", "hello", "--workspace", "nowhere"], 42, "it does not exist."],
    [["-p", "hello", "--workspace", "/dev/null"], 42, "it is not a folder."],
    [["-p", ""], 42, "No prompt was given."],
    [["-p", " \n"], 42, "No prompt was given."],
    [["-p"], 42, "No prompt was given."],
    [["-p", "hello", "--max-steps", "0"], 42, "--max-steps must be at least 1."],
    [["-p", "hello", "-r", "nope"], 42, 'There is no session "nope".'],
    [["-p", "hello", "-c"], 42, "There is no session to continue"],
    [["-p", "hello", "-c", "--no-session"], 2, "cannot be used together"],
    [["-p", "hello", "--foo"], 2, "Unknown option '--foo'"],
  ];

  it("refuses what it cannot do before anything is asked or written, and says what to do instead", async () => {
    const { worldline, home, server, temporary } = await agentMachine(never);
    const said = await Promise.all(refused.map(async ([args]) => [args, await worldline(args)]));
    expect(said).toEqual(
      refused.map(([args, code, error]) => [
        args,
        { code, stdout: "", stderr: expect.stringContaining(error) },
      ]),
    );
    expect(said.filter(([, each]) => !JSON.stringify(each).includes("\\nhint: "))).toEqual([]);
    expect([server.requests.length, existsSync(home), readdirSync(temporary)]).toEqual([0, false, []]);
  });

  it("stops at settings that cannot be read with 52, line and column", async () => {
    const { ask, home, server } = await agentMachine(never);
    const file = join(home, "settings.json");
    mkdirSync(home);
    for (const [text, message] of [
      [
        '{\n  "agent": { "maxSteps": "many" }\n}\n',
        "2:26: expected a whole number from 1 to 1000000 for agent.maxSteps",
      ],
      ['{\n  "permissions": { "deny": ["Bash("] }\n}\n', "2:29: expected a rule for permissions.deny"],
      ['{\n  "agent": {', "2:13: expected"],
    ] as const) {
      writeFileSync(file, text);
      const answer = await ask("hello");
      expect(answer).toMatchObject({
        code: 52,
        error: { code: "SETTINGS_INVALID", message: expect.stringContaining(`${file}:${message}`) },
      });
    }
    expect(server.requests).toEqual([]);
  });

  it("says so when its home cannot be written, and asks no model", async () => {
    const here = await agentMachine(never, { environment: { WORLDLINE_HOME: "/dev/null/home" } });
    expect(await here.ask("hello")).toMatchObject({
      code: 1,
      error: { code: expect.stringMatching(/^STORE_/u), hint: expect.stringContaining("WORLDLINE_HOME") },
    });
    expect(here.server.requests).toEqual([]);
  });

  it("takes the prompt from a pipe, appends it to an argument, and refuses what is not text", async () => {
    const { piped, server } = await agentMachine(scripted({ text: "One." }, { text: "Two." }));
    expect(await piped("what is this?\n", "-p")).toMatchObject({ code: 0, stdout: "One.\n" });
    expect(await piped("diff --git a b\n", "-p", "review this")).toMatchObject({ code: 0, stdout: "Two.\n" });
    expect(await piped(Buffer.from([0xff, 0xfe, 0x00]), "-p")).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("not UTF-8"),
    });
    const prompts = server.requests.map(({ messages }) => messages[0]?.text.split("\n<system")[0]);
    expect(prompts).toEqual(["what is this?", "review this\n\ndiff --git a b"]);
  });
});
