import { textPart } from "../../../record/parts.ts";
import { failed } from "../answers.ts";
import { faultText } from "../files/look.ts";
import type { ToolResult } from "../tool.ts";
import { putFile } from "./put-file.ts";
import { sha256Of, type Target } from "./target.ts";

/** Nothing was written, so no capture need look for it. */
export function refused(why: string): ToolResult {
  return { ...failed(why), touched: [] };
}

/** Writes the file, and says what the model knows of it from now on. */
export async function write(
  { place, shown, before }: Target,
  content: string,
  said: string,
): Promise<ToolResult> {
  const bytes = Buffer.from(content, "utf8");
  try {
    const replaced = before === undefined ? {} : { replaces: before.stats, holding: before.bytes };
    const put = await putFile({ place, bytes, ...replaced });
    if (put === "changed") {
      return refused(`${shown} changed while it was being written, and is left as it is now. Read it again.`);
    }
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
