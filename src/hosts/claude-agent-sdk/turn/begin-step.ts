import type { Session } from "../../../machine/session.ts";
import { nearest } from "../../../timeline/branch.ts";
import { markerOf } from "../../../timeline/context/notices.ts";
import type { ClaudeContext } from "./claude-context.ts";

/** The checkpoint before a model call, and what the model is told of it. */
export async function beginStep({ session, captures, now, tell }: ClaudeContext): Promise<string> {
  const checkpoint = await session.step();
  captures.afterStep(checkpoint);
  now.tally.beginStep(checkpoint);
  now.step = "open";
  tell({ type: "doing", doing: { what: "thinking", step: checkpoint } });
  return session.header.backtrack === "on" ? markerAtHead(session) : "";
}

async function markerAtHead(session: Session): Promise<string> {
  const { outline, header } = session;
  const row = nearest(outline, outline.head, ({ kind }) => kind === "step");
  const [step] = row === undefined ? [] : await session.entries([row.seq]);
  return step?.kind === "step" ? markerOf(step, header.tag).text : "";
}

/** A reply that no hook has announced: the SDK asks again by itself, after calls that it found invalid for one. */
export async function stepOfReply(context: ClaudeContext): Promise<void> {
  const { now, settings, conversation } = context;
  if (now.step === "open") return;
  if (now.tally.steps < settings.maxSteps) {
    await beginStep(context);
    return;
  }
  now.stop = "step-limit";
  await conversation.live?.interrupt();
}
