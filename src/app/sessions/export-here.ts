import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import type { Here } from "../current/open-current.ts";
import { withBundledFiles } from "./bundled-files.ts";
import { checkTarget, writePieces } from "./export-file.ts";
import { piecesOf } from "./pieces.ts";
import type { ExportRequest } from "./session-types.ts";

const ENDINGS = { markdown: "md", json: "json", bundle: "bundle" } as const;

/** Writes the session as `worldline sessions export` does. A name that nobody chose is one that is free. */
export async function exportHere(
  { context, agent, opened }: Here,
  { format, file, existing = "keep" }: ExportRequest,
): Promise<string> {
  const wanted = resolve(agent.workspace, file ?? freeName(agent, ENDINGS[format]));
  // Checked with the other choice first: what can never be written is not asked about.
  const path = await checkTarget(context, wanted, "replace");
  if (existing === "keep" && existsSync(path)) throw new WorldlineError("file-to-replace", { path });
  const { session, ground } = opened;
  await withBundledFiles(context, format === "bundle" ? "leave-out" : "none", async (files) => {
    const pieces = piecesOf(session, ground.store, { format, branch: "here", ...files.options });
    await writePieces(context, pieces, { path, existing, onProgress: () => undefined });
  });
  return path;
}

function freeName(
  { workspace, session }: { readonly workspace: string; readonly session: string },
  ending: string,
): string {
  for (let number = 1; ; number += 1) {
    const name = `worldline-${session}${number === 1 ? "" : `-${number}`}.${ending}`;
    if (!existsSync(resolve(workspace, name))) return name;
  }
}
