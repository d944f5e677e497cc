import type { Captured, Gap, KeptFor, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { DraftOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { shownPath } from "../../record/files.ts";
import { type EntryId, toCheckpointNumber } from "../../record/ids.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { callsOf } from "./capture-interval.ts";
import { patienceOf } from "./look.ts";
import type { WritingGround } from "./perform.ts";
import type { CaptureResult, CaptureWish } from "./requests.ts";

/** How many gaps are named where there are many. */
const MOST_GAPS = 3;

/** Captures the files of a checkpoint and writes down what came of it. A failed capture is shown, and stops nobody. */
export async function captureCheckpoint(ground: WritingGround, wish: CaptureWish): Promise<CaptureResult> {
  const { view, files } = ground;
  const { checkpoint } = wish;
  const captured = await tryCapture(files, await keptFor(ground, checkpoint), wish);
  const facts = wish.ran?.() ?? { author: wish.author, during: [] };
  const { author } = facts;
  const known = "snapshot" in captured ? describe(captured) : ({ state: "none", ...captured } as const);
  const calls = "snapshot" in captured ? await callsOf(ground, facts, captured.snapshot) : {};
  const draft: DraftOf<"snapshot"> = {
    kind: "snapshot",
    checkpoint: toCheckpointNumber(checkpoint),
    author,
    ...known,
    ...calls,
    ...(view.sharedFrom === undefined || known.state === "none" ? {} : { machine: view.sharedFrom }),
  };
  const [entry] = await view.write([{ draft }]);
  return { ...known, entry: entry as EntryId };
}

async function keptFor({ view }: WritingGround, checkpoint: number): Promise<KeptFor> {
  const row = requireCheckpoint(view.outline, checkpoint);
  const label = (await view.labels(row.seq)).get(row.id);
  const [entry] = row.kind === "step" ? [] : await view.storedEntries([row.seq]);
  return {
    session: view.id,
    checkpoint,
    on: entry?.kind === "checkpoint" ? entry.on : "step",
    ...(label === undefined ? {} : { label }),
  };
}

async function tryCapture(
  files: WorkspaceFiles,
  kept: KeptFor,
  wish: CaptureWish,
): Promise<Captured | { readonly why: string }> {
  try {
    return await files.capture({ keptFor: kept, look: wish.look ?? "everything", ...patienceOf(wish) });
  } catch (error) {
    if (isWorldlineError(error, "CANCELLED")) throw error;
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function describe({ state, snapshot, gaps, gitHead }: Captured): {
  readonly state: Captured["state"];
  readonly snapshot: Captured["snapshot"];
  readonly why?: string;
  readonly gitHead?: string;
} {
  return {
    state,
    snapshot,
    ...(state === "partial" ? { why: gapsText(gaps) } : {}),
    ...(gitHead === undefined ? {} : { gitHead }),
  };
}

/** `2 paths could not be read: a (unreadable), b (changing)` */
function gapsText(gaps: readonly Gap[]): string {
  const named = gaps.slice(0, MOST_GAPS).map(({ path, why }) => `${shownPath(path)} (${why})`);
  const rest = gaps.length > MOST_GAPS ? ", …" : "";
  const count = gaps.length === 1 ? "1 path" : `${gaps.length} paths`;
  return `${count} could not be captured: ${named.join(", ")}${rest}`;
}
