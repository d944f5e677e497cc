import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

const never = expect.stringContaining("Never covered: .git itself");
const withoutSession = (text: string) => text.replaceAll(/\b[a-z][0-9a-z]{9}\b(?=:\d| )/gu, "<session>");

/** The workspace's own session with checkpoints #1 and #2. */
async function two() {
  const shop = workshop();
  shop.put("a.txt", "one\ntwo\n");
  shop.put("logo.bin", Uint8Array.of(0, 1, 2, 255));
  shop.put("run.sh", "echo\n");
  await shop.worldline("checkpoint start");
  shop.put("a.txt", "one\n2\n");
  chmodSync(join(shop.workspace, "run.sh"), 0o755);
  shop.put("logo.bin", Uint8Array.of(0, 1, 2, 3, 4));
  await shop.worldline(["checkpoint", "fix: parser"]);
  return shop;
}

describe("worldline diff", () => {
  it("shows each path with lines, sizes and modes", async () => {
    const { text, data } = await two();
    expect(withoutSession(await text("diff 1 2"))).toBe(
      [
        "From <session>:1 to <session>:2:",
        "  change  a.txt     +1 -1",
        "  change  logo.bin  4 bytes -> 5 bytes",
        "  mode    run.sh    mode 0644 -> 0755",
        "0 created, 0 deleted, 3 changed",
        "",
      ].join("\n"),
    );
    expect((await data("diff 1 2 --stat")).changes).toEqual([
      {
        path: "a.txt",
        what: "changed",
        kind: "file",
        sizes: { before: 8, after: 6 },
        lines: { added: 1, removed: 1 },
      },
      { path: "logo.bin", what: "changed", kind: "file", sizes: { before: 4, after: 5 } },
      { path: "run.sh", what: "mode", kind: "file", modes: { before: 0o644, after: 0o755 } },
    ]);
  });

  it("compares with now where no second is named, and writes patches that `patch` takes", async () => {
    const { text, put, data } = await two();
    put("new.txt", "new");
    expect(await text(["diff", "fix: parser", "--patch"])).toBe(
      [
        "diff a/new.txt b/new.txt",
        "nothing -> file 0644",
        "--- /dev/null",
        "+++ b/new.txt",
        "@@ -0,0 +1,1 @@",
        "+new",
        "\\ No newline at end of file",
        "",
      ].join("\n"),
    );
    expect(await data("diff 2 --patch")).toMatchObject({
      after: null,
      patch: expect.stringContaining("+new\n"),
    });
    expect(await text("diff 1 1")).toBe("No differences.\n");
  });

  it.each([
    ["diff 1 --stat --patch", 2],
    ["diff", 2],
    ["diff 9", 42],
    ["diff 1 9", 42],
    ["diff 1 --setting enableFileCheckpointing=false", 1],
  ])("refuses `%s` with exit code %d", async (line, code) => {
    const { worldline } = await two();
    expect(await worldline(line)).toMatchObject({ code, stdout: "" });
  });
});

describe("worldline show", () => {
  it("writes the bytes as they were, by number or by a label that has a colon in it", async () => {
    const { text, data, put } = await two();
    put("a.txt", "later\n");
    expect(await text("show 1:a.txt")).toBe("one\ntwo\n");
    expect(await text(["show", "fix: parser:a.txt"])).toBe("one\n2\n");
    expect(await data("show start:a.txt")).toMatchObject({
      checkpoint: 1,
      path: "a.txt",
      kind: "file",
      mode: "0644",
      size: 8,
      encoding: "utf8",
      content: "one\ntwo\n",
    });
    expect(await data("show 1:logo.bin")).toMatchObject({ encoding: "base64", content: "AAEC/w==" });
  });

  it("does not print binary content on a terminal", async () => {
    const { worldline } = await two();
    expect(await worldline("show 1:logo.bin", { reader: "terminal" })).toMatchObject({
      code: 42,
      stdout: "",
    });
    expect(await worldline("show 1:a.txt", { reader: "terminal" })).toMatchObject({ stdout: "one\ntwo\n" });
  });

  it("refuses what is not a file in a checkpoint", async () => {
    const { worldline } = await two();
    for (const file of ["1:none.txt", "a.txt", "1:", "nolabel:a.txt", "1:../x", "1:."])
      expect(await worldline(`show ${file}`)).toMatchObject({ code: 42, stdout: "" });
  });
});

describe("worldline export-files", () => {
  async function packed() {
    const shop = workshop();
    shop.put(".gitignore", ".env\n");
    shop.put(".env", "SECRET=1\n");
    shop.put("bin/run.sh", "echo\n", 0o755);
    mkdirSync(join(shop.workspace, "empty"));
    chmodSync(join(shop.workspace, "empty"), 0o700);
    symlinkSync("bin/run.sh", join(shop.workspace, "link"));
    await shop.worldline("checkpoint");
    return { ...shop, out: join(shop.root, "out") };
  }

  it("writes modes, links and empty folders, and leaves ignored files out", async () => {
    const { text, files, out } = await packed();
    expect(await text(["export-files", "1", out])).toBe(
      `Exported 5 paths to ${out}\n1 ignored file was left out; --include-ignored includes them.\n`,
    );
    expect(files(out)).toEqual({
      ".gitignore": ".env\n",
      bin: "/",
      "bin/run.sh": "echo\n",
      empty: "/",
      link: "-> bin/run.sh",
    });
    expect(statSync(join(out, "bin/run.sh")).mode & 0o7777).toBe(0o755);
    expect(statSync(join(out, "empty")).mode & 0o7777).toBe(0o700);
  });

  it("takes them when asked, and writes nothing in a dry run", async () => {
    const { data, files, out, root } = await packed();
    const dry = await data(["export-files", "1", out, "--dry-run"]);
    expect(dry).toMatchObject({ changed: false, paths: 5, ignored: [{ path: ".env" }], leftOut: [] });
    expect(files(root)).not.toHaveProperty("out");
    mkdirSync(out);
    expect(await data(["export-files", "1", out, "--include-ignored"])).toMatchObject({
      changed: true,
      paths: 6,
    });
    expect(files(out)).toHaveProperty([".env"], "SECRET=1\n");
  });

  it("never writes over something, nor into Worldline's own folder", async () => {
    const { worldline, files, out, home, root } = await packed();
    mkdirSync(out);
    writeFileSync(join(out, "there"), "");
    for (const folder of [out, join(out, "there"), join(home, "x"), join(root, "no", "where"), ""]) {
      expect(await worldline(["export-files", "1", folder])).toMatchObject({ code: 42, stdout: "" });
    }
    expect(files(out)).toEqual({ there: "" });
  });
});

describe("worldline why", () => {
  it("says whether a path is captured, and what changed it when", async () => {
    const { text, data, put } = await two();
    const lines = (await text("why a.txt")).replaceAll(/(just now|\d+ s ago) */gu, "").split("\n");
    expect(lines.map(withoutSession)).toEqual([
      "a.txt: captured (file 0644, 6 bytes)",
      "Changes, newest first:",
      "  <session>:2  changed  outside this session",
      "  <session>:1  created  outside this session",
      never,
      "",
    ]);
    put("later.txt", "");
    expect(await data("why later.txt")).toMatchObject({ coverage: "new", changes: [] });
    expect(await data("why none.txt")).toMatchObject({ coverage: "absent" });
  });

  it("says why it is not", async () => {
    const { root, text, data, put, worldline } = workshop();
    expect(await data("why a")).toMatchObject({ coverage: "unknown" });
    put("large.bin", "x".repeat(2_000));
    put(".git/HEAD", "ref: refs/heads/main\n");
    await worldline("checkpoint --setting snapshots.maxFileBytes=1000");
    expect(await text("why large.bin")).toContain(
      "large.bin: not captured: large.bin is left out (larger than snapshots.maxFileBytes)\n",
    );
    put("node_modules/p/index.js", "1\n");
    put(".gitignore", "target\nlots\n");
    put("target/out.o", "1\n");
    for (let each = 0; each <= 2_000; each += 1) put(`lots/${each}`, "");
    await worldline("checkpoint");
    const never = "folders with this name are never captured";
    expect(await text("why node_modules/p/index.js")).toContain(`node_modules is left out (${never})\n`);
    expect(await text("why target")).toContain(`target is left out (${never})\n`);
    expect(await text("why lots/1")).toContain("lots is left out (a large ignored folder)\n");
    expect(await text(["export-files", "2", join(root, "out")])).toContain(`  node_modules: ${never}\n`);
    expect(await data("why .git/HEAD")).toMatchObject({ leftOut: { path: ".git", why: "git" } });
    expect(await worldline("why ../x")).toMatchObject({ code: 42 });
  });
});
