/** How many pixels an image has in its longer direction; undefined where that cannot be told. */
export function longerSide(bytes: Buffer, mediaType: string): number | undefined {
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
