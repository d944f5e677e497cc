import { textPart } from "../../record/parts.ts";
import type { ToolResult } from "./tool.ts";

export function done(text: string): ToolResult {
  return { outcome: "ok", parts: [textPart(text)] };
}

/** What the model can do something about: it is told what, and goes on. */
export function failed(text: string): ToolResult {
  return { outcome: "error", parts: [textPart(text)] };
}

export function interrupted(text = "Interrupted."): ToolResult {
  return { outcome: "interrupted", parts: [textPart(text)] };
}
