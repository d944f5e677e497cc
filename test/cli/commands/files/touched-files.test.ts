import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { createSession, type SessionContext } from "../../../../src/machine/open.ts";
import type { Session } from "../../../../src/machine/session.ts";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import { playground } from "../../support/command-line.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const ONLY_TOUCHED = "This folder is not captured. Only files that tools have changed are tracked.";

/** One tool call after checkpoint 2 that overwrites `notes` and creates `made`. */
async function work(session: Session, notes: string, made: string): Promise<void> {
  const { checkpoint } = await session.prompt("write");
  await session.capture({ checkpoint, author: "outside" });
  const step = await session.step();
  await session.capture({ checkpoint: step, author: "timeline" });
  const input = { file_path: notes };
  await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c", name: "Write", input }] });
  await session.toolStart("c", "Write");
  const watch = await session.watchOutside([notes, made]);
  writeFileSync(notes, "two\n");
  writeFileSync(made, "made\n");
  await session.toolEnd("c", "ok", { parts: [], outside: (await watch?.changes()) ?? [] });
  await session.close();
}

function depsIn(home: string): SessionContext {
  return { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock };
}

describe("in the home folder", () => {
  async function atHome() {
    const { home, workspace, worldline } = playground();
    vi.stubEnv("HOME", workspace);
    const [notes, made] = [join(workspace, "notes"), join(workspace, "new")];
    writeFileSync(notes, "one\n", { mode: 0o600 });
    const deps: SessionContext = { ...depsIn(home), touchedFiles: "follow" };
    const session = await createSession(deps, { workspace }, { name: "a test" });
    await work(session, notes, made);
    return { worldline, notes, made };
  }

  it("rewind and redo take files that tools touched, and say that they know no others", async () => {
    const { worldline, notes, made } = await atHome();
    const dry = await worldline("rewind 2 --dry-run");
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(ONLY_TOUCHED)]);
    expect(dry.stdout).toContain("Files: 0 to create, 1 to change, 1 to delete");
    expect(dry.stdout).toContain(notes);
    expect(readFileSync(notes, "utf8")).toBe("two\n");
    const done = await worldline("rewind 2");
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(ONLY_TOUCHED)]);
    expect(done.stdout).toContain("Files: 1 restored, 1 removed, 0 kept, 0 failed\n");
    expect([readFileSync(notes, "utf8"), statSync(notes).mode & 0o777, existsSync(made)]).toEqual([
      "one\n",
      0o600,
      false,
    ]);
    const redone = await worldline("redo --json");
    const document = JSON.parse(redone.stdout) as { files: { tracked: string; outcome: object } };
    expect([redone.code, document.files.tracked]).toEqual([0, "touched"]);
    expect(document.files.outcome).toMatchObject({
      tracked: "touched",
      restored: 1,
      created: 1,
      kept: 0,
      failed: 0,
    });
    expect([readFileSync(notes, "utf8"), readFileSync(made, "utf8")]).toEqual(["two\n", "made\n"]);
  });

  it("what was changed outside is kept, and taken back if so requested", async () => {
    const { worldline, notes } = await atHome();
    writeFileSync(notes, "by hand\n");
    const kept = await worldline("rewind 2 --scope files");
    expect(kept.stdout).toContain(`kept  ${notes}  (changed outside this session)`);
    expect(readFileSync(notes, "utf8")).toBe("by hand\n");
    expect((await worldline("rewind 2 --scope files --take")).code).toBe(0);
    expect(readFileSync(notes, "utf8")).toBe("one\n");
  });

  it("a file that a tool touched is forgotten with all its contents", async () => {
    const { worldline, notes } = await atHome();
    expect((await worldline(`forget --path ${notes} --yes`)).code).toBe(0);
    const rewound = await worldline("rewind 2 --scope files");
    expect(rewound.stdout).toContain(`kept  ${notes}  (captured neither at the checkpoint nor now)`);
  });
});

describe("next to a workspace", () => {
  it("rewind shows and takes files that tools touched by their whole path", async () => {
    const { home, root, workspace, worldline } = playground();
    vi.stubEnv("HOME", join(root, "nobody"));
    const [notes, made] = [join(root, "notes"), join(root, "new")];
    writeFileSync(notes, "one\n");
    const files = await openWorkspaceFiles({ workspace, home });
    const deps: SessionContext = { ...depsIn(home), files };
    await work(await createSession(deps, { workspace }, { name: "a test" }), notes, made);
    await files.close();
    const dry = await worldline("rewind 2 --dry-run --json");
    const { files: foreseen } = JSON.parse(dry.stdout) as { files: { steps: object[]; deletions: number } };
    expect(foreseen).toMatchObject({ deletions: 1, kept: [], conflicts: [] });
    expect(foreseen.steps).toEqual([
      { path: made, what: "deleted", kind: "file", group: "tools", sizes: { before: 5 } },
      { path: notes, what: "changed", kind: "file", group: "tools", sizes: { before: 4, after: 4 } },
    ]);
    expect((await worldline("rewind 2 --yes")).stdout).toContain(
      "Files: 1 restored, 1 removed, 0 kept, 0 failed\n",
    );
    expect([readFileSync(notes, "utf8"), existsSync(made)]).toEqual(["one\n", false]);
    expect((await worldline("redo --yes")).code).toBe(0);
    expect([readFileSync(notes, "utf8"), existsSync(made)]).toEqual(["two\n", true]);
  });
});
