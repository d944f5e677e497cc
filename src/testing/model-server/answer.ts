import type { ServerResponse } from "node:http";
import type { Json } from "../../record/parts.ts";
import { courseOf } from "./course.ts";
import type { ScriptedReply } from "./script.ts";
import type { Frame, SettledReply, WireFormat } from "./wires/wire.ts";

export interface Answer {
  readonly format: WireFormat;
  readonly scripted: ScriptedReply;
  readonly reply: SettledReply;
  readonly answer: "stream" | "whole";
}

/** Sends a reply as its script says. Resolves when nothing more will be sent. */
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

export interface Body {
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
  // A turn of the loop lets what was written leave before the connection goes.
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

/** A failed write means that the client is gone, which `whenGone` tells. */
async function written(response: ServerResponse, bytes: string | Buffer): Promise<void> {
  await new Promise<void>((resolve) => response.write(bytes, () => resolve()));
}
