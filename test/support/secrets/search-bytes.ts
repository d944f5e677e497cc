import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/**
 * Searches bytes for a secret in every encoding and compression that this project or JSON uses. It shares no
 * code with `forget`: its knowledge of the formats comes from docs/format.md.
 */
export class SecretSearch {
  readonly #needles: readonly (readonly [form: string, bytes: Buffer])[];

  constructor(secret: string) {
    this.#needles = needlesOf(secret);
  }

  /** The forms in which the secret occurs in these bytes, or in what can be unpacked from them. */
  formsIn(bytes: Buffer, depth = 0): readonly string[] {
    const own = this.#needles.filter(([, needle]) => bytes.includes(needle)).map(([form]) => form);
    const inside =
      depth === MAX_DEPTH ? [] : unpacked(bytes).flatMap(([how, inner]) => this.#within(how, inner, depth));
    return [...new Set([...own, ...inside])];
  }

  #within(how: string, inner: Buffer, depth: number): readonly string[] {
    return this.formsIn(inner, depth + 1).map((form) => `${how} > ${form}`);
  }
}

const MAX_DEPTH = 4;
/** A prefix or suffix of this many characters counts as the secret. */
const PIECE = 10;
const MIN_ENCODED = 8;

function needlesOf(secret: string): (readonly [string, Buffer])[] {
  const spellings = [...new Set([secret, secret.normalize("NFC"), secret.normalize("NFD")])];
  const texts = spellings.flatMap((text): [string, string][] => {
    const json = quoted(text);
    const ascii = escaped(json, (hex) => hex);
    return [
      ["plain", text],
      ["JSON", json],
      ["JSON in JSON", quoted(json)],
      ["ASCII JSON", ascii],
      ["ASCII JSON, upper case", escaped(json, (hex) => hex.toUpperCase())],
      ["ASCII JSON in JSON", quoted(ascii)],
      ["JSON with escaped slashes", json.replaceAll("/", "\\/")],
      ["percent-encoded", encodeURIComponent(text)],
      ["beginning", text.slice(0, PIECE)],
      ["end", text.slice(-PIECE)],
    ];
  });
  const raw = spellings.map((text) => Buffer.from(text));
  const needles: [string, Buffer][] = [
    ...texts.map(([form, text]): [string, Buffer] => [form, Buffer.from(text)]),
    ...spellings.map((text): [string, Buffer] => ["UTF-16", Buffer.from(text, "utf16le")]),
    ...raw.map((bytes): [string, Buffer] => ["hex", Buffer.from(bytes.toString("hex"))]),
    ...raw.map((bytes): [string, Buffer] => ["HEX", Buffer.from(bytes.toString("hex").toUpperCase())]),
    ...raw.flatMap((bytes) => [0, 1, 2].flatMap((shift) => base64At(bytes, shift))),
  ];
  const seen = new Set<string>();
  return needles.filter(([, bytes]) => {
    const key = bytes.toString("latin1");
    return seen.has(key) ? false : seen.add(key);
  });
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escaped(text: string, spell: (hex: string) => string): string {
  return text.replaceAll(/[^\0-\x7f]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${spell(character.charCodeAt(at).toString(16).padStart(4, "0"))}`)
      .join(""),
  );
}

/** The base64 characters that depend only on the secret if `shift` bytes precede it. */
function base64At(bytes: Buffer, shift: number): [string, Buffer][] {
  const from = (3 - shift) % 3;
  const whole = bytes.subarray(from, from + Math.floor((bytes.length - from) / 3) * 3);
  return [
    [`base64 at ${shift}`, Buffer.from(whole.toString("base64"))],
    [`base64url at ${shift}`, Buffer.from(whole.toString("base64url"))],
  ];
}

type Unpacked = [how: string, bytes: Buffer];

/** Everything that these bytes might unpack to. */
function unpacked(bytes: Buffer): Unpacked[] {
  return [...compressed(bytes), ...segmentRecords(bytes), ...jsonStrings(bytes), ...encoded(bytes)];
}

const MAGIC: readonly [string, readonly number[], (bytes: Buffer) => Buffer][] = [
  ["gzip", [0x1f, 0x8b], (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })],
  ["zlib", [0x78], (bytes) => inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })],
  [
    "deflated row",
    [0x01],
    (bytes) => inflateRawSync(bytes.subarray(1), { finishFlush: constants.Z_SYNC_FLUSH }),
  ],
];

function compressed(bytes: Buffer): Unpacked[] {
  return MAGIC.flatMap(([how, magic, unpack]): Unpacked[] =>
    magic.every((byte, at) => bytes[at] === byte) ? tried(how, () => unpack(bytes)) : [],
  );
}

function tried(how: string, unpack: () => Buffer): Unpacked[] {
  try {
    const found = unpack();
    return found.length === 0 ? [] : [[how, found]];
  } catch {
    return [];
  }
}

const RECORD = Buffer.from("wlr\x01", "latin1");
const HEADER_BYTES = 56;

/** The objects of a segment, found by their record marks, whatever state the file is in. */
function segmentRecords(bytes: Buffer): Unpacked[] {
  if (bytes.indexOf("wlseg ") !== 0) return [];
  const found: Unpacked[] = [];
  for (let at = bytes.indexOf(RECORD); at !== -1; at = bytes.indexOf(RECORD, at + 1)) {
    if (at + HEADER_BYTES > bytes.length) break;
    const payload = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes.readUInt32LE(at + 12));
    if (bytes[at + 5] === 0) found.push(["object", payload]);
    else found.push(...tried("packed object", () => brotliDecompressSync(payload)));
  }
  return found;
}

/**
 * All strings of the JSON in these bytes, including keys: as a whole or line by line, with torn lines as far
 * as they go.
 */
function jsonStrings(bytes: Buffer): Unpacked[] {
  const text = bytes.toString("utf8");
  if (!/["[{]/u.test(text.slice(0, 64))) return [];
  const strings = new Set<string>();
  const whole = parsed(text);
  if (whole !== undefined) collect(whole, strings);
  else collectFromLines(text, strings);
  strings.delete(text);
  const joined = [...strings].join("\n");
  const inner = [...strings]
    .filter((each) => each.length >= MIN_ENCODED)
    .flatMap((each): Unpacked[] => {
      const own = Buffer.from(each);
      return /^[[{"]/u.test(each) || isEncoded(each) ? [["text", own]] : [];
    });
  return joined === "" || joined === text ? inner : [["strings", Buffer.from(joined)], ...inner];
}

function collectFromLines(text: string, strings: Set<string>): void {
  for (const line of text.split("\n")) {
    const value = parsed(line);
    const literals = value === undefined ? (line.match(/"(?:[^"\\]|\\.)*"?/gu) ?? []) : [];
    collect(value ?? literals.map((literal) => parsed(literal) ?? literal), strings);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function collect(value: unknown, strings: Set<string>): void {
  if (typeof value === "string") strings.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, strings);
  else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) {
      strings.add(key);
      collect(item, strings);
    }
}

function isEncoded(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/u.test(text);
}

function encoded(bytes: Buffer): Unpacked[] {
  if (bytes.length < MIN_ENCODED) return [];
  const text = bytes.toString("latin1").trim();
  if (!isEncoded(text)) return [];
  const base64: Unpacked = ["base64", Buffer.from(text, "base64")];
  return /^(?:[0-9a-f]{2})+$/iu.test(text) ? [base64, ["hex", Buffer.from(text, "hex")]] : [base64];
}
