import { createHash } from "node:crypto";
import type { Tree } from "../../../laws/files/independent-walk.ts";

/** Equal digests mean equal trees. */
export function digestOf(tree: Tree): string {
  const lines = [...tree].map(([path, words]) => `${JSON.stringify(path)} ${words}`).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}
