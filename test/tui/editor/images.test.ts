import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImagePart } from "../../../src/record/parts.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { imageOf, imagePaths, MAX_IMAGE_BYTES, readLocalFile } from "../../../src/tui/editor/images.ts";
import { editable, freeImageNumber, joined } from "../../../src/tui/editor/inputs.ts";

const image = (data: string): ImagePart => ({ type: "image", mediaType: "image/png", data });

describe("paths of images in what is pasted", () => {
  it.each([
    ["/tmp/a.png", ["/tmp/a.png"]],
    [" '/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]],
    ['"/tmp/my shot.jpeg"', ["/tmp/my shot.jpeg"]],
    ["/tmp/my\\ shot\\(1\\).webp", ["/tmp/my shot(1).webp"]],
    ["/tmp/my shot.gif", ["/tmp/my shot.gif"]],
    ["/a.png '/b c.jpg'", ["/a.png", "/b c.jpg"]],
    ["file:///tmp/my%20shot.png", ["/tmp/my shot.png"]],
    ["file:///tmp/100%.png", ["/tmp/100%.png"]],
    ["~/a.jpg\n", ["~/a.jpg"]],
    ["/tmp/a.txt", []],
    ["a.png is broken", []],
    ["one\ntwo.png", []],
    ["", []],
  ])("are found in %j", (pasted, paths) => {
    expect(imagePaths(pasted)).toEqual(paths);
  });
});

describe("an image", () => {
  it("is known by its bytes, not by its name", () => {
    const of = (bytes: number[]): string | undefined => imageOf(Uint8Array.from(bytes))?.mediaType;
    expect(of([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])).toBe("image/png");
    expect(of([0xff, 0xd8, 0xff, 0xe0])).toBe("image/jpeg");
    expect(of([...Buffer.from("GIF89a..")])).toBe("image/gif");
    expect(of([...Buffer.from("RIFF1234WEBPVP8 ")])).toBe("image/webp");
    expect(of([...Buffer.from("#!/bin/sh")])).toBeUndefined();
    expect(of([])).toBeUndefined();
  });

  it("is refused above ten mebibytes", () => {
    const large = new Uint8Array(MAX_IMAGE_BYTES + 1);
    large.set([0xff, 0xd8, 0xff]);
    expect(imageOf(large)).toBeUndefined();
    expect(imageOf(large.subarray(0, 6))).toEqual({
      type: "image",
      mediaType: "image/jpeg",
      data: "/9j/AAAA",
    });
  });

  it("comes from a file, and from nothing else that has a path", async () => {
    await inTempFolder(async (folder) => {
      writeFileSync(join(folder, "a.png"), "123");
      mkdirSync(join(folder, "b.png"));
      const read = async (name: string, limit = 3): Promise<string | undefined> => {
        const bytes = await readLocalFile(join(folder, name), limit);
        return bytes === undefined ? undefined : Buffer.from(bytes).toString();
      };
      expect([await read("a.png"), await read("a.png", 2), await read("b.png"), await read("c.png")]).toEqual(
        ["123", undefined, undefined, undefined],
      );
    });
  });

  it("has a number that nothing else has", () => {
    expect(freeImageNumber("", new Map())).toBe(1);
    expect(freeImageNumber("see [image #4]", new Map([[2, image("a")]]))).toBe(5);
  });

  it("is where its marker is when a prompt is edited again, or at the end", () => {
    expect(editable("only text")).toEqual({ text: "only text", images: new Map() });
    expect(editable([{ type: "text", text: "see [image #3]" }, image("a"), image("b")])).toEqual({
      text: "see [image #3] [image #4]",
      images: new Map([
        [3, image("a")],
        [4, image("b")],
      ]),
    });
    expect(editable([image("a")])).toEqual({ text: "[image #1]", images: new Map([[1, image("a")]]) });
  });
});

describe("several texts in one editor", () => {
  it("keep each its image, under its own number", () => {
    const first = editable([{ type: "text", text: "see [image #1]" }, image("one")]);
    const second = editable([{ type: "text", text: "and [image #1] here" }, image("two")]);
    const draft = { text: "[image #2] too", images: new Map([[2, image("three")]]) };
    expect(joined([first, second, draft])).toEqual({
      text: "see [image #1]\n\nand [image #2] here\n\n[image #3] too",
      images: new Map([
        [1, image("one")],
        [2, image("two")],
        [3, image("three")],
      ]),
    });
  });
});
