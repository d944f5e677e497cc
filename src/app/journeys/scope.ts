import { hostPlaceOf } from "../../machine/files/external-preview.ts";
import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { FilesAt } from "../../machine/files/requests.ts";
import type { SessionView } from "../../machine/view.ts";
import type { FileRewinder } from "../../ports/file-rewinder.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Scope } from "../../record/entry.ts";
import { isWorldlineError, problemIn, WorldlineError } from "../../record/error.ts";
import type { Row } from "../../timeline/row.ts";
import { isAlreadyThere } from "../../travel/rewind.ts";
import type { FoundCheckpoint } from "../checkpoints/find-checkpoint.ts";
import { type FilesHere, isTouchedOnly, requireFiles } from "../files/files.ts";
import type { ScopeOffer } from "./journey-types.ts";

/** What goes back, and why files do not where nobody said that they should stay. */
export interface SettledScope {
  readonly scope: Scope;
  readonly filesStay?: WorldlineError;
}

interface ScopeWish {
  readonly given: Scope | undefined;
  /** "some": the person named paths, so it is about files. */
  readonly only: "some" | "none";
  /** "another": files go back by another agent's checkpoints, so that ours need not have them. */
  readonly by: "snapshots" | "another";
}

/**
 * The scope that was given. Else both in an agent's session and files in the workspace's own. Refused where the files
 * cannot be had: who goes back for files must not be told that it is done while they stay as they are. Only where files
 * are switched off nobody expects them of an agent's session, and it is said that they stay.
 */
export async function settleScope(
  target: FoundCheckpoint,
  here: FilesHere,
  { given, only, by }: ScopeWish,
): Promise<SettledScope> {
  if (only === "some" && given === "conversation") throw onlyOfConversation();
  if (by === "another")
    return { scope: given ?? (isAlreadyThere(target.view.outline, target.row) ? "files" : "both") };
  if (given !== undefined || only === "some") {
    const scope = given ?? "files";
    if (scope !== "conversation") requireHere(here, target);
    return { scope };
  }
  return defaultScope(target, here);
}

async function defaultScope(target: FoundCheckpoint, here: FilesHere): Promise<SettledScope> {
  const { view, row } = target;
  if (await isWithoutFiles(target, here)) return { scope: "conversation" };
  const isOwn = view.header.mode === "workspace";
  if (here.state === "off" && !isOwn) return { scope: "conversation", filesStay: here.error };
  const files = requireHere(here, target);
  if (files !== undefined) {
    await targetOfCheckpoint({ view, files }, row.number).catch((error: unknown) => {
      throw refused(error, target);
    });
  }
  return { scope: isOwn || isAlreadyThere(target.view.outline, target.row) ? "files" : "both" };
}

/** A program's execution that never had files: nobody misses them. */
async function isWithoutFiles({ view, row }: FoundCheckpoint, { files }: FilesHere): Promise<boolean> {
  if (view.header.mode !== "execution") return false;
  return (await filesAt(view, files, row.number)).state === "pending";
}

/** As `requireFiles`, with a way out. Undefined where only files are followed that an agent's tools touch. */
function requireHere(here: FilesHere, target: FoundCheckpoint): WorkspaceFiles | undefined {
  if (isTouchedOnly(here) && target.view.header.mode === "agent") return undefined;
  try {
    return requireFiles(here);
  } catch (error) {
    throw refused(error, target);
  }
}

function refused(error: unknown, { view, row }: FoundCheckpoint): unknown {
  if (!isWorldlineError(error)) return error;
  const { mode } = view.header;
  return new WorldlineError(
    "rewind-files-unusable",
    { session: view.id, checkpoint: row.number, mode, problem: error },
    { cause: error },
  );
}

function onlyOfConversation(): WorldlineError {
  return new WorldlineError("only-of-conversation", {});
}

/** A checkpoint in its session, and the files of the workspace that both are about. */
export interface Place {
  readonly view: SessionView;
  readonly row: Row;
  readonly here: FilesHere;
  /** Waits for a capture that runs, where the session is held. */
  readonly filesAt: (checkpoint: number) => Promise<FilesAt>;
  /** Who takes the files back, where it is not our snapshots. */
  readonly through?: FileRewinder;
}

/** Which scopes a checkpoint allows, the default first. In a workspace's own session there is no conversation. */
export async function scopeOffer(place: Place): Promise<ScopeOffer> {
  const { view, row } = place;
  if (view.header.mode === "execution") return offerOfExecution(place);
  const without = await whyWithoutFiles(place);
  const canTalk = view.header.mode !== "workspace" && !isAlreadyThere(view.outline, row);
  if (without !== undefined) return { scopes: canTalk ? ["conversation"] : [], without };
  return { scopes: canTalk ? ["both", "conversation", "files"] : ["files"] };
}

/** A program's state and its files belong together. Where it never had files, nobody misses them. */
async function offerOfExecution(place: Place): Promise<ScopeOffer> {
  const { view, row } = place;
  const isThere = isAlreadyThere(view.outline, row);
  if ((await place.filesAt(row.number)).state === "pending") {
    return isThere
      ? { scopes: [], without: new WorldlineError("execution-there-already", { session: view.id }) }
      : { scopes: ["conversation"] };
  }
  const without = await whyWithoutFiles(place);
  if (without !== undefined) return { scopes: isThere ? [] : ["conversation"], without };
  return { scopes: isThere ? ["files"] : ["both"] };
}

/** What goes back, and why files do not, where they are switched off: then nobody expects them to. */
export async function settledScope(
  place: Place,
  wanted: Scope,
): Promise<{ readonly scope: Scope; readonly filesStay?: WorldlineError }> {
  const { here, view } = place;
  if (wanted === "conversation") return { scope: wanted };
  const isExpected = wanted === "files" || view.header.mode === "workspace";
  if (place.through === undefined && here.state === "off" && !isExpected)
    return { scope: "conversation", filesStay: here.error };
  const without = await whyWithoutFiles(place);
  if (without === undefined) return { scope: wanted };
  throw without;
}

/** Undefined where files can go back. */
async function whyWithoutFiles({
  here,
  view,
  row,
  through,
  filesAt: at,
}: Place): Promise<WorldlineError | undefined> {
  if (through !== undefined) return whyNotThrough({ view, row, here }, through);
  if (isTouchedOnly(here) && view.header.mode === "agent") return undefined;
  if (here.state !== "on") {
    return new WorldlineError("files-cannot-go-back", { problem: here.error }, { cause: here.error });
  }
  const checkpoint = row.number;
  const files = await at(checkpoint);
  switch (files.state) {
    case "complete":
    case "partial":
      return undefined;
    case "pending":
      return new WorldlineError("files-of-checkpoint-not-captured", { checkpoint });
    case "none":
      return new WorldlineError("files-of-checkpoint-not-captured", { checkpoint, why: problemIn(files) });
    case "let-go": {
      const { machine } = files;
      return new WorldlineError("files-of-checkpoint-let-go", {
        checkpoint,
        ...(machine === undefined ? {} : { machine }),
      });
    }
    default:
      return files satisfies never;
  }
}

async function whyNotThrough(
  { view, row, here }: Pick<Place, "view" | "row" | "here">,
  through: FileRewinder,
): Promise<WorldlineError | undefined> {
  try {
    await hostPlaceOf(view, row.number, through);
    return undefined;
  } catch (error) {
    if (!isWorldlineError(error, "REWIND_REFUSED")) throw error;
    const files = here.state === "on" ? {} : { files: here.error };
    return new WorldlineError("host-cannot-go-back", { problem: error, ...files }, { cause: error });
  }
}

/** For a session that nobody holds here. */
export function filesAtIn(view: SessionView, { files }: FilesHere): Place["filesAt"] {
  return async (checkpoint) => filesAt(view, files, checkpoint);
}
