import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Remark, remark } from "../record/error.ts";

/** The content encodings that our requests accept. Node 20 has no zstd. */
export const ACCEPTED_ENCODINGS = "gzip, br";

const DECODERS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const;
/**
 * Maximum number of encodings applied to one body. Servers usually apply only one. Each additional encoding multiplies
 * the size that a small body can decode to.
 */
const MAX_ENCODINGS = 2;
/** The size limit for the body of an error response. */
const MAX_ERROR_BYTES = 1_000_000;
/**
 * The size limit, both encoded and decoded, for a body that is read as a whole and for one event or line in a stream.
 */
const MAX_BYTES = 16_000_000;
/**
 * The size limit for a stream: far larger than any model's longest reply, even with the JSON fields around each word.
 */
const MAX_STREAM_BYTES = 256_000_000;
const STREAM = /^(text\/event-stream|application\/x-ndjson)/iu;

/**
 * Returns the body as a stream that is decoded as it is read. The whole body is never held in memory, no matter what
 * length the response declares. Bytes are read only on demand, and each read waits at most `silenceMs` for the next
 * bytes. Reading fails with HTTP_BODY_TOO_LARGE, HTTP_ENCODING or HTTP_SILENT.
 */
export function bodyStream(message: IncomingMessage, silenceMs: number): ReadableStream<Uint8Array> {
  const { statusCode = 0 } = message;
  const pieces = statusCode >= 400 ? startOf(message, silenceMs) : whole(message, silenceMs);
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        message.destroy();
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads an error response up to the limit and ignores the rest, because messages quote only its beginning. */
async function* startOf(message: IncomingMessage, silenceMs: number): AsyncGenerator<Uint8Array, void> {
  let left = MAX_ERROR_BYTES;
  for await (const piece of whole(message, silenceMs)) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) break;
  }
}

async function* whole(message: IncomingMessage, silenceMs: number): AsyncGenerator<Uint8Array, void> {
  const type = message.headers["content-type"] ?? "";
  const maxBytes = STREAM.test(type) ? MAX_STREAM_BYTES : MAX_BYTES;
  const eventSize = new EventSize(type.startsWith("text/") ? "blank-line" : "line");
  let sent = 0;
  const count = (bytes: Buffer): void => {
    sent += bytes.length;
    // Encoded data can be endless and still decode to nothing, so the encoded bytes are limited too.
    if (sent > maxBytes) message.destroy(tooLarge(maxBytes));
  };
  const decoded = decodedStream(message, count);
  const reader: AsyncIterator<Buffer, undefined> = decoded[Symbol.asyncIterator]();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await withinMs(silenceMs, reader.next(), message);
      if (done === true) return;
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      if (eventSize.after(value) > MAX_BYTES) throw tooLarge(MAX_BYTES);
      yield value;
    }
  } finally {
    message.destroy();
    decoded.destroy();
  }
}

/**
 * Counts the bytes since the end of a stream's last event, because the stream's reader must hold all of these bytes in
 * memory.
 */
class EventSize {
  readonly #ends: readonly string[];
  #size = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(ends: "blank-line" | "line") {
    this.#ends = ends === "line" ? ["\n"] : ["\n\n", "\n\r\n", "\r\r"];
  }

  after(piece: Buffer): number {
    const isEnded = [piece, Buffer.concat([this.#tail, piece.subarray(0, 2)])].some((bytes) =>
      this.#ends.some((end) => bytes.includes(end)),
    );
    this.#tail = Buffer.concat([this.#tail, piece.subarray(-2)]).subarray(-2);
    this.#size = isEnded ? 0 : this.#size + piece.length;
    return this.#size;
  }
}

/** Rejects with HTTP_SILENT and closes the connection if nothing arrives in time. */
async function withinMs<T>(ms: number, next: Promise<T>, message: IncomingMessage): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new HttpError("HTTP_SILENT", "Timed out waiting for data.");
      reject(error);
      message.destroy(error);
    }, ms);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function decodedStream(message: IncomingMessage, onSent: (bytes: Buffer) => void): Readable {
  const names = (message.headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_ENCODINGS) throw new UnusableResponse("HTTP_ENCODING", remark("http-encoded-often"));
  const decoders = names.toReversed().map((name) => {
    if (!isKnown(name)) {
      const encoding = name.slice(0, 40);
      throw new UnusableResponse("HTTP_ENCODING", remark("http-encoding-unknown", { encoding }));
    }
    return DECODERS[name]();
  });
  if (decoders.length === 0) return message;
  message.on("data", onSent);
  message.pause();
  // An error in any of these streams is passed to the reader of the last stream.
  const streams = [message, ...decoders] as const;
  return pipeline(streams, () => undefined) as unknown as Readable;
}

function isKnown(name: string): name is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, name);
}

function tooLarge(maxBytes: number): UnusableResponse {
  const megabytes = Math.floor(maxBytes / 1_000_000);
  return new UnusableResponse("HTTP_BODY_TOO_LARGE", remark("http-too-large", { megabytes }));
}

type UnusableCode = "HTTP_BODY_TOO_LARGE" | "HTTP_ENCODING" | "HTTP_INVALID_STATUS";

/**
 * Codes that say why a request has no usable response. Callers branch on the code, and users see the error's message.
 */
type HttpErrorCode =
  | UnusableCode
  | "HTTP_CONNECT_TIMEOUT"
  | "HTTP_FIRST_BYTE_TIMEOUT"
  | "HTTP_INVALID_REQUEST"
  | "HTTP_NO_ANSWER"
  | "HTTP_PROXY_INVALID"
  | "HTTP_PROXY_REFUSED"
  | "HTTP_SILENT";

export class HttpError extends Error {
  readonly code: HttpErrorCode;
  /** The HTTP status that the proxy returned when it refused the connection. */
  readonly proxyStatus?: number;

  constructor(code: HttpErrorCode, message: string) {
    super(message);
    this.name = "HttpError";
    this.code = code;
  }
}

/** An error with a message for users, because the code alone does not say what is wrong with the response. */
export class UnusableResponse extends HttpError {
  readonly fault: Remark;

  constructor(code: UnusableCode, fault: Remark) {
    super(code, fault.why);
    this.fault = fault;
  }
}
