import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolFacts } from "../../../../src/hosts/claude-agent-sdk/permissions/tool-facts.ts";
import { type TempFolder, tempFolder } from "../../../../src/testing/temp-folder.ts";

let folder: TempFolder;
let workspace: string;

beforeAll(() => {
  folder = tempFolder();
  workspace = join(folder.path, "ws");
  mkdirSync(join(workspace, "src"), { recursive: true });
  writeFileSync(join(folder.path, "secret"), "x");
  symlinkSync(join(folder.path, "secret"), join(workspace, "link"));
});

afterAll(() => folder.remove());

const factsOf = (name: string, input: unknown) => toolFacts(workspace, { name, input });

describe("the facts of a call", () => {
  it("say where a path really leads, and that it is written", async () => {
    expect(await factsOf("Write", { file_path: join(workspace, "link"), content: "" })).toEqual({
      tool: "Write",
      reach: "files",
      subjects: [{ kind: "path", path: join(folder.path, "secret"), access: "write" }],
      about: join(workspace, "link"),
      writes: [join(folder.path, "secret")],
      plan: "may-not",
    });
  });

  it.each(["MultiEdit", "NotebookEdit"])("put %s under the rules for Edit", async (name) => {
    const path = join(workspace, "src/a.ipynb");
    const facts = await factsOf(name, { file_path: path, notebook_path: path });
    expect([facts.tool, facts.subjects, facts.writes]).toEqual([
      "Edit",
      [{ kind: "path", path, access: "write" }],
      [path],
    ]);
  });

  it("take a relative path from the workspace on", async () => {
    const { subjects } = await factsOf("Read", { file_path: "src/a.ts" });
    expect(subjects).toEqual([{ kind: "path", path: join(workspace, "src/a.ts"), access: "read" }]);
  });

  it("name the links that a command follows, and cannot say what it writes", async () => {
    expect(await factsOf("Bash", { command: "cat link" })).toMatchObject({
      tool: "Bash",
      reach: "anything",
      subjects: [
        { kind: "path", path: join(folder.path, "secret"), access: "read" },
        { kind: "command", command: "cat link" },
      ],
      about: "cat link",
      writes: undefined,
      plan: "may",
    });
    expect((await factsOf("Bash", { command: "cat link > x" })).plan).toBe("may-not");
  });

  it("say which folder a search begins in, whatever its pattern begins with", async () => {
    const { subjects, about } = await factsOf("Glob", { pattern: `${folder.path}/x/*.c`, path: "src" });
    expect([subjects, about]).toEqual([
      [{ kind: "path", path: join(folder.path, "x"), access: "read" }],
      `${folder.path}/x/*.c in src`,
    ]);
    expect((await factsOf("Grep", { pattern: "/etc/x" })).subjects).toEqual([
      { kind: "path", path: workspace, access: "read" },
    ]);
  });

  it("call tools what rules call them", async () => {
    const names = ["Agent", "AskUserQuestion", "TaskStop", "mcp__a__b", "New"];
    const facts = await Promise.all(names.map((name) => factsOf(name, {})));
    expect(facts.map(({ tool, reach, plan }) => [tool, reach, plan])).toEqual([
      ["Task", "anything", "may"],
      ["AskUser", "nothing", "may"],
      ["KillShell", "nothing", "may"],
      ["mcp__a__b", "anything", "may-not"],
      ["New", "anything", "may-not"],
    ]);
  });

  it("put what a server gives under the rules for that server", async () => {
    const facts = await factsOf("ReadMcpResourceTool", { server: "my files", uri: "x://y" });
    expect([facts.tool, facts.about]).toEqual(["mcp__my_files__resources", "x://y"]);
  });

  it("know what outlives a turn or leaves it", async () => {
    const names = ["Monitor", "SendMessage", "Bash"];
    const facts = await Promise.all(names.map((name) => factsOf(name, {})));
    expect(facts.map(({ beyond }) => beyond)).toEqual([
      { code: "outlives-turn" },
      { code: "beyond-session" },
      undefined,
    ]);
    expect((await factsOf("Agent", { isolation: "remote" })).beyond).toEqual({
      code: "works-elsewhere",
      where: "remote",
    });
  });

  it("law: whatever the input, there are facts, and what is unknown or unfit may do anything", async () => {
    const fields = "file_path notebook_path path pattern command url query server isolation".split(" ");
    const input = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...fields), fc.oneof(fc.string(), fc.jsonValue())),
    );
    const known = "Read Write Edit NotebookEdit Glob Grep Bash Monitor WebFetch WebSearch Agent".split(" ");
    const name = fc.oneof(
      fc.constantFrom(...known),
      fc.string().map((each) => `?${each}`),
    );
    await fc.assert(
      fc.asyncProperty(name, input, async (tool, given) => {
        const { reach, writes, subjects } = await factsOf(tool, given);
        expect(subjects.length).toBeGreaterThan(0);
        expect(writes === undefined).toBe(reach === "anything");
        if (!known.includes(tool)) expect(reach).toBe("anything");
        if (reach === "files") expect(writes).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });
});
