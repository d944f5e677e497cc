import type { ServerResponse } from "node:http";
import type { Json } from "../../record/parts.ts";
import type { Misbehaviour, ScriptedReply } from "./script.ts";
import type { Frame, SettledReply, WireFormat } from "./wires/wire.ts";

interface Answer {
  readonly format: WireFormat;
  readonly scripted: ScriptedReply;
  readonly reply: SettledReply;
  readonly answer: "stream" | "whole";
}

/** Sends a reply according to its script. Resolves when nothing more will be sent. */
export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  const { scripted, format } = answer;
  const gone = whenGone(response);
  await Promise.race([gone, waitAtStart(scripted)]);
  const { misbehave } = scripted;
  if (response.destroyed || misbehave?.do === "silence") await gone;
  else if (misbehave?.do === "status") {
    const message = `Scripted failure with status ${misbehave.status}`;
    const body = misbehave.body ?? format.error(misbehave.status, message);
    sendBody(response, { status: misbehave.status, body, headers: misbehave.headers ?? {} });
  } else if (misbehave?.do === "error-event" && answer.answer === "whole") {
    sendBody(response, { status: 500, body: format.error(500, misbehave.message ?? "Overloaded") });
  } else await sendCourse(response, answer, gone);
}

interface Body {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendBody(response: ServerResponse, { status, body, headers }: Body): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/plain" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
}

async function sendCourse(response: ServerResponse, answer: Answer, gone: Promise<void>): Promise<void> {
  const { format, scripted, reply } = answer;
  const streams = answer.answer === "stream";
  const frames = streams ? format.frames(reply) : wholeFrames(format.whole(reply));
  const course = courseOf(frames, scripted.misbehave, format.errorFrame);
  response.writeHead(200, {
    "content-type": streams ? format.contentType : "application/json",
    "cache-control": "no-cache",
  });
  response.flushHeaders();
  for (const [index, bytes] of course.frames.entries()) {
    if (index === course.holdAfter) await Promise.race([gone, holdOf(scripted, "first-delta")]);
    if (response.destroyed) return;
    await Promise.race([gone, written(response, bytes)]);
  }
  if (course.holdAfter >= course.frames.length) await Promise.race([gone, holdOf(scripted, "first-delta")]);
  if (course.ending === "end") response.end();
  // The connection is destroyed in the next turn of the event loop, so that the written bytes are sent first.
  else setImmediate(() => response.destroy());
}

function wholeFrames(body: Json): readonly Frame[] {
  const text = JSON.stringify(body);
  const half = Math.ceil(text.length / 2);
  return [
    { kind: "delta", bytes: text.slice(0, half) },
    { kind: "end", bytes: text.slice(half) },
  ];
}

async function waitAtStart(scripted: ScriptedReply): Promise<void> {
  if (scripted.delayMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, scripted.delayMs).unref());
  }
  await holdOf(scripted, "start");
}

async function holdOf({ hold, holdAt }: ScriptedReply, at: "start" | "first-delta"): Promise<void> {
  if ((holdAt ?? "first-delta") === at) await hold;
}

async function whenGone(response: ServerResponse): Promise<void> {
  if (!response.destroyed) await new Promise((resolve) => response.once("close", resolve));
}

/**
 * Writes bytes and waits until they are written. A failed write means that the client has disconnected, which
 * `whenGone` reports.
 */
async function written(response: ServerResponse, bytes: string | Buffer): Promise<void> {
  await new Promise<void>((resolve) => response.write(bytes, () => resolve()));
}

/** The frames that are sent on a stream, and how the stream ends. A scripted misbehavior can change both. */
interface Course {
  readonly frames: readonly (string | Buffer)[];
  /** Number of frames that are sent before a hold. */
  readonly holdAfter: number;
  readonly ending: "end" | "cut";
}

/**
 * Bytes that a broken proxy might send with a stream's content type: HTML, bytes that are not UTF-8, and a truncated
 * event.
 */
const garbage = Buffer.concat([
  Buffer.from("<html><body>Bad gateway</body></html>\r\n"),
  Buffer.from([0x00, 0xff, 0xfe, 0xc3, 0x28, 0x0a]),
  Buffer.from('{"choices": [{"delt'),
]);

function courseOf(
  frames: readonly Frame[],
  misbehave: Misbehaviour | undefined,
  errorFrame: (message: string) => string,
): Course {
  const firstDelta = throughDelta(frames, 1);
  const half = throughDelta(frames, Math.ceil(frames.filter(({ kind }) => kind === "delta").length / 2));
  const upTo = (count: number): readonly string[] => frames.slice(0, count).map(({ bytes }) => bytes);
  switch (misbehave?.do) {
    case "cut": {
      const sent = { headers: 0, "first-delta": firstDelta, half }[misbehave.after];
      return { frames: upTo(sent), holdAfter: Math.min(firstDelta, sent), ending: "cut" };
    }
    case "end-early": {
      const rest = frames.filter(({ kind }) => kind !== "end").map(({ bytes }) => bytes);
      return { frames: rest, holdAfter: firstDelta, ending: "end" };
    }
    case "error-event": {
      const failed = errorFrame(misbehave.message ?? "Overloaded");
      return { frames: [...upTo(half), failed], holdAfter: firstDelta, ending: "end" };
    }
    case "garbage":
      return { frames: [garbage], holdAfter: 1, ending: "end" };
    default:
      return { frames: upTo(frames.length), holdAfter: firstDelta, ending: "end" };
  }
}

/**
 * Returns the number of frames up to and including this delta. If the frames do not contain that many deltas, returns
 * the number of frames before the end.
 */
function throughDelta(frames: readonly Frame[], deltas: number): number {
  let seen = 0;
  for (const [index, { kind }] of frames.entries()) {
    if (kind === "delta") seen += 1;
    if (kind === "end") return index;
    if (seen === deltas && seen > 0) return index + 1;
  }
  return frames.length;
}
