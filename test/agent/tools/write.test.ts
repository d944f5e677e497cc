import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolshed } from "./support/toolshed.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

describe("Write", () => {
  it("makes a file and the folders above it", async () => {
    const { call, workspace } = toolshed();
    const path = join(workspace, "src/новый/a b.ts");
    const text = "Created src/новый/a b.ts (2 lines).";
    expect(await call("Write", { file_path: "src/новый/a b.ts", content: "one\ntwo\n" })).toEqual({
      outcome: "ok",
      text,
      parts: [{ type: "text", text }],
      seen: [{ path, sha256: sha("one\ntwo\n") }],
      touched: [path],
    });
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(join(workspace, "src/новый"))).toEqual(["a b.ts"]);
  });

  it("overwrites only what was read on this branch and is as it was then", async () => {
    const { call, workspace, forget } = toolshed();
    const path = join(workspace, "a.txt");
    writeFileSync(path, "old\n");
    const write = async (content: string) => call("Write", { file_path: "a.txt", content });
    expect((await write("new\n")).text).toBe(
      "a.txt exists, but you have not read it in this conversation. Read it first.",
    );
    await call("Read", { file_path: "a.txt" });
    writeFileSync(path, "somebody else's\n");
    const changed = await write("new\n");
    expect([changed.outcome, changed.text, changed.touched]).toEqual([
      "error",
      "a.txt has changed since you read it. Read it again, then change it.",
      [],
    ]);
    expect(readFileSync(path, "utf8")).toBe("somebody else's\n");
    await call("Read", { file_path: "a.txt" });
    expect((await write("new\nlines\n")).text).toBe("Overwrote a.txt (2 lines, previously 1).");
    expect((await write("again")).text).toBe("Overwrote a.txt (1 line, previously 2).");
    forget();
    expect((await write("more")).outcome).toBe("error");
    expect(readFileSync(path, "utf8")).toBe("again");
  });

  it("keeps what another program saves while it writes, and says so", async () => {
    const { call, workspace } = toolshed();
    const path = join(workspace, "a.txt");
    // Large enough that reading and writing it takes a while.
    writeFileSync(path, "x".repeat(5_000_000));
    await call("Read", { file_path: "a.txt" });
    const said = call("Write", { file_path: "a.txt", content: "y".repeat(5_000_000) });
    const isBesideThere = () => readdirSync(workspace).length > 1;
    while (!isBesideThere()) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(path, "the person's");
    expect([(await said).outcome, (await said).text, (await said).touched]).toEqual([
      "error",
      "a.txt was changed by another program at the same time, so it was not overwritten. Read it again.",
      [],
    ]);
    expect(readFileSync(path, "utf8")).toBe("the person's");
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
  });

  it("keeps the mode of a file, and leaves no temporary file", async () => {
    const { call, workspace } = toolshed();
    const path = join(workspace, "run.sh");
    writeFileSync(path, "#!/bin/sh\n");
    chmodSync(path, 0o751);
    await call("Read", { file_path: "run.sh" });
    await call("Write", { file_path: "run.sh", content: "#!/bin/sh\nls\n" });
    expect(statSync(path).mode & 0o7777).toBe(0o751);
    expect(readdirSync(workspace)).toEqual(["run.sh"]);
  });

  it("writes to a link's target, and names that target in the question", async () => {
    const { call, subjects, workspace, outside } = toolshed();
    symlinkSync(join(outside, "real.txt"), join(workspace, "link.txt"));
    const wanted = { file_path: "link.txt", content: "x" };
    const real = join(outside, "real.txt");
    expect(await subjects("Write", wanted)).toEqual([{ kind: "path", path: real, access: "write" }]);
    const said = await call("Write", wanted);
    expect([said.text, said.touched, said.seen?.[0]?.path]).toEqual([
      `Created ${real} (1 line).`,
      [real],
      real,
    ]);
    expect(readFileSync(real, "utf8")).toBe("x");
    expect(readFileSync(join(workspace, "link.txt"), "utf8")).toBe("x");
  });

  it("asks about the place where the system would write through a broken link", async () => {
    const { subjects, workspace, outside } = toolshed();
    mkdirSync(join(outside, "deep"));
    symlinkSync(join(outside, "deep"), join(workspace, "way"));
    symlinkSync("way/../new.txt", join(workspace, "link.txt"));
    writeFileSync(join(workspace, "link.txt"), "x");
    rmSync(join(outside, "new.txt"));
    expect(await subjects("Write", { file_path: "link.txt", content: "x" })).toEqual([
      { kind: "path", path: join(outside, "new.txt"), access: "write" },
    ]);
  });

  it("knows a file by its real place, whichever way it was read", async () => {
    const { call, workspace } = toolshed();
    mkdirSync(join(workspace, "real"));
    symlinkSync("real", join(workspace, "alias"));
    writeFileSync(join(workspace, "real/a"), "1");
    await call("Read", { file_path: "alias/a" });
    expect((await call("Write", { file_path: "real/../real/a", content: "2" })).text).toBe(
      "Overwrote real/a (1 line, previously 1).",
    );
  });

  it("says why it cannot write", async () => {
    const { call, workspace } = toolshed();
    writeFileSync(join(workspace, "file"), "");
    mkdirSync(join(workspace, "folder"));
    const said = async (path: string) => (await call("Write", { file_path: path, content: "x" })).text;
    expect(await said("folder")).toBe("folder is a folder.");
    expect(await said("file/below")).toBe("file/below cannot be written: part of its path is not a folder.");
    expect(await said("n".repeat(300))).toContain("cannot be written: the name is too long.");
    expect(readdirSync(workspace).sort()).toEqual(["file", "folder"]);
  });

  it("says when the ends of lines change", async () => {
    const { call, workspace } = toolshed();
    writeFileSync(join(workspace, "dos"), "a\r\nb\r\n");
    await call("Read", { file_path: "dos" });
    expect((await call("Write", { file_path: "dos", content: "a\n" })).text).toBe(
      "Overwrote dos (1 line, previously 2). Its line endings changed from CRLF to LF.",
    );
  });

  it("writes nothing once it is interrupted", async () => {
    const { call, workspace } = toolshed();
    const said = await call("Write", { file_path: "a", content: "x" }, { signal: AbortSignal.abort() });
    expect([said.outcome, said.touched, existsSync(join(workspace, "a"))]).toEqual([
      "interrupted",
      [],
      false,
    ]);
  });

  it("shows beforehand what would change", async () => {
    const { call, preview, workspace } = toolshed();
    writeFileSync(join(workspace, "a"), "one\ntwo\n");
    expect(await preview("Write", { file_path: "a", content: "x" })).toEqual({
      refused: {
        why: "a exists, but you have not read it in this conversation. Read it first.",
        reason: "file-not-read",
        params: { path: "a" },
      },
    });
    await call("Read", { file_path: "a" });
    expect(await preview("Write", { file_path: "a", content: "one\nthree\n" })).toEqual({
      diff: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
    });
    expect(await preview("Write", { file_path: "b", content: "new\n" })).toEqual({
      diff: "--- /dev/null\n+++ b/b\n@@ -0,0 +1,1 @@\n+new\n",
    });
    expect(existsSync(join(workspace, "b"))).toBe(false);
  });
});
