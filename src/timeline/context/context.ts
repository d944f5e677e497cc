import type { Entry, EntryOf } from "../../record/entry.ts";
import { ContextBuilder } from "./builder.ts";
import { breakTagInParts, breakTagInReply, type Framing } from "./foreign-text.ts";
import type { Context } from "./message.ts";
import { frame, framedNote, framedNotice, markerOf, summaryFrame } from "./notices.ts";

/** The entries that a context is made of, with all their texts in place. */
export interface Shown {
  readonly session: EntryOf<"session">;
  /** The last compaction on the branch, if any. */
  readonly compaction?: EntryOf<"compaction">;
  readonly pinned: readonly Entry[];
  /** From the first kept entry, or from the start, to the head. */
  readonly entries: readonly Entry[];
}

/**
 * The context is a function of the branch alone. Each entry is rendered without looking at
 * those after it, so that what was sent once is sent again byte for byte, and the provider's
 * prefix cache stays warm over a backtrack.
 */
export function contextOf(shown: Shown): Context {
  const { session, compaction } = shown;
  const builder = new ContextBuilder();
  if (compaction !== undefined) builder.addUser([summaryFrame(compaction.summary, session)]);
  for (const entry of shown.pinned) addEntry(builder, entry, session);
  const compactedUpTo = compaction?.seq ?? 0;
  for (const entry of shown.entries) {
    if (entry.kind === "step") builder.seal();
    // The agent is shown only numbers that it may name: none from behind a compaction, none where it cannot go back.
    const isHiddenMarker =
      entry.kind === "step" && (entry.seq < compactedUpTo || session.backtrack === "off");
    if (!isHiddenMarker) addEntry(builder, entry, session);
  }
  return { system: session.system, ...builder.finish() };
}

function addEntry(builder: ContextBuilder, entry: Entry, framing: Framing): void {
  switch (entry.kind) {
    case "prompt":
      builder.addPrompt(breakTagInParts(entry.parts, framing));
      break;
    case "step":
      builder.addMarker(markerOf(entry, framing.tag));
      break;
    case "reply":
      builder.addReply(entry.model, breakTagInReply(entry.parts, framing));
      break;
    case "tool-end":
      builder.addResult(entry.call, entry.outcome, breakTagInParts(entry.parts, framing));
      break;
    case "notice":
      builder.addUser([framedNotice(entry.text, framing)]);
      break;
    case "backtrack":
      builder.addNote(framedNote(entry, framing));
      break;
    default:
      addRemark(builder, entry, framing);
  }
}

/** What happened to the conversation itself, where the model would else be surprised. */
function addRemark(builder: ContextBuilder, entry: Entry, { tag }: Framing): void {
  if (entry.kind === "redo" && entry.revokes === "note") {
    builder.addUser([
      frame(
        "The person undid your backtrack from here. The note that you wrote for it no longer holds.",
        tag,
      ),
    ]);
  }
  if (entry.kind === "interrupt" && entry.by === "person") {
    builder.addUser([frame("The person interrupted the turn here.", tag)]);
  }
}
