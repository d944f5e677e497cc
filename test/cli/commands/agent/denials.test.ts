import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { quoted } from "../../../../src/cli/commands/agent/print-person.ts";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { playground } from "../../support/command-line.ts";
import { opened, playing, session, turnEnd } from "../../support/played-agent.ts";

async function withModel(...replies: ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  const worldline = (...line: readonly string[]) => place.worldline(line, { environment });
  return { ...place, worldline };
}

const call = (name: string, input: Record<string, string>): ScriptedReply => ({ calls: [{ name, input }] });

describe("what was denied", () => {
  it("is all in the document: no terminal to ask on, a rule, or plan mode", async () => {
    const { worldline, workspace } = await withModel(
      call("Bash", { command: "npm test" }),
      call("WebFetch", { url: "http://127.0.0.1:1/", prompt: "what is there?" }),
      { text: "Neither." },
      call("Write", { file_path: "a.txt", content: "a" }),
      { text: "Not while planning." },
    );
    mkdirSync(join(workspace, "src"));
    const first = await worldline("-p", "do it", "--json", "--deny", "WebFetch");
    expect(JSON.parse(first.stdout).denied).toEqual([
      { tool: "Bash", about: "npm test", why: expect.any(String), rule: "Bash(npm test:*)" },
      {
        tool: "WebFetch",
        about: "http://127.0.0.1:1/",
        why: "it is denied by the rule WebFetch",
        rule: null,
      },
    ]);
    const second = await worldline("-p", "plan it", "--json", "--permission-mode", "plan");
    expect(JSON.parse(second.stdout).denied).toEqual([
      { tool: "Write", about: "a.txt", why: expect.stringMatching(/^plan mode: /u), rule: null },
    ]);
  });

  it("is shown with its end, and exactly in the document", async () => {
    const command = `ls${" ".repeat(480)}; echo ${"x".repeat(300)}\u200b > the-end`;
    const { worldline } = await withModel(
      call("Bash", { command }),
      { text: "No." },
      call("Bash", { command }),
      {
        text: "No.",
      },
    );
    const { stderr } = await worldline("-p", "do it");
    expect(stderr).toMatch(/^ {2}Bash ls⋯ 480 spaces ⋯; echo x+<U\+200B> > the-end$/mu);
    expect(stderr).toMatch(/--allow \$'Bash\(ls {480}.*\\u200b > the-end\)'$/mu);
    const { stdout } = await worldline("-p", "do it", "--json");
    expect(JSON.parse(stdout).denied[0].about).toBe(command);
    expect(stdout).not.toContain("\u200b");
  });

  it("can be allowed by the rule that is named, even if the command has several lines", async () => {
    const command = "touch 'one'\ntouch \"two\\n\"\n";
    const { worldline } = await withModel(
      call("Bash", { command }),
      { text: "No." },
      call("Bash", { command }),
      { text: "Yes." },
    );
    const { stderr } = await worldline("-p", "do it");
    const suggested = stderr.split("\n").find((line) => line.startsWith("  --allow "));
    const rule = asShellReads(suggested?.slice("  --allow ".length) ?? "");
    const allowed = await worldline("-p", "do it", "--json", "--allow", rule);
    expect(JSON.parse(allowed.stdout)).toMatchObject({ answer: "Yes.", denied: [] });
  });

  it.each(["plain", "it's", "a\nb", "a\\\n'\t\u001b[2J\u2028"])("is quoted for a shell: %j", (text) => {
    expect(asShellReads(quoted(text))).toBe(text);
    expect(quoted(text)).toMatch(/^[\x20-\x7e]*$/u);
  });

  it("does not suggest auto mode if that does not help", async () => {
    const outside = call("Read", { file_path: "/etc/hostname" });
    const { worldline } = await withModel(outside, { text: "No." });
    const { stdout } = await worldline(
      "-p",
      "x",
      "--permission-mode",
      "auto",
      "--output-format",
      "stream-json",
    );
    expect(stdout).toContain("this call needs in every mode (outside the workspace: /etc/hostname)");
    expect(stdout).not.toContain("--permission-mode auto");
  });

  it("does not suggest --allow if an ask rule applies", async () => {
    const { worldline, write } = await withModel(call("Bash", { command: "npm test" }), { text: "No." });
    write("user", JSON.stringify({ permissions: { ask: ["Bash(npm:*)"] } }));
    const said = await worldline("-p", "x", "--json");
    expect(JSON.parse(said.stdout).denied).toMatchObject([
      { why: "required by the rule Bash(npm:*)", rule: null },
    ]);
    const text = await (await withModel(call("Bash", { command: "npm test" }), { text: "No." })).worldline(
      "-p",
      "x",
    );
    expect(text.stderr).toContain("--allow 'Bash(npm test:*)'");
  });
});

function asShellReads(word: string): string {
  return execFileSync("bash", ["--norc", "-c", `printf %s ${word}`], {
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8" },
  });
}

describe("a plan that cannot be approved because there is no terminal", () => {
  const plan = "1. Write a.txt\n2. Test it";
  const replies = [call("ExitPlanMode", { plan }), { text: "That is the plan." }];

  it("is the answer, followed by a note about it", async () => {
    const { worldline } = await withModel(...replies);
    const said = await worldline("-p", "plan it", "--permission-mode", "plan");
    expect(said).toMatchObject({ code: 0, stdout: `${plan}\n\nThat is the plan.\n` });
  });

  it("is in the document", async () => {
    const { worldline } = await withModel(...replies);
    const said = await worldline("-p", "plan it", "--permission-mode", "plan", "--json");
    expect(JSON.parse(said.stdout)).toMatchObject({ plan, answer: "That is the plan." });
  });

  it("is not reported twice", async () => {
    const { worldline } = await withModel(call("ExitPlanMode", { plan }), { text: `So:\n${plan}\nGood?` });
    const said = await worldline("-p", "plan it", "--permission-mode", "plan");
    expect(said.stdout).toBe(`So:\n${plan}\nGood?\n`);
  });
});

describe("what a turn says", () => {
  const full: AgentEvent = {
    type: "warning",
    code: "STORE_FULL",
    message: "There is no room.",
    hint: "Make some.",
  };
  const story: Parameters<typeof playing>[0] = async ({ tell }) => {
    tell(opened);
    for (let time = 0; time < 8; time += 1) tell(full);
    tell({ type: "call", call: "call_1", name: "Grep", text: "{" });
    for (const id of ["call_1", "call_0"]) {
      const ended = { kind: "tool-end", call: id, outcome: "interrupted", parts: [], estimate: 1 };
      const at = "2026-01-01T00:00:00.000Z";
      tell({ type: "entry", entry: { seq: 1, id: "e1", parent: null, at, ...ended } as never });
    }
    return turnEnd();
  };

  it("is reported once, and names tools, not ids of calls", async () => {
    const { commands } = playing(story);
    const { stderr } = await playground().worldline("play", { commands });
    expect(stderr.split("\n").slice(4)).toEqual([
      "warning: There is no room. Make some.",
      "Grep interrupted",
      "An earlier call interrupted",
      `To continue: worldline -r ${session} "..."`,
      "",
    ]);
    const json = await playground().worldline("play --json", { commands: playing(story).commands });
    expect(JSON.parse(json.stdout).warnings).toEqual(["of the settings", "There is no room. Make some."]);
  });
});
