import type { Misbehaviour } from "./script.ts";
import type { Frame } from "./wires/wire.ts";

/** What is sent on a stream and how it ends: a misbehaviour is a course that differs from the frames. */
export interface Course {
  readonly frames: readonly (string | Buffer)[];
  /** How many frames are sent before a hold. */
  readonly holdAfter: number;
  readonly ending: "end" | "cut";
}

/** HTML, a truncated event and bytes that are no UTF-8: what a broken proxy sends under a stream's content type. */
const garbage = Buffer.concat([
  Buffer.from("<html><body>Bad gateway</body></html>\r\n"),
  Buffer.from([0x00, 0xff, 0xfe, 0xc3, 0x28, 0x0a]),
  Buffer.from('{"choices": [{"delt'),
]);

export function courseOf(
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

/** How many frames it takes until this many deltas are out; without deltas, all that stand before the end. */
function throughDelta(frames: readonly Frame[], deltas: number): number {
  let seen = 0;
  for (const [index, { kind }] of frames.entries()) {
    if (kind === "delta") seen += 1;
    if (kind === "end") return index;
    if (seen === deltas && seen > 0) return index + 1;
  }
  return frames.length;
}
