import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";
import { noise, tellConversation } from "../support/conversation.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/kimi");

async function told() {
  const place = playground();
  const { home, workspace, worldline } = place;
  const session = await tellConversation({ home, workspace });
  return {
    ...place,
    session,
    data: async (line: string) => JSON.parse((await worldline(`${line} --json`)).stdout),
    inWorkspace: (name: string) => join(workspace, name),
  };
}

describe("worldline sessions export", () => {
  it("gives Markdown to a pipe, the branch of the head or all of it", async () => {
    const { worldline, session } = await told();
    const { code, stdout } = await worldline("sessions export");
    expect(code).toBe(0);
    expect(stdout).toContain(`# find the leak\n\n- Session \`${session}\``);
    // The entries that the agent left by backtracking appear once, folded.
    const [before = "", ...folded] = stdout.split("<details>\n");
    const [left = "", after = ""] = folded.join("").split("\n</details>\n");
    expect(left).toContain("<summary>Before the agent went back: 0 prompts, 2 replies</summary>");
    expect([before, left, after].map((part) => part.includes(noise.trim()))).toEqual([false, true, false]);
    expect(after).toContain("> it is in pool.ts");
    const all = (await worldline("sessions export --all")).stdout;
    expect([all.includes(noise.trim()), all.includes("<details>")]).toEqual([true, false]);
  });

  it("gives one JSON document, the same with --json", async () => {
    const { data, worldline, session } = await told();
    const { stdout } = await worldline(`sessions export ${session} --format json`);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      format: { name: "worldline-session", version: 1 },
      session: { id: session },
    });
    expect(await data("sessions export --format json")).toEqual(document);
    const markdown = await data("sessions export");
    expect(markdown).toEqual({
      session,
      format: "markdown",
      content: (await worldline("sessions export")).stdout,
    });
  });

  it("writes a file that only its owner can read, in the format that its name says", async () => {
    const { worldline, data, session, inWorkspace, workspace } = await told();
    expect((await worldline(`sessions export -o leak.md`)).stdout).toMatch(
      new RegExp(`^Exported session ${session} to ${inWorkspace("leak.md")} \\(\\d.*\\)\n$`, "u"),
    );
    expect(readFileSync(inWorkspace("leak.md"), "utf8")).toBe((await worldline("sessions export")).stdout);
    expect(statSync(inWorkspace("leak.md")).mode & 0o777).toBe(0o600);
    const written = await data("sessions export --output leak.json");
    expect(written).toMatchObject({ session, format: "json", file: inWorkspace("leak.json"), damage: [] });
    expect(JSON.parse(readFileSync(inWorkspace("leak.json"), "utf8")).session.id).toBe(session);
    expect((await worldline("sessions export -o leak.bundle")).stdout).toContain("including any secrets");
    expect(readdirSync(workspace).sort()).toEqual(["leak.bundle", "leak.json", "leak.md"]);
  });

  it("replaces a file only with --force, and goes through a link", async () => {
    const { worldline, inWorkspace } = await told();
    writeFileSync(inWorkspace("old.md"), "old");
    symlinkSync("old.md", inWorkspace("link.md"));
    expect(await worldline("sessions export -o link.md")).toMatchObject({ code: 42 });
    expect(readFileSync(inWorkspace("old.md"), "utf8")).toBe("old");
    expect(await worldline("sessions export -o link.md --force")).toMatchObject({ code: 0 });
    expect(readFileSync(inWorkspace("old.md"), "utf8")).toContain("# find the leak");
  });

  it("makes text safe for a terminal, and gives a terminal no bundle", async () => {
    const { home, workspace, worldline } = playground();
    await tellConversation({ home, workspace, system: "\u001b[2J" });
    const shown = await worldline("sessions export --format json --all", { reader: "terminal" });
    expect(shown.stdout).not.toContain("\u001b");
    expect(await worldline("sessions export --format bundle", { reader: "terminal" })).toMatchObject({
      code: 42,
      stdout: "",
    });
  });
});

describe("worldline sessions import", () => {
  it("brings in a bundle, once, and finds it here after that", async () => {
    const { worldline, session, workspace } = await told();
    await worldline("sessions export -o leak.bundle");
    const bundle = join(workspace, "leak.bundle");
    const other = playground();
    const first = await other.worldline(["sessions", "import", bundle]);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      new RegExp(
        `^Imported as session ${session} from a bundle of session ${session}\n\\d+ entries, 1 long text\n` +
          `To view it: worldline tree --session ${session}\n` +
          `It is inactive until you confirm it. In the folder where it should work, run: worldline sessions confirm ${session}\n$`,
        "u",
      ),
    );
    const { stdout: there } = await worldline(`log --full --limit 0 --session ${session}`);
    expect((await other.worldline(`log --full --limit 0 --session ${session}`)).stdout).toBe(
      there.replace(/(agent session in \S+)/u, `$1, imported from bundle (${session})`),
    );
    expect((await other.worldline(["sessions", "import", bundle])).stdout).toContain("Nothing was changed.");
  });

  it("reads a bundle from a pipe, and gives it the workspace that is asked for", async () => {
    const { worldline, inWorkspace, session } = await told();
    await worldline("sessions export -o leak.bundle");
    const other = playground();
    const piped = readFileSync(inWorkspace("leak.bundle"));
    const said = await other.worldline("sessions import - --workspace . --json", { piped });
    expect(JSON.parse(said.stdout)).toMatchObject({ from: "bundle", status: "imported", session });
    expect((await other.worldline("sessions")).stdout).toContain(session);
  });

  it("refuses a bundle with a changed byte, and leaves no trace", async () => {
    const { worldline, inWorkspace } = await told();
    await worldline("sessions export -o leak.bundle");
    const bytes = readFileSync(inWorkspace("leak.bundle"));
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    const other = playground();
    writeFileSync(join(other.workspace, "leak.bundle"), bytes);
    const before = other.everything();
    expect(await other.worldline("sessions import leak.bundle")).toMatchObject({ code: 42 });
    expect(other.everything()).toEqual(before);
  });

  it("brings in a session of kimi-cli, says what was renumbered and damaged, and that it was here before", async () => {
    const { worldline, everything, workspace } = playground();
    cpSync(FIXTURES, join(workspace, "kimi"), { recursive: true });
    const { stdout } = await worldline("sessions import kimi/reverted --workspace .");
    expect(stdout).toMatch(/^Imported as session \w+ from the kimi-cli session reverted \(2 files\)\n/u);
    expect(stdout).toContain("1 other branch\n5 checkpoints, renumbered; 1 number had been used twice");
    const damaged = await worldline("sessions import kimi/damaged/context.jsonl --workspace .");
    expect(damaged.stdout).toContain("\ncontext.jsonl:8: not imported: it is not a JSON object\n");
    expect(damaged.stdout).toContain(
      "\ncontext.jsonl:15: partly imported: several records are on one line\n",
    );
    const again = JSON.parse((await worldline("sessions import kimi/reverted --workspace . --json")).stdout);
    expect(again).toMatchObject({
      from: "kimi",
      original: "reverted",
      importedBefore: [expect.any(String)],
      warnings: [expect.stringContaining("already imported")],
    });
    expect(again.numbers).toHaveLength(5);
    const sources = everything().filter(([path]) => path?.includes("/kimi/"));
    for (const [path, content] of sources.filter(([, each]) => each !== "(folder)")) {
      expect(content).toBe(readFileSync(join(FIXTURES, path?.split("/kimi/")[1] ?? ""), "utf8"));
    }
  });

  it("asks for the workspace when kimi-cli does not know it", async () => {
    const { worldline } = playground();
    expect(await worldline(["sessions", "import", join(FIXTURES, "plain")])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("--workspace <folder>"),
    });
  });

  it("lists what kimi-cli has, and what of it was imported", async () => {
    const { root, workspace, worldline } = playground();
    const kimi = join(root, "kimi");
    const shelf = join(kimi, "sessions", createHash("md5").update(workspace).digest("hex"));
    mkdirSync(shelf, { recursive: true });
    cpSync(join(FIXTURES, "plain"), join(shelf, "one"), { recursive: true });
    writeFileSync(join(kimi, "kimi.json"), JSON.stringify({ work_dirs: [{ path: workspace }] }));
    const environment = { KIMI_SHARE_DIR: kimi };
    const { session } = JSON.parse(
      (await worldline(["sessions", "import", join(shelf, "one"), "--json"], { environment })).stdout,
    );
    const { stdout } = await worldline("sessions import --list", { environment });
    expect(stdout).toContain(
      `The pool that leaks [imported as ${session}]  in ${workspace}  ${join(shelf, "one")}\n`,
    );
    const data = JSON.parse((await worldline("sessions import --list --json", { environment })).stdout);
    expect(data).toMatchObject({
      folder: kimi,
      sessions: [{ name: "one", workspace, importedAs: [session] }],
    });
    const none = await worldline("sessions import --list", {
      environment: { KIMI_SHARE_DIR: join(root, "absent") },
    });
    expect(none.stdout).toBe(`No kimi-cli sessions found in ${join(root, "absent")}\n`);
  });
});
