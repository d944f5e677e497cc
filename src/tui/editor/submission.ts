import type { ImagePart, Part } from "../../record/parts.ts";
import { parseSlash } from "../commands/parse-slash.ts";
import { partsOf } from "./images/held-images.ts";

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
 * The inputs in a text that went back to the editor as several: each of `commands` that is still there as it was, every other
 * paragraph that begins with `!`, and the prompts between them. Without this a prompt after a command would run in the shell.
 */
export function splitInputs(text: string, commands: readonly string[]): readonly string[] {
  const inputs: string[] = [];
  let prompt: string[] = [];
  const endPrompt = (): void => {
    if (prompt.length > 0) inputs.push(prompt.join("\n\n"));
    prompt = [];
  };
  for (let rest = text.trim(); rest !== ""; ) {
    const known = commands.find((command) => rest === command || rest.startsWith(`${command}\n\n`));
    const paragraph = known ?? rest.split(/\n[^\S\n]*\n/u, 1)[0] ?? rest;
    rest = rest.slice(paragraph.length).replace(/^(?:[^\S\n]*\n)+/u, "");
    if (known === undefined && !paragraph.startsWith("!")) prompt.push(paragraph);
    else {
      endPrompt();
      inputs.push(paragraph);
    }
  }
  endPrompt();
  return inputs;
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
