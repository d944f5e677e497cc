import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playground } from "../support/command-line.ts";
import { tellConversation } from "../support/conversation.ts";

/** A home that imported a bundle with a session from another home. */
async function imported() {
  const from = playground();
  const session = await tellConversation({ home: from.home, workspace: from.workspace });
  const to = playground();
  const bundle = join(to.root, "theirs.bundle");
  await from.worldline(["sessions", "export", session, "-o", bundle]);
  expect(await to.worldline(["sessions", "import", bundle])).toMatchObject({ code: 0 });
  return { ...to, session, from };
}

describe("a session that came from elsewhere", () => {
  it("is confirmed when a command is about to act on it, and the command then continues", async () => {
    const { worldline, session, workspace, from } = await imported();
    const line = ["sessions", "rename", session, "Mine now"];
    const no = await worldline(line, { typed: "\n" });
    expect(no).toMatchObject({ code: 130, stdout: "" });
    for (const told of [session, from.workspace, `in the current folder: ${workspace}`, "bundle"]) {
      expect(no.stderr).toContain(told);
    }
    const yes = await worldline(line, { typed: "y\n" });
    expect(yes).toMatchObject({ code: 0, stdout: expect.stringContaining("Mine now") });
    expect(await worldline(["sessions", "rename", session, "Again"])).toMatchObject({ code: 0 });
  });

  it("is not confirmed without a terminal, and the error says how", async () => {
    const { worldline, session, home } = await imported();
    const said = await worldline(["sessions", "rename", session, "Mine now", "--json"], { typed: "y\n" });
    expect(said.code).toBe(42);
    expect(JSON.parse(said.stdout).error).toMatchObject({
      code: "SESSION_UNCONFIRMED",
      hint: expect.stringContaining(`worldline sessions confirm ${session}`),
    });
    expect(await worldline(["sessions", "confirm", session])).toMatchObject({ code: 42 });
    expect(existsSync(join(home, "confirmed"))).toBe(false);
  });

  it("is confirmed once, for one folder, and in the home alone", async () => {
    const { worldline, session, workspace, home } = await imported();
    const log = () => readFileSync(join(home, "sessions", session, "log.jsonl"), "utf8");
    const before = log();
    const confirm = async () =>
      JSON.parse((await worldline(["sessions", "confirm", session, "--yes", "--json"])).stdout);
    expect(await confirm()).toMatchObject({ session, workspace, changed: true });
    expect(await confirm()).toMatchObject({ session, workspace, changed: false });
    expect(log()).toBe(before);
    expect(readdirSync(join(home, "confirmed"))).toEqual([`${session}.files.json`]);
    const { stdout } = await worldline("sessions list --json");
    const [row] = JSON.parse(stdout).sessions;
    expect([row.id, row.workspace, row.unconfirmed]).toEqual([session, workspace, undefined]);
    const own = JSON.parse((await worldline("checkpoint --json")).stdout);
    expect(own.session).toBe(session);
  });

  it("is not chosen by default, and the output says so", async () => {
    const { worldline, session, from } = await imported();
    const said = await worldline(["checkpoint", "--workspace", from.workspace, "--json"]);
    expect(JSON.parse(said.stdout).session).not.toBe(session);
    const text = await worldline(["tree", "--workspace", from.workspace]);
    expect(text.code).toBe(0);
    expect(text.stdout).not.toContain(session);
  });

  it("is forgotten with the system prompt that its confirmation keeps", async () => {
    const { worldline, session, home, workspace } = await imported();
    await worldline(["sessions", "confirm", session, "--yes"]);
    const file = join(home, "confirmed", `${session}.files.json`);
    expect(readFileSync(file, "utf8")).toContain(workspace);
    const { system } = JSON.parse(readFileSync(file, "utf8"));
    const secret = String(system).slice(0, 40);
    expect(await worldline(["forget", "--text", secret, "--yes"])).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });
});
