import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ExportRequest } from "../../../ports/station/sessions.ts";
import { WorldlineError } from "../../../record/error.ts";
import { withBundledFiles } from "../../commands/sessions/export/bundled-files.ts";
import { checkTarget, writePieces } from "../../commands/sessions/export/export-file.ts";
import { piecesOf } from "../../commands/sessions/export/pieces.ts";
import type { Here } from "../here/open-here.ts";

const ENDINGS = { markdown: "md", json: "json", bundle: "bundle" } as const;

/** Writes the session as `worldline sessions export` does. A name that nobody chose is one that is free. */
export async function exportHere(
  { frame, agent, opened }: Here,
  { format, file, existing = "keep" }: ExportRequest,
): Promise<string> {
  const wanted = resolve(agent.workspace, file ?? freeName(agent, ENDINGS[format]));
  // Checked with the other choice first: what can never be written is not asked about.
  const path = await checkTarget(frame, wanted, "replace");
  if (existing === "keep" && existsSync(path)) throw new WorldlineError("file-to-replace", { path });
  const { session, ground } = opened;
  await withBundledFiles(frame, format === "bundle" ? "leave-out" : "none", async (files) => {
    const pieces = piecesOf(session, ground.store, { format, branch: "here", ...files.options });
    await writePieces(frame, pieces, { path, existing, onProgress: () => undefined });
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
