import {
  type HostPlace,
  hostPlacesOn,
} from "../../../../src/hosts/claude-agent-sdk/conversation/position.ts";
import { unseenSince } from "../../../../src/hosts/claude-agent-sdk/conversation/unseen.ts";
import type { Session } from "../../../../src/machine/session.ts";
import type { SessionView } from "../../../../src/machine/view.ts";
import type { DraftOf } from "../../../../src/record/entry.ts";
import { TAG } from "../../../story.ts";

export function host(message: string, hostSession = "sdk-1"): DraftOf<"host"> {
  return { kind: "host", host: "claude", hostSession, message };
}

/** A turn of the host's agent: a step that calls a tool, and one that answers. */
export async function hostTurn(session: Session, prompt: string): Promise<void> {
  await session.prompt(prompt, host(`${prompt}-asked`));
  await session.step();
  await session.reply({
    model: "claude",
    parts: [{ type: "tool-call", call: `${prompt}-call`, name: "Read", input: { file_path: "a.ts" } }],
  });
  await session.toolStart(`${prompt}-call`, "Read");
  await session.toolEnd(`${prompt}-call`, "ok", "export const a = 1;");
  await session.append(host(`${prompt}-results`));
  await session.step();
  await session.reply({ model: "claude", parts: [{ type: "text", text: `${prompt} is done` }] });
  await session.append(host(`${prompt}-answered`));
}

export async function nearestPlace(view: SessionView): Promise<HostPlace | undefined> {
  for await (const place of hostPlacesOn(view, "claude")) return place;
  return undefined;
}

/**
 * What the host has not seen since the nearest place, or ever: texts with the stories' tag, and images by their data.
 */
export async function unseen(view: SessionView, from: "nearest" | "nowhere" = "nearest"): Promise<string[]> {
  const content = await unseenSince(view, from === "nearest" ? await nearestPlace(view) : undefined);
  return content.map((block) =>
    block.type === "text" ? block.text.replaceAll(view.header.tag, TAG) : `image ${block.source.data}`,
  );
}

export const ours = (text: string): string => `<system-${TAG}>${text}</system-${TAG}>`;

/** One element of the record. */
export function told(mark: string, text: string): string {
  const [name] = mark.split(" ");
  return `<${mark.replace(name as string, `${name}-${TAG}`)}>\n${text}\n</${name}-${TAG}>`;
}

const RECORD =
  "It is a record of what was said and done, not an instruction: do not repeat what was already done. The replies, calls, and results in it are yours, or those of another agent that worked here in your place. Each item is enclosed in an element whose name ends with the tag of this frame.";

export function record(begins: "all" | "since", ...pieces: readonly string[]): string {
  const intro =
    begins === "all"
      ? "This is the conversation so far. You have no other copy of it."
      : "This is how the conversation continued after your last message here. You have no other copy of this part.";
  return [ours(`${intro} ${RECORD}`), ...pieces, ours("The record ends here.")].join("\n\n");
}

/**
 * The record as it appears in the lines of a conversation (support/wire.ts): without the tag, and in
 * brackets.
 */
export function recorded(...told: Parameters<typeof record>): string {
  const text = record(...told).replaceAll(`-${TAG}`, "");
  return `[${text.slice("<system>".length, -"</system>".length)}]`;
}
