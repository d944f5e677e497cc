import type { FoundCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import type { FilesHere } from "../../../app/files/files.ts";
import { filesAt } from "../../../machine/files/files-at.ts";
import type { Scope } from "../../../record/entry.ts";
import { table } from "../../../show/table.ts";
import { canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { askForRow } from "./ask-for-row.ts";

const scopes: readonly Scope[] = ["both", "conversation", "files"];
/** In the workspace's own session there is nothing that could go back without them. */
const withoutFiles = { agent: ["conversation"], workspace: [], execution: ["conversation"] } as const;

/** Asks what goes back, where there is a choice. No answer is to stay. Undefined: there is nothing to choose. */
export async function pickScope(
  frame: Frame,
  { view, row }: FoundCheckpoint,
  here: FilesHere,
): Promise<Scope | "stay" | undefined> {
  // A program's state and its files belong together.
  if (view.header.mode === "execution") return undefined;
  if (!canAsk(frame) || here.state !== "on") return undefined;
  const at = await filesAt(view, here.files, row.number);
  const offered = at.state === "complete" || at.state === "partial" ? scopes : withoutFiles[view.header.mode];
  if (offered.length === 0) return undefined;
  const { files } = frame.strings;
  frame.output.notice(files.scopeTitle);
  const rows = offered.map((scope, index) => [String(index + 1), files.scopes[scope]]);
  for (const line of table([["0", files.nothingGoesBack], ...rows])) frame.output.notice(`  ${line}`);
  return offered[(await askForRow(frame, offered.length)) - 1] ?? "stay";
}
