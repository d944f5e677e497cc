import type { ImagePart, Part } from "../../record/parts.ts";
import { parseSlash } from "../commands/parse-slash.ts";
import { partsOf } from "./images.ts";

/** What the person sent off. */
export type Submission =
  | { readonly kind: "prompt"; readonly parts: readonly Part[] }
  /** "model": the conversation gets what the command prints. */
  | { readonly kind: "shell"; readonly command: string; readonly told: "model" | "nobody" }
  | { readonly kind: "slash"; readonly name: string; readonly words: string }
  | { readonly kind: "nothing" };

export type TypingMode = "prompt" | "shell" | "shell-untold" | "slash";

export function readSubmission(text: string, images: ReadonlyMap<number, ImagePart>): Submission {
  const trimmed = text.trim();
  const mode = typingMode(trimmed);
  if (mode === "shell" || mode === "shell-untold") return shellOf(trimmed, mode);
  const slash = parseSlash(trimmed);
  if (slash !== undefined) return { kind: "slash", ...slash };
  return trimmed === "" || trimmed === "/"
    ? { kind: "nothing" }
    : { kind: "prompt", parts: partsOf(trimmed, images) };
}

/**
 * The inputs in a text that went back to the editor as several. Each of `returned` that is still there is what it was. A paragraph
 * that was edited and begins with `!` is a command only in the place of a returned command that is gone: text that a prompt
 * quotes must never run. Everything else is a prompt.
 */
export function splitInputs(text: string, returned: readonly string[]): readonly string[] {
  const left = returned.toSorted((a, b) => b.length - a.length);
  let edited = returned.filter((input) => isCommand(input) && !holds(text, input)).length;
  const inputs: string[] = [];
  let prompt: string[] = [];
  let isInEdited = false;
  const endPrompt = (): void => {
    if (prompt.length > 0) inputs.push(prompt.join("\n\n"));
    prompt = [];
  };
  for (let rest = text.trim(); rest !== ""; ) {
    const at = left.findIndex((input) => rest === input || rest.startsWith(`${input}\n\n`));
    const known = at === -1 ? undefined : left.splice(at, 1)[0];
    const piece = known ?? rest.split(/\n[^\S\n]*\n/u, 1)[0] ?? rest;
    rest = rest.slice(piece.length).replace(/^(?:[^\S\n]*\n)+/u, "");
    const isEditedCommand = known === undefined && !isInEdited && edited > 0 && piece.startsWith("!");
    if (isEditedCommand) edited -= 1;
    if (isEditedCommand || (known !== undefined && isCommand(known))) {
      endPrompt();
      inputs.push(piece);
      isInEdited = false;
    } else {
      prompt.push(piece);
      isInEdited = known === undefined;
    }
  }
  endPrompt();
  return inputs;
}

function isCommand(input: string): boolean {
  return typingMode(input) !== "prompt";
}

/** Whether the input is there as a paragraph, or as several. */
function holds(text: string, input: string): boolean {
  return `\n\n${text.trim()}\n\n`.includes(`\n\n${input}\n\n`);
}

/** What is being typed, for the sign and the border of the editor. */
export function typingMode(text: string): TypingMode {
  const begun = text.trimStart();
  if (begun.startsWith("!!")) return "shell-untold";
  if (begun.startsWith("!")) return "shell";
  return parseSlash(begun) === undefined ? "prompt" : "slash";
}

function shellOf(text: string, mode: "shell" | "shell-untold"): Submission {
  const command = text.slice(mode === "shell" ? 1 : 2).trim();
  if (command === "") return { kind: "nothing" };
  return { kind: "shell", command, told: mode === "shell" ? "model" : "nobody" };
}
