import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSnapshotUpkeep } from "../../../../src/open-files.ts";
import { type Workshop, workshop } from "../../support/workshop.ts";

const ODD = Buffer.concat([Buffer.from("odd-"), Buffer.of(0xff), Buffer.from("\n.bin")]).toString("latin1");

/** Every path in a folder with its name, mode and content or link target, byte for byte. */
function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(Buffer.from(path, "latin1"), { encoding: "latin1" }).sort()) {
      const own = `${path}/${name}`;
      const real = Buffer.from(own, "latin1");
      const stat = lstatSync(real);
      const mode = (stat.mode & 0o7777).toString(8);
      const key = own.slice(folder.length + 1);
      if (stat.isSymbolicLink()) found[key] = `-> ${readlinkSync(real, "latin1")}`;
      else found[key] = stat.isDirectory() ? `${mode} /` : `${mode} ${readFileSync(real, "latin1")}`;
      if (stat.isDirectory()) visit(own);
    }
  };
  visit(folder);
  return found;
}

/** Exports a session with two checkpoints over files of every kind; .env is ignored. */
async function exported(...options: readonly string[]) {
  const from = workshop();
  from.put(".gitignore", ".env\n");
  from.put(".env", "KEY=hunter2-hunter2\n", 0o600);
  from.put("run.sh", "#!/bin/sh\n", 0o755);
  from.put("src/deep/a.txt", "one\n".repeat(5_000));
  from.put("empty", "");
  from.put("bytes.bin", Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 251)));
  writeFileSync(Buffer.from(`${from.workspace}/${ODD}`, "latin1"), "odd\n");
  mkdirSync(join(from.workspace, "closed"));
  chmodSync(join(from.workspace, "closed"), 0o750);
  symlinkSync("src/deep/a.txt", join(from.workspace, "link"));
  symlinkSync("/nowhere/at all", join(from.workspace, "dangling"));
  await from.worldline("checkpoint");
  const first = treeOf(from.workspace);
  from.put("src/deep/a.txt", "two\n");
  from.remove("run.sh");
  await from.worldline("checkpoint");
  const second = treeOf(from.workspace);
  const { session } = await from.data("checkpoints");
  const to = workshop();
  const bundle = join(to.root, "session.bundle");
  const said = await from.worldline(["sessions", "export", session, "-o", bundle, ...options]);
  return { from, to, session: session as string, bundle, said, first, second };
}

async function treeAt(shop: Workshop, checkpoint: string): Promise<Record<string, string>> {
  const folder = join(shop.root, `out-${checkpoint.replace(":", "-")}`);
  const said = await shop.worldline(["export-files", checkpoint, folder, "--include-ignored"]);
  expect(said).toMatchObject({ code: 0 });
  return treeOf(folder);
}

function without(tree: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => path !== name));
}

describe("a bundle with files", () => {
  it("brings every file to another home: bytes, modes, links and odd names", async () => {
    const { to, session, bundle, said, first, second } = await exported("--include-ignored");
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Includes the files of 2 snapshots.\n"),
    });
    const imported = await to.data(["sessions", "import", bundle, "--workspace", to.workspace]);
    expect(imported).toMatchObject({
      status: "imported",
      session,
      files: { snapshots: 2, missing: 0, absent: 0 },
    });
    // Its files can be viewed and restored only after the user has confirmed the session.
    expect(await to.worldline(["show", `${session}:1:src/deep/a.txt`])).toMatchObject({ code: 42 });
    await to.data(["sessions", "confirm", session, "--yes"]);
    expect(await treeAt(to, `${session}:1`)).toEqual(first);
    expect(await treeAt(to, `${session}:2`)).toEqual(second);
    expect(await to.text(["show", `${session}:1:src/deep/a.txt`])).toBe("one\n".repeat(5_000));
    expect(await to.text(["diff", `${session}:1`, `${session}:2`])).toContain("src/deep/a.txt");
    expect(await to.worldline("store verify")).toMatchObject({ code: 0 });
    expect(await to.worldline(["rewind", `${session}:1`, "--scope", "files"])).toMatchObject({ code: 0 });
    expect(treeOf(to.workspace)).toEqual(first);
  });

  it("leaves out what is in ignored files, and says so when it would be needed", async () => {
    const { to, session, bundle, said, first } = await exported();
    expect(said.stdout).toContain(
      "Ignored files are included by name only: the content of 1 file version was left out",
    );
    expect(
      (await to.worldline(["sessions", "import", bundle, "--workspace", to.workspace])).stdout,
    ).toContain("\n1 file version is not in the bundle, and cannot be restored here.\n");
    await to.data(["sessions", "confirm", session, "--yes"]);
    expect(await to.worldline(["show", `${session}:1:.env`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was not in the bundle that its snapshot came from"),
    });
    const rewound = await to.data(["rewind", `${session}:1`, "--scope", "files"]);
    expect(rewound.files.outcome).toMatchObject({
      failed: 1,
      paths: expect.arrayContaining([
        {
          path: ".env",
          outcome: "failed",
          why: "The content of this file was not in the bundle that its snapshot came from.",
          reason: "content-not-in-bundle",
          params: {},
        },
      ]),
    });
    expect(treeOf(to.workspace)).toEqual(without(first, ".env"));
    expect((await to.worldline("store verify")).stdout).toContain(
      ".env: missing from the bundle it came from",
    );
    expect(await to.worldline("store gc --yes")).toMatchObject({ code: 0 });
  });

  it("brings what a first one had left out, when it is imported again with everything", async () => {
    const { from, to, session, bundle, first } = await exported();
    await to.worldline(["sessions", "import", bundle, "--workspace", to.workspace]);
    const all = join(to.root, "all.bundle");
    await from.worldline(["sessions", "export", session, "-o", all, "--include-ignored"]);
    const again = await to.data(["sessions", "import", all, "--workspace", to.workspace]);
    expect(again).toMatchObject({ status: "already-here", files: { added: 1 } });
    await to.data(["sessions", "confirm", session, "--yes"]);
    expect(await treeAt(to, `${session}:1`)).toEqual(first);
    expect(await to.data(["sessions", "import", all, "--workspace", to.workspace])).toMatchObject({
      status: "already-here",
      files: { added: 0 },
    });
    const refs = readFileSync(join(to.home, "snapshots", "refs", `${session}.jsonl`), "utf8");
    expect(refs.match(/"do":"keep"/gu)).toHaveLength(2);
  });

  it("has no files if so requested, and then none are imported", async () => {
    const { to, session, bundle, said } = await exported("--no-files");
    expect(said.stdout).not.toContain("With the files");
    const imported = await to.data(["sessions", "import", bundle, "--workspace", to.workspace]);
    expect(imported).toMatchObject({ status: "imported", session });
    expect(imported).not.toHaveProperty("files");
    expect(existsSync(join(to.home, "snapshots"))).toBe(false);
    await to.data(["sessions", "confirm", session, "--yes"]);
    expect(await to.worldline(["show", `${session}:1:run.sh`])).toMatchObject({ code: 1 });
  });

  it("passes over snapshots that the store has let go, and counts them", async () => {
    const { from, to, session } = await exported();
    from.put("src/deep/a.txt", "three\n");
    await from.worldline("checkpoint");
    const upkeep = openSnapshotUpkeep({ home: from.home });
    const retention = { keepCount: 1, keepJourneys: 1 };
    await upkeep.collect({ retention, maxBytes: 1 }, async () => "yes");
    upkeep.close();
    const bundle = join(to.root, "late.bundle");
    const said = await from.data(["sessions", "export", session, "-o", bundle]);
    expect(said.files).toMatchObject({ snapshots: 1, missing: 2 });
    expect(await to.data(["sessions", "import", bundle])).toMatchObject({
      files: { snapshots: 1, missing: 2 },
    });
  });

  it("keeps what it brought through a gc", async () => {
    const { to, session, bundle, first } = await exported("--include-ignored");
    await to.worldline(["sessions", "import", bundle, "--workspace", to.workspace]);
    expect(await to.worldline("store gc --yes")).toMatchObject({ code: 0 });
    await to.data(["sessions", "confirm", session, "--yes"]);
    expect(await treeAt(to, `${session}:1`)).toEqual(first);
  });
});
