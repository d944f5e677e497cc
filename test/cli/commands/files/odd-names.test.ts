import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

const notUtf8 = Buffer.concat([Buffer.from("bad-"), Buffer.of(0xff), Buffer.from(".txt")]);
const escapes = "red\u001b[31m\n.txt";

/**
 * Captures and then deletes two files with odd names. Rejects on file systems that do not allow such names.
 */
async function odd() {
  const shop = workshop();
  const place = (name: Buffer) => Buffer.concat([Buffer.from(`${shop.workspace}/`), name]);
  writeFileSync(place(notUtf8), "bytes\n");
  writeFileSync(join(shop.workspace, escapes), "escapes\n");
  await shop.worldline("checkpoint");
  unlinkSync(place(notUtf8));
  unlinkSync(join(shop.workspace, escapes));
  return { ...shop, names: () => readdirSync(shop.workspace, { encoding: "buffer" }).sort(Buffer.compare) };
}

describe("names that are not text, or contain control sequences", () => {
  it("are shown as bytes, given as bytes in JSON, and restored", async () => {
    const { text, data, names, worldline } = await odd();
    const { stderr } = await worldline("rewind 1 --dry-run --scope files");
    expect(stderr).not.toContain("\u001b");
    expect((await text("rewind 1 --dry-run --scope files")).split("\n").slice(2, 4)).toEqual([
      "  create  bad-\\xff.txt         +1 -0",
      "  create  red\\x1b[31m\\x0a.txt  +1 -0",
    ]);
    const { files } = await data("rewind 1");
    expect(files.steps.map(({ path, bytes }: Record<string, string>) => ({ path, bytes }))).toEqual([
      { path: "bad-\\xff.txt", bytes: notUtf8.toString("base64") },
      { path: escapes },
    ]);
    expect(names()).toEqual([notUtf8, Buffer.from(escapes)]);
  });

  it("can be named as they are shown", async () => {
    const { worldline, names, text } = await odd();
    expect(await text(["show", "1:bad-\\xff.txt"])).toBe("bytes\n");
    expect(await worldline(["rewind", "1", "--only", "bad-\\xff.txt"])).toMatchObject({ code: 0 });
    expect(names()).toEqual([notUtf8]);
    expect(await text(["why", "red\\x1b[31m\\x0a.txt"])).toContain("red\\x1b[31m\\x0a.txt: does not exist");
  });
});
