import { relative, sep } from "node:path";
import type { IntervalFacts } from "../../../machine/files/captures.ts";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import type { RanCall } from "../../../record/entry.ts";
import {
  isSameOutside,
  type OutsideChange,
  type OutsideState,
  type PathBytes,
  pathOfText,
} from "../../../record/files.ts";
import { limitTexts } from "../../../travel/logged-files.ts";
import type { Reach } from "../../permissions/rules.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { userSigns } from "./user-signs.ts";

/** The facts about a starting call that the captures need. */
export interface StartingCall {
  readonly call: string;
  readonly reach: Reach;
  /** The command, or the tool and its subject, on one line. */
  readonly about: string;
  /** Absolute paths that the call will write to, if it names all of them. */
  readonly writes?: readonly string[] | undefined;
  readonly reads?: "only";
  /** Has the same meaning as in `Tool`. */
  readonly works?: "by-calls" | undefined;
}

/** Facts about a call that has ended. */
export interface EndedCall {
  readonly processes?: ToolResult["processes"] | undefined;
  /** Absolute paths that the call wrote to, if all of them are known. */
  readonly wrote?: readonly string[] | undefined;
}

export interface TrackedCall {
  readonly ran: RanCall;
  /** Paths within the workspace that the call writes to. Absent if they are unknown. */
  readonly wrote?: readonly PathBytes[];
  readonly endedAt?: number | undefined;
  /** Checks whether processes that outlive the call are still running. */
  readonly isRunning?: (() => boolean) | undefined;
}

export type Look = "everything" | readonly PathBytes[];

/** The calls that may change files: running calls, and calls that ended since the files were last captured. */
export class RunningCalls {
  readonly #world: { readonly session: string; readonly workspace: string };
  /** The running calls, including commands that run in the background. */
  readonly #open = new Map<string | symbol, TrackedCall>();
  #ended: readonly TrackedCall[] = [];

  constructor(world: { readonly session: string; readonly workspace: string }) {
    this.#world = world;
  }

  get ended(): readonly TrackedCall[] {
    return this.#ended;
  }

  start(call: StartingCall, looked?: "late"): void {
    if (!isChanging(call)) return;
    const inBackground = this.#open.get(call.call);
    // Some gateways reuse call ids in each reply.
    if (inBackground?.isRunning !== undefined) this.#open.set(Symbol(call.call), inBackground);
    this.#open.set(call.call, this.#tracked(call, looked));
  }

  withdraw(call: string): void {
    this.#open.delete(call);
  }

  /** Returns the paths that a call may change. */
  reachOf(call: StartingCall): Look {
    return this.#tracked(call).wrote ?? "everything";
  }

  /** Marks a call as ended. Returns the paths to capture now, or undefined if the call was not known to be running. */
  end(id: string, { wrote, processes }: EndedCall): Look | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    const { workspace } = this.#world;
    const isRunning = processes !== undefined && "isRunning" in processes ? processes.isRunning : undefined;
    if (isRunning?.() === true) {
      this.#open.set(id, { ...call, isRunning });
      return "everything";
    }
    this.#open.delete(id);
    const paths = wrote === undefined ? call.wrote : wrote.flatMap((path) => insideOf(workspace, path));
    const known =
      call.wrote === undefined || paths === undefined
        ? {}
        : { wrote: paths, ran: { ...call.ran, wrote: limitTexts(paths) } };
    const endedAt = processes !== undefined && "endedAt" in processes ? processes.endedAt : undefined;
    this.#ended = [...this.#ended, { ...call, ...known, endedAt }];
    return call.wrote === undefined ? "everything" : (paths ?? "everything");
  }

  /**
   * Drops finished calls that a capture covers. These calls ended before the capture began, and the capture examined
   * the paths that they wrote to.
   */
  saw(seen: readonly TrackedCall[], look: Look): void {
    const over = new Set(seen.filter(({ wrote }) => look === "everything" || wrote !== undefined));
    this.#ended = this.#ended.filter((each) => !over.has(each));
  }

  /**
   * Adds the paths that finished calls wrote to. Extends the capture to all paths if it is unknown where any of the
   * calls writes.
   */
  widened(wanted: Look): Look {
    const isWide = (call: TrackedCall): boolean => call.wrote === undefined;
    if (this.#ended.some(isWide) || [...this.#open.values()].some(isWide)) return "everything";
    return wanted === "everything"
      ? wanted
      : [...new Set([...wanted, ...this.#ended.flatMap(({ wrote = [] }) => wrote)])];
  }

  /**
   * Returns facts about the calls that have run since the files were last captured. If there were no calls, any changes
   * came from outside.
   */
  facts(): IntervalFacts {
    for (const [id, call] of this.#open) {
      if (call.isRunning?.() !== false) continue;
      this.#open.delete(id);
      this.#ended = [...this.#ended, call];
    }
    const open = [...this.#open.values()];
    const calls = [...open, ...this.#ended];
    if (calls.length === 0) return { author: "outside", during: [] };
    const commands = calls.filter(({ wrote }) => wrote === undefined);
    const isOver = open.length === 0 && commands.every(({ endedAt }) => endedAt !== undefined);
    const endedAt = isOver ? Math.max(...commands.map((call) => call.endedAt ?? 0)) : undefined;
    const world = { ...this.#world, endedAt };
    return {
      author: "timeline",
      during: calls.map(({ ran }) => ran),
      signs: async (changes) => userSigns(world, changes),
    };
  }

  #tracked({ call, reach, about, writes, reads }: StartingCall, looked?: "late"): TrackedCall {
    const { workspace } = this.#world;
    const wrote =
      reach === "files" && writes !== undefined
        ? writes.flatMap((path) => insideOf(workspace, path))
        : undefined;
    return {
      ...(wrote === undefined ? {} : { wrote }),
      ran: {
        call,
        about,
        ...(wrote === undefined ? {} : { wrote: limitTexts(wrote) }),
        ...(reads === undefined ? {} : { reads }),
        ...(looked === undefined ? {} : { looked }),
      },
    };
  }
}

/** Checks whether the call itself may change files. */
export function isChanging({ reach, works }: StartingCall): boolean {
  return works !== "by-calls" && (reach === "files" || reach === "anything");
}

/** Returns the path relative to the workspace, or an empty list for a path outside the workspace. */
function insideOf(workspace: string, path: string): readonly PathBytes[] {
  const inside = relative(workspace, path);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`)) return [];
  return [pathOfText(inside.split(sep).join("/"))];
}

/** The files outside the snapshots that the tools of a turn changed. */
export class OutsideChanges {
  readonly #byPath = new Map<
    string,
    { readonly before: OutsideState | undefined; after: OutsideState | undefined }
  >();

  add(changes: readonly OutsideChange[]): void {
    for (const { path, before, after } of changes) {
      const known = this.#byPath.get(path);
      if (known === undefined) this.#byPath.set(path, { before, after });
      else known.after = after;
    }
  }

  /** Returns the changes made in one turn, for the event at its end. The next turn starts with an empty list. */
  take(): readonly ChangedFile[] {
    const changed = [...this.#byPath].flatMap(([path, { before, after }]): ChangedFile[] => {
      if (isSameOutside(before, after)) return [];
      return [
        { path, change: before === undefined ? "created" : after === undefined ? "deleted" : "changed" },
      ];
    });
    this.#byPath.clear();
    return changed;
  }
}
