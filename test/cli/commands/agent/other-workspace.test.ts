import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import { playground } from "../../support/command-line.ts";

interface Said {
  readonly settings?: object;
  readonly mcp?: object;
}

/**
 * Resumes a session of another folder from this one; each folder can have its own settings and MCP servers.
 */
async function resumedFrom(here: Said, there: Said, ...replies: ScriptedReply[]) {
  const server = await openModelServer(scripted({ text: "Begun." }, ...replies));
  onTestFinished(() => server.close());
  const place = playground();
  const other = join(place.root, "other");
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  const say = (folder: string, { settings, mcp }: Said) => {
    mkdirSync(join(folder, ".worldline"), { recursive: true });
    if (settings !== undefined)
      writeFileSync(join(folder, ".worldline", "settings.json"), JSON.stringify(settings));
    if (mcp !== undefined) writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: mcp }));
  };
  say(place.workspace, here);
  say(other, there);
  const begun = await place.worldline(["-p", "begin", "--json"], { environment, cwd: other });
  const { session } = JSON.parse(begun.stdout);
  return {
    ...place,
    other,
    server,
    session: String(session),
    trust: (cwd: string) => place.worldline(["config", "trust"], { environment, cwd }),
    worldline: (line: readonly string[]) => place.worldline(line, { environment }),
  };
}

const call = (name: string, input: Record<string, string>): ScriptedReply => ({ calls: [{ name, input }] });
const ways = [
  ["-r", (session: string) => ["-r", session, "-p", "go on"]],
  ["resume", (session: string) => ["resume", session, "go on"]],
] as const;

describe.each(ways)("a session that is resumed from another folder with %s", (_, line) => {
  it("is denied what its own folder denies, and allowed nothing that this one allows", async () => {
    const { worldline, trust, workspace, other, session, server } = await resumedFrom(
      { settings: { permissions: { mode: "auto", allow: ["Bash(touch:*)", "Read"] } } },
      { settings: { permissions: { deny: ["Read(secrets/**)"] } } },
      call("Read", { file_path: "secrets/key" }),
      call("Bash", { command: "touch made" }),
      { text: "Neither." },
    );
    mkdirSync(join(other, "secrets"));
    writeFileSync(join(other, "secrets", "key"), "hidden");
    await trust(workspace);
    const said = await worldline([...line(session), "--output-format", "json"]);
    expect(JSON.parse(said.stdout)).toMatchObject({
      session,
      answer: "Neither.",
      denied: expect.arrayContaining([expect.objectContaining({ tool: "Bash", about: "touch made" })]),
    });
    expect(existsSync(join(other, "made"))).toBe(false);
    expect(JSON.stringify(server.requests.at(-1)?.messages)).not.toContain("hidden");
  });

  it("uses the settings of its own folder, and that folder's servers once it is trusted", async () => {
    const server = { command: "no-such-program", env: { KEY: "$".concat("{NOT_SET_ANYWHERE}") } };
    const place = await resumedFrom(
      { settings: { unknown: 1 }, mcp: { mine: server } },
      { mcp: { theirs: server } },
      { text: "One." },
      { text: "Two." },
    );
    const before = await place.worldline(line(place.session));
    expect(before.stderr).toContain(`${join(place.other, ".mcp.json")} is not trusted yet`);
    await place.trust(place.other);
    const after = await place.worldline(line(place.session));
    expect(after.stderr).toContain(
      "The MCP server theirs needs environment variables that are not set: NOT_SET_ANYWHERE.",
    );
    expect(`${before.stderr}${after.stderr}`).not.toMatch(/mine|unknown/u);
  });

  it("is not trusted by a --trust that is about this one", async () => {
    const place = await resumedFrom(
      { settings: { permissions: { ask: ["WebFetch"] } } },
      { settings: { permissions: { allow: ["Bash(touch:*)"] } } },
      call("Bash", { command: "touch made" }),
      { text: "Not allowed." },
    );
    const said = await place.worldline([...line(place.session), "--trust"]);
    expect(said).toMatchObject({ code: 0, stdout: "Not allowed.\n" });
    expect(existsSync(join(place.other, "made"))).toBe(false);
  });
});

describe("worldline compact of a session of another folder", () => {
  it("keeps as many exchanges as that folder's settings say", async () => {
    const talk = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));
    const { worldline, trust, other, session } = await resumedFrom(
      { settings: { compaction: { keep: 1 } } },
      { settings: { compaction: { keep: 3 } } },
      ...talk,
    );
    await trust(other);
    for (const { text } of talk) await worldline(["-r", session, "-p", text]);
    const said = await worldline(["compact", "--dry-run", "--json", "--session", session]);
    expect(JSON.parse(said.stdout)).toMatchObject({
      error: { code: "NOTHING_TO_COMPACT", hint: "The last 3 exchanges are always kept." },
    });
  });
});

describe("a session of another folder", () => {
  it.each(ways)("says where it works when it continues with %s", async (_, line) => {
    const { worldline, other, session } = await resumedFrom({}, {}, { text: "Gone on." });
    const said = await worldline(line(session));
    expect(said).toMatchObject({ code: 0, stdout: "Gone on.\n" });
    expect(said.stderr.split("\n").filter((text) => text.includes("another folder"))).toEqual([
      `Session ${session} works in another folder: ${other}`,
    ]);
  });

  it.each([
    ...ways,
    ["rewind", (session: string) => ["rewind", `${session}:1`, "--yes"]],
    ["redo", (session: string) => ["redo", "--session", session]],
    ["compact", (session: string) => ["compact", "--session", session]],
  ] as const)("does not go on with %s in the folder that --workspace names", async (_, line) => {
    const { worldline, other, workspace, session } = await resumedFrom({}, {});
    const said = await worldline([...line(session), "--workspace", workspace, "--json"]);
    expect(said.code).toBe(2);
    expect(JSON.parse(said.stdout).error).toMatchObject({
      code: "USAGE",
      message: `Session ${session} belongs to ${other}, not to ${workspace}`,
    });
  });

  it("names its workspace in a document, too, and prints nothing else", async () => {
    const { worldline, other, session } = await resumedFrom({}, {}, { text: "Gone on." });
    const said = await worldline(["-r", session, "-p", "go on", "--json"]);
    expect(said.stderr).toBe("");
    expect(JSON.parse(said.stdout).warnings).toEqual([
      `Session ${session} works in another folder: ${other}`,
    ]);
  });

  it("says where it works when it is rewound", async () => {
    const { worldline, other, session } = await resumedFrom({}, {});
    const said = await worldline(["rewind", `${session}:1`, "--dry-run"]);
    expect(said.stderr).toContain(`Session ${session} works in another folder: ${other}\n`);
  });
});
