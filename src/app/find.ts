import type { Finding } from "../finder/finding.ts";
import type { CheckpointPlace } from "../finder/states.ts";
import { takeBackChange } from "../finder/take-back-change.ts";
import type { FilesOutcome } from "../machine/files/requests.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { EntryId, SessionId } from "../record/ids.ts";
import type { AppContext } from "./context.ts";
import { openFiles, patiently, requireFiles } from "./files/files.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { openGround } from "./sessions/store.ts";

/** What became of `--undo`. */
export type Undone =
  | { readonly state: "not-asked" }
  /** Nothing was found that the test passes without. */
  | { readonly state: "refused"; readonly why: string }
  | {
      /** "partly": some paths could not be changed. */
      readonly state: "undone" | "partly";
      readonly session: SessionId;
      readonly journey: EntryId;
      readonly files: FilesOutcome;
    };

interface Found {
  readonly files: WorkspaceFiles;
  readonly finding: Finding;
  readonly signal: AbortSignal;
}

export async function undo(context: AppContext, { files, finding, signal }: Found): Promise<Undone> {
  if (finding.verdict !== "found" && finding.verdict !== "range") {
    const change = "change" in finding ? finding.change : undefined;
    return { state: "refused", why: change?.effect.state ?? finding.verdict };
  }
  const { effect } = finding.change;
  const [green, present] = [finding.states[finding.border.green], finding.states.at(-1)];
  const place = placeFor(finding);
  if (green === undefined || present === undefined || place === undefined) {
    return { state: "refused", why: "no-checkpoint" };
  }
  const ground = await openGround(context);
  const hold = { context, ground, files, session: place.session, name: "worldline find" };
  return withHeld(hold, async (session) => {
    const done = await patiently(
      context,
      (wish) =>
        takeBackChange({
          ...wish,
          session,
          files,
          to: place.checkpoint,
          green: green.snapshot,
          tried: present.snapshot,
          overlay: effect.overlay,
          openFiles: async (folder) => requireFiles(await openFiles(context, folder)),
        }),
      signal,
    );
    const isWhole = done.files.kept === 0 && done.files.failed === 0;
    return { state: isWhole ? "undone" : "partly", session: session.id, ...done };
  });
}

/** Of the session that broke it, where it has the green state too; its agent is then told. */
function placeFor(finding: Extract<Finding, { verdict: "found" | "range" }>): CheckpointPlace | undefined {
  const [green, red] = [finding.states[finding.border.green], finding.states[finding.border.red]];
  const breaking = new Set(red?.places.map(({ session }) => session));
  return green?.places.findLast(({ session }) => breaking.has(session)) ?? green?.places.at(-1);
}
