import { systemClock } from "../../disk/system-clock.ts";
import { hostPlaceOf } from "../../machine/files/external-preview.ts";
import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { FilesAt } from "../../machine/files/requests.ts";
import type { SessionView } from "../../machine/view.ts";
import type { FileRewinder } from "../../ports/file-rewinder.ts";
import type { Scope } from "../../record/entry.ts";
import { isWorldlineError, problemIn, WorldlineError } from "../../record/error.ts";
import { isAlreadyThere } from "../../travel/rewind.ts";
import type { FoundCheckpoint } from "../checkpoints/find-checkpoint.ts";
import { type AppContext, quietContext } from "../context.ts";
import { isTouchedOnly, type OpenedFiles, requireFiles } from "../files/files.ts";
import type { ScopeOffer } from "./journey-types.ts";

/** A checkpoint, its session, and everything needed to restore its files. */
export interface RewindTarget extends FoundCheckpoint {
  readonly workspaceFiles: OpenedFiles;
  /**
   * Returns the state of a checkpoint's files. If this process holds the session, waits for a running capture first.
   */
  readonly filesAt: (checkpoint: number) => Promise<FilesAt>;
  /** The agent that restores the files instead of Worldline's snapshots, if any. */
  readonly rewinder?: FileRewinder | undefined;
}

export async function rewindTarget(
  context: AppContext,
  { view, row }: FoundCheckpoint,
  workspaceFiles: OpenedFiles,
): Promise<RewindTarget> {
  const rewinder = await rewinderFor(context, view);
  return {
    view,
    row,
    workspaceFiles,
    rewinder,
    filesAt: async (checkpoint) => filesAt(view, workspaceFiles.files, checkpoint),
  };
}

/**
 * Returns the Claude Agent SDK's rewinder if the SDK has worked in the session and `snapshots.engine` is "sdk". The SDK
 * is loaded only when it is used.
 */
async function rewinderFor(context: AppContext, view: SessionView): Promise<FileRewinder | undefined> {
  const { values } = await context.settings();
  if (values["snapshots.engine"] !== "sdk" || !(await hasWorkedOn(view, "claude"))) return undefined;
  const { sdkRewinder } = await import("../../hosts/claude-agent-sdk/file-rewinder.ts");
  return sdkRewinder({
    workspace: view.header.workspace,
    clock: systemClock,
    open: async () => {
      const { openClaude } = await import("../agent/open-claude.ts");
      // The context is quiet because warnings about the SDK's settings are reported when the SDK is started as an
      // agent.
      return openClaude(quietContext(context), {});
    },
  });
}

async function hasWorkedOn(view: SessionView, host: string): Promise<boolean> {
  const entries = await view.storedEntries(view.outline.linesOf("host"));
  return entries.some((entry) => entry.kind === "host" && entry.host === host);
}

/** Returns the scopes that a checkpoint allows, the default first. A workspace's own session has no conversation. */
export async function scopeOffer(target: RewindTarget): Promise<ScopeOffer> {
  const { view, row } = target;
  if (view.header.mode === "execution") return offerOfExecution(target);
  const without = await problemForMenu(target);
  const canTalk = view.header.mode !== "workspace" && !isAlreadyThere(view.outline, row);
  if (without !== undefined) return { scopes: canTalk ? ["conversation"] : [], without };
  return { scopes: canTalk ? ["both", "conversation", "files"] : ["files"] };
}

/**
 * Returns the scopes for a program. A program's state and files are rewound together. If the program never had files,
 * their absence is not reported.
 */
async function offerOfExecution(target: RewindTarget): Promise<ScopeOffer> {
  const { view, row } = target;
  const isThere = isAlreadyThere(view.outline, row);
  if ((await target.filesAt(row.number)).state === "pending") {
    return isThere
      ? { scopes: [], without: new WorldlineError("execution-there-already", { session: view.id }) }
      : { scopes: ["conversation"] };
  }
  const without = await problemForMenu(target);
  if (without !== undefined) return { scopes: isThere ? [] : ["conversation"], without };
  return { scopes: isThere ? ["files"] : ["both"] };
}

/** The scope that the user requests. */
export interface ScopeRequest {
  /** The requested scope; undefined for the checkpoint's default. */
  readonly scope: Scope | undefined;
  /** "some": the user named paths, so the rewind must restore files. */
  readonly only?: "some" | "none";
  /**
   * What an error suggests: the command that rewinds only the conversation, or nothing, because a menu already offers
   * that choice. In a menu, "both" is the default, so if files are turned off, only the conversation is rewound.
   */
  readonly suggest: "command" | "nothing";
}

/**
 * The scope of the rewind. `filesStay`: the reason if the files are not restored although the user did not ask for
 * that.
 */
export interface SettledScope {
  readonly scope: Scope;
  readonly filesStay?: WorldlineError;
}

/**
 * Returns the requested scope. The default is "both" in an agent's session, and "files" in a workspace's own session.
 * Throws if files are requested but not available, because a rewind must not succeed without restoring them. An agent's
 * session is rewound without files only if files are turned off and were not requested.
 */
export async function settleScope(target: RewindTarget, request: ScopeRequest): Promise<SettledScope> {
  const { scope: wanted, only = "none" } = request;
  if (wanted === "conversation") {
    if (only === "some") throw new WorldlineError("only-of-conversation", {});
    return { scope: wanted };
  }
  const scope = wanted ?? (only === "some" ? "files" : await defaultScope(target));
  if (scope === "conversation") return { scope };
  const { workspaceFiles } = target;
  if (workspaceFiles.state === "off" && mayLeaveFiles(target, request)) {
    return { scope: "conversation", filesStay: workspaceFiles.error };
  }
  const problem =
    request.suggest === "command" ? await problemForCommand(target, request) : await problemForMenu(target);
  if (problem !== undefined) throw problem;
  return { scope };
}

async function defaultScope(target: RewindTarget): Promise<Scope> {
  const { view, row } = target;
  const { mode } = view.header;
  const isProgramWithoutFiles =
    mode === "execution" && (await target.filesAt(row.number)).state === "pending";
  if (isProgramWithoutFiles) return "conversation";
  return mode === "workspace" || isAlreadyThere(view.outline, row) ? "files" : "both";
}

function mayLeaveFiles({ view, rewinder }: RewindTarget, { scope, only, suggest }: ScopeRequest): boolean {
  const isDefault = (scope === undefined && only !== "some") || (suggest === "nothing" && scope === "both");
  return isDefault && rewinder === undefined && view.header.mode !== "workspace";
}

/**
 * Returns the reason why files cannot be restored, with the command that rewinds only the conversation. Does not check
 * for problems that the preview detects.
 */
async function problemForCommand(
  { view, row, workspaceFiles, rewinder }: RewindTarget,
  { scope, only }: ScopeRequest,
): Promise<WorldlineError | undefined> {
  if (rewinder !== undefined || (isTouchedOnly(workspaceFiles) && view.header.mode === "agent"))
    return undefined;
  try {
    const files = requireFiles(workspaceFiles);
    if (scope === undefined && only !== "some") await targetOfCheckpoint({ view, files }, row.number);
    return undefined;
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const { mode } = view.header;
    return new WorldlineError(
      "rewind-files-unusable",
      { session: view.id, checkpoint: row.number, mode, problem: error },
      { cause: error },
    );
  }
}

/** Returns the reason why files cannot be restored, or undefined if they can be. */
async function problemForMenu({
  workspaceFiles,
  view,
  row,
  rewinder,
  filesAt: at,
}: RewindTarget): Promise<WorldlineError | undefined> {
  if (rewinder !== undefined) return whyRewinderCannot({ view, row, workspaceFiles }, rewinder);
  if (isTouchedOnly(workspaceFiles) && view.header.mode === "agent") return undefined;
  if (workspaceFiles.state !== "on") {
    return new WorldlineError(
      "files-cannot-go-back",
      { problem: workspaceFiles.error },
      { cause: workspaceFiles.error },
    );
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

async function whyRewinderCannot(
  { view, row, workspaceFiles }: Pick<RewindTarget, "view" | "row" | "workspaceFiles">,
  rewinder: FileRewinder,
): Promise<WorldlineError | undefined> {
  try {
    await hostPlaceOf(view, row.number, rewinder);
    return undefined;
  } catch (error) {
    if (!isWorldlineError(error, "REWIND_REFUSED")) throw error;
    const files = workspaceFiles.state === "on" ? {} : { files: workspaceFiles.error };
    return new WorldlineError("host-cannot-go-back", { problem: error, ...files }, { cause: error });
  }
}
