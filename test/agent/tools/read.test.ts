import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolshed } from "./support/toolshed.ts";

const sha = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A one-pixel image. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function shedWith(files: Record<string, string | Uint8Array>) {
  const shed = toolshed();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(shed.workspace, name), content);
  return shed;
}

describe("Read", () => {
  it("numbers the lines, and knows the whole file from now on", async () => {
    const { call, workspace } = shedWith({ "a.txt": "one\n\ttwo\n\nlast" });
    const text = "     1\tone\n     2\t\ttwo\n     3\t\n     4\tlast";
    expect(await call("Read", { file_path: "a.txt" })).toEqual({
      outcome: "ok",
      text,
      parts: [{ type: "text", text }],
      seen: [{ path: join(workspace, "a.txt"), sha256: sha("one\n\ttwo\n\nlast") }],
    });
  });

  it("shows a range, says where to read on, and still knows the whole file", async () => {
    const whole = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");
    const { call, workspace } = shedWith({ "a.txt": whole });
    const said = await call("Read", { file_path: join(workspace, "a.txt"), offset: 4, limit: 2 });
    expect(said.text).toBe(
      "     4\tline 4\n     5\tline 5\n[showing lines 4 to 5 of 10; to continue, use offset 6]",
    );
    expect(said.seen).toEqual([{ path: join(workspace, "a.txt"), sha256: sha(whole) }]);
    expect((await call("Read", { file_path: "a.txt", offset: 9 })).text).toBe(
      "     9\tline 9\n    10\tline 10",
    );
    const past = await call("Read", { file_path: "a.txt", offset: 11 });
    expect([past.outcome, past.text, past.seen]).toEqual([
      "error",
      "a.txt has only 10 lines; line 11 is past the end.",
      undefined,
    ]);
  });

  it("shows 2,000 lines at most, and not more than fits", async () => {
    const { call } = shedWith({
      "many.txt": "x\n".repeat(5_000),
      "wide.txt": `${"y".repeat(999)}\n`.repeat(500),
    });
    const many = (await call("Read", { file_path: "many.txt" })).text.split("\n");
    expect(many.slice(-2)).toEqual([
      "  2000\tx",
      "[showing lines 1 to 2000 of 5,000; to continue, use offset 2001]",
    ]);
    const wide = await call("Read", { file_path: "wide.txt" });
    expect(wide.text.length).toBeLessThan(100_200);
    expect(wide.text).toContain("[showing lines 1 to 99 of 500; to continue, use offset 100]");
  });

  it("cuts a long line and says so, without cutting a character in two", async () => {
    const { call } = shedWith({ "long.txt": `${"a".repeat(1_999)}😀 and more\nshort\n` });
    expect((await call("Read", { file_path: "long.txt" })).text).toBe(
      `     1\t${"a".repeat(1_999)} … (truncated)\n     2\tshort\n[1 line truncated at 2,000 characters]`,
    );
  });

  it("reads a line of 20 MB", async () => {
    const bytes = Buffer.alloc(20_000_000, "z");
    const { call, workspace } = shedWith({ "one-line.js": bytes });
    const said = await call("Read", { file_path: "one-line.js" });
    expect(said.text.length).toBeLessThan(2_100);
    expect(said.seen).toEqual([{ path: join(workspace, "one-line.js"), sha256: sha(bytes) }]);
  });

  it("shows bytes that are not UTF-8 safely, and hides line ends and byte order marks", async () => {
    const { call } = shedWith({
      latin: Buffer.from("caf\xe9\nok\n", "latin1"),
      dos: "\ufeffone\r\ntwo\r\n",
      empty: "",
    });
    expect((await call("Read", { file_path: "latin" })).text).toBe(
      "     1\tcaf\ufffd\n     2\tok\n[invalid UTF-8 in 1 line, shown as \ufffd]",
    );
    expect((await call("Read", { file_path: "dos" })).text).toBe(
      "     1\tone\n     2\ttwo\n[lines end with CRLF]",
    );
    const empty = await call("Read", { file_path: "empty" });
    expect([empty.text, empty.seen?.[0]?.sha256]).toEqual(["(The file is empty.)", sha("")]);
  });

  it("shows an image, by its bytes and not by its name", async () => {
    const { call, workspace } = shedWith({ picture: PNG });
    expect(await call("Read", { file_path: "picture" })).toEqual({
      outcome: "ok",
      text: `picture: image/png, ${PNG.length} bytes`,
      parts: [
        { type: "text", text: `picture: image/png, ${PNG.length} bytes` },
        { type: "image", mediaType: "image/png", data: PNG.toString("base64") },
      ],
      seen: [{ path: join(workspace, "picture"), sha256: sha(PNG) }],
    });
  });

  it.each([
    ["a cut image", PNG.subarray(0, 50), "x cannot be shown: the image is damaged or incomplete."],
    [
      "an image over 5 MB",
      Buffer.concat([PNG, Buffer.alloc(5_000_000)]),
      "x cannot be shown: the image is larger than 5 MB; make it smaller first.",
    ],
    [
      "a binary file",
      Buffer.from("\x7fELF\0\0"),
      "x is a binary file (6 bytes). Use a Bash command to examine it.",
    ],
    ["a name of an image with text in it", Buffer.from("GIF"), "     1\tGIF"],
  ])("answers clearly for %s", async (_, bytes, text) => {
    const { call } = shedWith({ x: bytes });
    expect((await call("Read", { file_path: "x" })).text).toBe(text);
  });

  it("never opens a FIFO or a device, and refuses folders", async () => {
    const { call, workspace } = toolshed();
    execFileSync("mkfifo", [join(workspace, "pipe")]);
    mkdirSync(join(workspace, "folder"));
    symlinkSync("loop", join(workspace, "loop"));
    const said = async (path: string) => (await call("Read", { file_path: path })).text;
    expect(await said("pipe")).toBe("pipe cannot be read: it is a FIFO, which is never opened.");
    expect(await said("/dev/zero")).toBe("/dev/zero cannot be read: it is a device, which is never opened.");
    expect(await said("loop")).toBe("loop cannot be read: its symbolic links form a loop.");
    expect(await said("folder")).toBe("folder is a folder. List it with Glob, or with `ls` in Bash.");
  });

  it("suggests what may have been meant by a name that is not there", async () => {
    const { call } = shedWith({ "readme.md": "", "server.ts": "", "cafe\u0301.txt": "" });
    const said = async (path: string) => (await call("Read", { file_path: path })).text;
    expect(await said("README.md")).toBe("The file README.md does not exist. Did you mean readme.md?");
    expect(await said("server.js")).toBe("The file server.js does not exist. Did you mean server.ts?");
    expect(await said("/server.ts")).toBe("The file /server.ts does not exist. Did you mean server.ts?");
    expect(await said("café.txt")).toBe("The file café.txt does not exist. Did you mean cafe\u0301.txt?");
    expect(await said("no/such/thing")).toBe("The file no/such/thing does not exist.");
  });

  it("ends when it is interrupted", async () => {
    const { call } = shedWith({ a: "a" });
    expect((await call("Read", { file_path: "a" }, { signal: AbortSignal.abort() })).outcome).toBe(
      "interrupted",
    );
  });

  it("is about the real path, also through links that lead out of the workspace", async () => {
    const { subjects, call, workspace, outside } = shedWith({ "日本 語.txt": "こんにちは\n" });
    writeFileSync(join(outside, "far.txt"), "far\n");
    symlinkSync(outside, join(workspace, "way"));
    symlinkSync(join(outside, "not-yet"), join(workspace, "dangling"));
    const about = async (path: string) => subjects("Read", { file_path: path });
    const path = (real: string) => [{ kind: "path", path: real, access: "read" }];
    expect(await about("way/far.txt")).toEqual(path(join(outside, "far.txt")));
    expect(await about("way/none/yet.txt")).toEqual(path(join(outside, "none/yet.txt")));
    expect(await about("dangling")).toEqual(path(join(outside, "not-yet")));
    expect(await about("日本 語.txt")).toEqual(path(join(workspace, "日本 語.txt")));
    expect((await call("Read", { file_path: "way/far.txt" })).seen?.[0]?.path).toBe(join(outside, "far.txt"));
    expect((await call("Read", { file_path: "日本 語.txt" })).text).toBe("     1\tこんにちは");
  });
});
