import { describe, expect, it } from "vitest";
import { defineCommand } from "../../../../src/cli/command.ts";
import { agentOptions, readAgentOptions } from "../../../../src/cli/commands/agent/agent.ts";
import { playground } from "../../support/command-line.ts";

/** A command that prints the agent options as it parsed them. */
const commands = [
  {
    name: "read",
    summary: () => "answers with what it read",
    load: async () =>
      defineCommand({
        options: agentOptions,
        help: (help) => ({ ...help.agent, examples: { "worldline read": "reads" } }),
        run: async ({ options, frame }) => {
          const { request, ...call } = readAgentOptions(options, frame);
          frame.output.answer({ ...call, ...request }, () => "");
        },
      }),
  },
];

const plain = {
  print: "no",
  outputFormat: "json",
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  keepSession: "yes",
};

describe("a request", () => {
  it.each([
    ["", {}],
    ["-p", { print: "yes" }],
    ["--host native", { host: "native" }],
    ["--host claude", { host: "claude" }],
    ["-c", { resume: { how: "continue" } }],
    ["-c --fork", { resume: { how: "continue" }, fork: "yes" }],
    ["-r", { resume: { how: "resume" } }],
    ["-r k3f9", { resume: { how: "resume", wanted: "k3f9" } }],
    ["--resume=k3f9", { resume: { how: "resume", wanted: "k3f9" } }],
    ["--session k3f9", { resume: { how: "resume", wanted: "k3f9" } }],
    ["-r --session k3f9", { resume: { how: "resume", wanted: "k3f9" } }],
    ["--no-session", { keepSession: "no" }],
    ["--model anthropic/x --max-steps 3", { model: "anthropic/x", maxSteps: 3 }],
    ["--permission-mode auto", { mode: "auto" }],
    ["--allow Bash --allow Read --deny WebFetch", { allow: ["Bash", "Read"], deny: ["WebFetch"] }],
    ["--output-format text", {}],
  ])("is read from the options: %j", async (line, request) => {
    const { stdout } = await playground().worldline(`read --json ${line}`, { commands });
    expect(JSON.parse(stdout)).toEqual({ ...plain, ...request });
  });

  it.each([
    ["-c -r k3f9", 2, "-c and -r cannot be used together."],
    ["-r k3f9 --session other", 2, "-r and --session cannot be used together."],
    ["--no-session -c", 2, "--no-session and -c cannot be used together."],
    ["--no-session -r k3f9", 2, "--no-session and -r cannot be used together."],
    ["--fork", 2, "--fork needs a session to fork."],
    ["--host codex", 42, 'Unknown host "codex".'],
    ["--max-steps 0", 42, "--max-steps must be at least 1."],
    ["--model=", 42, "--model was given without a value."],
    ["--allow=", 42, "--allow was given without a value."],
    [
      "--allow bash",
      42,
      '--allow "bash" is not a valid permission rule: there is no tool "bash"; write Bash.',
    ],
    ["--deny Bash(", 42, expect.stringContaining('--deny "Bash(" is not a valid permission rule')],
    ["--resume=", 42, "--resume was given without a value."],
    [
      "--permission-mode yolo",
      42,
      expect.stringContaining("Allowed choices are manual, accept-edits, plan, auto"),
    ],
  ])("that cannot be meant is refused: %j", async (line, code, message) => {
    const said = await playground().worldline(`read --json ${line}`, { commands });
    expect(said.code).toBe(code);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { message } });
  });
});

describe("the command line of the agent", () => {
  it("without a prompt says that there is none", async () => {
    const { worldline } = playground();
    for (const line of ["-p", "-c", "--model x/y", "-p --json"]) {
      expect(await worldline(line), line).toMatchObject({ code: 42 });
    }
  });

  it("with -r alone and no terminal asks for a name", async () => {
    const said = await playground().worldline(["-r", "-p", "go on"]);
    expect(said).toMatchObject({ code: 2 });
    expect(said.stderr).toContain("Which session?");
  });

  it("lists sessions with --list-sessions as `sessions list` does", async () => {
    const { worldline } = playground();
    await worldline("checkpoint here");
    const listed = await worldline("--list-sessions --json");
    expect(listed).toEqual(await worldline("sessions list --json"));
    expect(JSON.parse(listed.stdout).sessions).toHaveLength(1);
  });

  it("says in one line of JSON what is wrong, before there are events", async () => {
    const said = await playground().worldline("-p --output-format stream-json");
    expect(said.stdout.split("\n")).toHaveLength(2);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: "INPUT_INVALID" } });
  });

  it("stops at settings that cannot be read", async () => {
    const place = playground();
    place.write("user", "{");
    expect(await place.worldline(["-p", "hello there"])).toMatchObject({ code: 52 });
  });

  it("names the agent's options in the help", async () => {
    const { stdout } = await playground().worldline("--help");
    for (const part of ["Agent:", "-p, --print", "-r, --resume [session]", "--output-format <format>"]) {
      expect(stdout).toContain(part);
    }
  });

  it("does not take the agent's options for a command's", async () => {
    expect(await playground().worldline("sessions list --max-steps 3")).toMatchObject({ code: 2 });
  });
});
