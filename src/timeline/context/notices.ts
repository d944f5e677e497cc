import type { BacktrackBody, StepBody } from "../../record/entry.ts";
import { type Part, type TextPart, textOf, textPart } from "../../record/parts.ts";
import { breakTag } from "./foreign-text.ts";

/** Text of ours, in the frame that only this session's tag opens and closes. */
export function frame(text: string, tag: string): TextPart {
  return textPart(`<system-${tag}>${text}</system-${tag}>`);
}

/** The number that the agent may name, and how full its context was. */
export function markerOf(step: StepBody, tag: string): TextPart {
  const fill = step.fill === undefined ? "" : `, context ${step.fill} %`;
  return frame(`Checkpoint ${step.number}${fill}`, tag);
}

export function summaryFrame(summary: string, tag: string): TextPart {
  const intro =
    "What happened before this point, in short. The full record is kept but no longer shown to you.";
  return frame(`${intro}\n\n${breakTag(summary, tag)}`, tag);
}

/**
 * The note of a backtrack, with what the agent would else get wrong: it has forgotten what the
 * person said and was told since, and the files did not go back with it unless it asked.
 */
export function framedNote(entry: BacktrackBody, tag: string): readonly Part[] {
  const sections = [
    `You were further ahead and went back to checkpoint ${entry.to}. What came after it is gone from your context; this is your own note from there:`,
    entry.note,
    ...promptsSection(entry.prompts),
    ...listSection(
      "Already said to the user, who can still read it; say it again only where your answer needs it:",
      [...entry.told, ...moreTold(entry)],
    ),
    ...filesSection(entry),
    ...listSection("Commands that are still running:", entry.running),
    ...timesSection(entry.times),
    "Go on from the note. Do not repeat what it says was done or has failed.",
  ];
  const images = entry.prompts.flat().filter((part) => part.type === "image");
  return [frame(breakTag(sections.join("\n\n"), tag), tag), ...images];
}

function moreTold({ moreTold: more = 0 }: BacktrackBody): string[] {
  return more === 0 ? [] : [`(and ${more} more ${more === 1 ? "message" : "messages"}, left out here)`];
}

function promptsSection(prompts: readonly (readonly Part[])[]): string[] {
  if (prompts.length === 0) return [];
  const texts = prompts.map((parts) => textOf(parts) || "(an image, shown below)");
  return ["Since that checkpoint the person wrote, word for word:", ...texts];
}

function filesSection(entry: BacktrackBody): string[] {
  if (entry.files === "restore") {
    return [
      "The files were taken back to that checkpoint as well.",
      ...listSection("Except:", entry.changed),
    ];
  }
  return listSection("Files on disk that are no longer as they were at that checkpoint:", entry.changed);
}

function listSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [[title, ...lines.map((line) => `- ${line}`)].join("\n")];
}

function timesSection(times: number): string[] {
  return times < 2 ? [] : [`You have come back to this checkpoint ${times} times now.`];
}
