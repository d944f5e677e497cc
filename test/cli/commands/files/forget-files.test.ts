import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspaceFiles } from "../../../../src/open-files.ts";
import { decodePayload, scan } from "../../../../src/snapshots/segments/segment-format.ts";
import { type Workshop, workshop } from "../../support/workshop.ts";

const SECRET = 'sk-live-4242/"quoted"';

/** The files below Worldline's home that hold the text, either plain or compressed. */
function holders({ home }: Workshop, text: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return bytes.includes(text) || (path.endsWith(".seg") && unpackedHas(bytes, text));
    });
}

function unpackedHas(segment: Buffer, text: string): boolean {
  let has = false;
  const read = (position: number, length: number): Buffer => segment.subarray(position, position + length);
  scan(read, { from: 0, to: segment.length }, (stretch, payload) => {
    const decoded = stretch.is === "record" ? decodePayload(stretch.header, payload) : { why: "" };
    if ("bytes" in decoded && decoded.bytes.includes(text)) has = true;
  });
  return has;
}

/** Two checkpoints with the secret in a file that compresses well, in a JSON file, and in .env. */
async function leaked() {
  const shop = workshop();
  shop.put(".gitignore", ".env\n");
  shop.put(".env", `KEY=${SECRET}\n`);
  shop.put("config/large.txt", `${"a line that repeats\n".repeat(2_000)}${SECRET}\n`);
  shop.put("config/dump.json", JSON.stringify({ key: SECRET }));
  shop.put("harmless.txt", "nothing here\n");
  await shop.worldline("checkpoint");
  shop.put("harmless.txt", "still nothing\n");
  await shop.worldline("checkpoint");
  for (const path of [".env", "config/large.txt", "config/dump.json"]) shop.remove(path);
  shop.put("config/large.txt", "clean\n");
  return shop;
}

describe("forgetting a text that files of snapshots have", () => {
  it("erases those files whole, compressed or not, and leaves its bytes nowhere", async () => {
    const shop = await leaked();
    expect(holders(shop, SECRET)).not.toEqual([]);
    const said = await shop.worldline("forget - --yes", { piped: SECRET });
    expect(said).toMatchObject({ code: 0, stderr: "" });
    expect(said.stdout).toMatch(/^Erased 3 file versions from 2 snapshots\.\nNot covered: /u);
    expect(said.stdout).not.toContain("sk-live");
    expect(holders(shop, SECRET)).toEqual([]);
    expect(holders(shop, JSON.stringify(SECRET).slice(1, -1))).toEqual([]);
    expect(holders(shop, "nothing here")).not.toEqual([]);
  });

  it("says what it found before it does, without changing anything, and never the text", async () => {
    const shop = await leaked();
    const before = shop.everything();
    const { workspace } = shop;
    const dry = await shop.worldline(["forget", "--text", SECRET, "--dry-run"]);
    expect(dry).toEqual({
      code: 0,
      stdout: [
        "3 file versions in 2 snapshots, to be permanently erased:",
        ...[".env", "config/dump.json", "config/large.txt"].map((path) => `  ${workspace}/${path}`),
        "Nothing was changed: this was a dry run.\n",
      ].join("\n"),
      stderr: "",
    });
    const no = await shop.worldline(["forget", "--text", SECRET], { typed: "\n" });
    expect(no).toMatchObject({ code: 130, stdout: "" });
    expect(no.stderr).toContain("Permanently forget it in 3 file versions? [y/N]");
    expect(shop.everything()).toEqual(before);
  });

  it("makes a later rewind say that those paths were forgotten, and restore all others", async () => {
    const shop = await leaked();
    await shop.worldline("forget - --yes", { piped: SECRET });
    const { files } = await shop.data("rewind 1 --scope files");
    const why = "The content of this file was forgotten.";
    const failed = { outcome: "failed", why, reason: "content-forgotten", params: {} };
    expect(files.outcome.paths.filter(({ outcome }: { outcome: string }) => outcome === "failed")).toEqual([
      { path: ".env", ...failed },
      { path: "config/dump.json", ...failed },
      { path: "config/large.txt", ...failed },
    ]);
    expect(shop.files()).toEqual({
      ".gitignore": ".env\n",
      config: "/",
      "config/large.txt": "clean\n",
      "harmless.txt": "nothing here\n",
    });
    expect(await shop.worldline("show 1:.env")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("forgotten"),
    });
    expect((await shop.worldline("store verify")).stdout).toContain(".env: forgotten on request");
    expect(await shop.worldline("store gc --yes")).toMatchObject({ code: 0 });
  });

  it("warns of files that still have it, which the next checkpoint captures again", async () => {
    const shop = await leaked();
    shop.put("config/large.txt", `again ${SECRET}\n`);
    const said = await shop.worldline("forget - --yes", { piped: SECRET });
    expect(said.stderr).toBe(
      `warning: Still in the workspace, where the next checkpoint will capture it again: ${shop.workspace}/config/large.txt\n`,
    );
    await shop.worldline("checkpoint");
    expect(await shop.text("show 3:config/large.txt")).toBe(`again ${SECRET}\n`);
  });

  it("captures a file again that was forgotten and is unchanged", async () => {
    const shop = workshop();
    shop.put("a.txt", `${SECRET}\n`);
    await shop.worldline("checkpoint");
    await shop.worldline("forget - --yes", { piped: SECRET });
    expect(await shop.worldline("show 1:a.txt")).toMatchObject({ code: 1 });
    await shop.worldline("checkpoint");
    expect(await shop.text("show 2:a.txt")).toBe(`${SECRET}\n`);
  });

  it("says that names cannot be forgotten, and does not repeat them", async () => {
    const shop = workshop();
    shop.put("token-abcd1234", "token-abcd1234\n");
    symlinkSync("token-abcd1234", join(shop.workspace, "link"));
    await shop.worldline("checkpoint");
    const said = await shop.worldline(["forget", "--text", "token-abcd1234", "--dry-run"]);
    expect(said.stdout).toContain(
      "2 paths in snapshots contain it in their names; names cannot be forgotten.\n",
    );
    expect(said.stdout).toContain(`  ${shop.workspace}/[forgotten]\n`);
    expect(said.stdout + said.stderr).not.toContain("abcd1234");
  });

  it("names the program that keeps it from being erased, and can be done again when that has ended", async () => {
    const shop = workshop();
    shop.put("a.txt", `${SECRET}\n`);
    const files = await openWorkspaceFiles({ workspace: shop.workspace, home: shop.home, threads: "none" });
    await files.capture({ look: "everything" });
    shop.remove("a.txt");
    const held = await shop.worldline("forget - --yes", { piped: SECRET });
    expect(held.code).toBe(1);
    expect(held.stderr).toMatch(
      new RegExp(
        `: 1 file version could not be erased, because worldline.* \\(pid ${process.pid} on .*\\) is using it\\. Run this command again when that program has ended\\.\n`,
        "u",
      ),
    );
    expect(holders(shop, SECRET)).not.toEqual([]);
    await files.close();
    expect(await shop.worldline("forget - --yes", { piped: SECRET })).toMatchObject({ code: 0 });
    expect(holders(shop, SECRET)).toEqual([]);
  });
});

describe("forgetting a file that snapshots have", () => {
  it("erases all its versions, wherever else the same content is, and names those places", async () => {
    const shop = workshop();
    shop.put(".env", "KEY=one-one-one\n");
    shop.put("backup/env.txt", "KEY=one-one-one\n");
    shop.put("other.txt", "kept\n");
    await shop.worldline("checkpoint");
    shop.put(".env", "KEY=two-two-two\n");
    await shop.worldline("checkpoint");
    const dry = await shop.text("forget --path .env --dry-run");
    expect(dry).toBe(
      [
        "2 file versions in 2 snapshots, to be permanently erased:",
        `  ${shop.workspace}/.env`,
        "The same content is also at:",
        `  ${shop.workspace}/backup/env.txt`,
        `Still in the workspace, where the next checkpoint will capture it again: ${shop.workspace}/.env`,
        "Nothing was changed: this was a dry run.\n",
      ].join("\n"),
    );
    const said = await shop.data("forget --path .env --yes");
    expect(said).toMatchObject({ what: "path", files: { contents: 2, erased: 2, left: [] }, changed: true });
    for (const text of ["one-one-one", "two-two-two"]) expect(holders(shop, text)).toEqual([]);
    expect(holders(shop, "kept")).not.toEqual([]);
    expect(await shop.worldline("show 1:backup/env.txt")).toMatchObject({ code: 1 });
    expect(await shop.worldline("forget --path .env --yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not occur in any tool call or snapshot"),
    });
  });

  it("forgets a folder with everything in it, and leaves an empty file's content to others", async () => {
    const shop = workshop();
    mkdirSync(join(shop.workspace, "keys"));
    shop.put("keys/a", "first-secret\n");
    shop.put("keys/b", "");
    shop.put("empty", "");
    await shop.worldline("checkpoint");
    shop.remove("keys");
    expect(await shop.data("forget --path keys --yes")).toMatchObject({ files: { contents: 1, erased: 1 } });
    expect(holders(shop, "first-secret")).toEqual([]);
    expect(await shop.worldline("show 1:empty")).toMatchObject({ code: 0, stdout: "" });
  });

  it("finds it also in the files of a session that came from another folder", async () => {
    const from = workshop();
    from.put("keys.txt", "moved-secret\n");
    await from.worldline("checkpoint");
    const to = workshop();
    const bundle = join(to.root, "session.bundle");
    await from.worldline(["sessions", "export", "-o", bundle]);
    await to.worldline(["sessions", "import", bundle, "--workspace", to.workspace]);
    to.put("keys.txt", "moved-secret\n");
    const dry = await to.data("forget --path keys.txt --dry-run");
    const here = [join(to.workspace, "keys.txt")];
    expect(dry.files).toMatchObject({ contents: 1, snapshots: 1, places: here, inWorkspace: here });
  });

  it("asks which is meant where only a snapshot still has the file", async () => {
    const shop = workshop();
    shop.put("old.key", "secret-secret\n");
    await shop.worldline("checkpoint");
    shop.remove("old.key");
    expect(await shop.worldline("forget old.key --yes")).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("This could be a file"),
    });
  });

  it("keeps what was ignored unknown where the rules themselves were forgotten", async () => {
    const shop = workshop();
    shop.put(".gitignore", ".env\n");
    shop.put(".env", "KEY=1\n");
    await shop.worldline("checkpoint");
    await shop.worldline("forget --path .gitignore --yes");
    const out = join(shop.root, "out");
    expect(await shop.worldline(["export-files", "1", out])).toMatchObject({ code: 0 });
    expect(shop.files(out)).toEqual({});
  });
});
