import { describe, expect, it } from "vitest";
import { imageFault, imageType } from "../../../src/agent/tools/read.ts";

const bytes = (...pieces: (string | number[])[]) =>
  Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece))),
  );

/** Valid image headers and trailers; these tests ignore the bytes in between. */
const png = (width: number) =>
  bytes("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", [0, 0, width >> 8, width & 0xff, 0, 0, 0, 1], "........IEND....");
const jpeg = (width: number) =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 8, 8, 0, 1, width >> 8, width & 0xff],
    [0xff, 0xd9],
  );
const gif = (width: number) => bytes("GIF89a", [width & 0xff, width >> 8, 1, 0], "......;");
const webp = (kind: string, rest: number[]) => {
  const body = bytes("WEBP", kind, [0, 0, 0, 0], rest);
  return bytes("RIFF", [body.length, 0, 0, 0], body.toString("latin1"));
};
const extended = (width: number) =>
  webp("VP8X", [0, 0, 0, 0, (width - 1) & 0xff, (width - 1) >> 8, 0, 0, 0, 0]);
const lossy = (width: number) => webp("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, width & 0xff, width >> 8, 1, 0]);
const lossless = (width: number) => webp("VP8L", [0x2f, (width - 1) & 0xff, (width - 1) >> 8, 0, 0]);

describe("an image", () => {
  it.each([
    ["image/png", png],
    ["image/jpeg", jpeg],
    ["image/gif", gif],
    ["image/webp", extended],
    ["image/webp", lossy],
    ["image/webp", lossless],
  ])("of type %s is known by its bytes, and refused where a provider would refuse it", (type, make) => {
    expect(imageType(make(100))).toBe(type);
    expect(imageFault(make(8_000), type)).toBeUndefined();
    expect(imageFault(make(8_001), type)).toBe(
      "the image's longer side has 8001 pixels, and the limit is 8,000; make it smaller first",
    );
    expect(imageFault(make(100).subarray(0, -8), type)).toBe("the image is damaged or incomplete");
  });

  it("is not what only begins like one", () => {
    expect(["GIF", "RIFFxxxxWAVE", "\x89PNG", ""].map((text) => imageType(bytes(text)))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
