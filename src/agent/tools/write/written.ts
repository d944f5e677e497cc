import { textPart } from "../../../record/parts.ts";
import { failed } from "../answers.ts";
import { faultText } from "../files/look.ts";
import type { ToolResult } from "../tool.ts";
import { putFile } from "./put-file.ts";
import { sha256Of, type Target } from "./target.ts";

/** Writes the file, and says what the model knows of it from now on. */
export async function write(
  { place, shown, before }: Target,
  content: string,
  said: string,
): Promise<ToolResult> {
  const bytes = Buffer.from(content, "utf8");
  try {
    await putFile({ place, bytes, ...(before === undefined ? {} : { replaces: before.stats }) });
  } catch (error) {
    return failed(`${shown} cannot be written: ${faultText(error)}.`);
  }
  return {
    outcome: "ok",
    parts: [textPart(said)],
    seen: [{ path: place, sha256: sha256Of(bytes) }],
    touched: [place],
  };
}
