const MOST_BYTES = 5 * 1_000_000;
/** What providers take at most, in either direction. */
const MOST_PIXELS = 8_000;
const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/** The media type of an image that models can look at, by its first bytes; a name can be wrong. */
export function imageType(head: Buffer): string | undefined {
  if (head.subarray(0, PNG.length).equals(PNG)) return "image/png";
  if (head.subarray(0, JPEG_START.length).equals(JPEG_START)) return "image/jpeg";
  if (/^GIF8[79]a$/.test(head.toString("latin1", 0, 6))) return "image/gif";
  if (head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP")
    return "image/webp";
  return undefined;
}

/** Why it cannot be shown. A provider that refuses an image would refuse every later request of the conversation too. */
export function imageFault(bytes: Buffer, mediaType: string): string | undefined {
  if (bytes.length > MOST_BYTES) return "the image is larger than 5 MB; make it smaller first";
  if (!isWhole(bytes, mediaType)) return "the image is damaged or cut off";
  const side = longerSide(bytes, mediaType);
  if (side === undefined || side === 0) return "the image is damaged or cut off";
  if (side > MOST_PIXELS)
    return `the image is ${side} pixels long, and 8,000 is the limit; make it smaller first`;
  return undefined;
}

function isWhole(bytes: Buffer, mediaType: string): boolean {
  switch (mediaType) {
    case "image/png":
      return bytes.length > 32 && bytes.lastIndexOf("IEND", undefined, "latin1") > 0;
    case "image/jpeg":
      return bytes.lastIndexOf(JPEG_END) > 0;
    case "image/gif":
      return bytes.length > 13 && bytes.lastIndexOf(0x3b) > 0;
    default:
      return bytes.length > 12 && bytes.readUInt32LE(4) + 8 <= bytes.length;
  }
}

/** How many pixels an image has in its longer direction; undefined where that cannot be told. */
function longerSide(bytes: Buffer, mediaType: string): number | undefined {
  try {
    return Math.max(...sidesOf(bytes, mediaType));
  } catch {
    // Shorter than its own header says.
    return undefined;
  }
}

function sidesOf(bytes: Buffer, mediaType: string): readonly [number, number] {
  switch (mediaType) {
    case "image/png":
      return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    case "image/gif":
      return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
    case "image/jpeg":
      return sidesOfJpeg(bytes);
    default:
      return sidesOfWebp(bytes);
  }
}

/** Goes from segment to segment until one begins a frame: C0 to CF, without the three that are something else. */
function sidesOfJpeg(bytes: Buffer): readonly [number, number] {
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    if (marker < 0xff00) throw new RangeError("no segment begins here");
  }
}

/** Three ways to say it: extended, lossless, lossy. */
function sidesOfWebp(bytes: Buffer): readonly [number, number] {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X") return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === "VP8 ") return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}
