import type { ModelState } from "../../app/agent/models/model-types.ts";
import type { TimelineState } from "../../app/queries/query-types.ts";
import type { Doing } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { BACKTRACK_TOOL, type TodoItem } from "../../record/parts.ts";
import type { Detail } from "../transcript/drawing/layout.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../transcript/transcript.ts";

/** All that is on the screen except the text in the editor. Never changed: each event makes the next one. */
export interface ViewState {
  readonly phase: Phase;
  readonly workspace: string;
  /** The person's home folder, which is shown as `~`. */
  readonly home: string;
  /** Whose agent it is; undefined: ours. */
  readonly host: string | undefined;
  readonly model: ModelState | undefined;
  readonly mode: PermissionMode;
  readonly transcript: Transcript;
  /** What is going on, and since when. */
  readonly doing: { readonly doing: Doing; readonly since: number } | undefined;
  /** What a command of the person's waits for. */
  readonly waiting: Waited | undefined;
  /** When the turn began; undefined while none runs. */
  readonly turnSince: number | undefined;
  /** What the person said meanwhile. */
  readonly queued: readonly string[];
  readonly todos: readonly TodoItem[];
  readonly panel: "none" | "todos" | "keys";
  /** Whether calls, thinking and notices show all they hold. */
  readonly folds: "folded" | "unfolded";
  /** How much is shown at all; Ctrl+O still folds and unfolds. */
  readonly detail: Detail;
  /** Lines that the conversation is scrolled up from its end. */
  readonly scroll: number;
  readonly timeline: TimelineState | undefined;
  /** A line above the editor that says what a key will do next: "press Ctrl+C again to leave". */
  readonly hint: string | undefined;
}

export interface Waited {
  readonly what: string;
  readonly since: number;
  readonly how: "stoppable" | "to its end";
  readonly progress?: string;
}

/** "opening": the session is not there yet; what is typed waits. */
export type Phase = "opening" | "idle" | "turn" | "leaving";

/** For a screen on which nothing is said of backtracks. */
export function withoutBacktracks(view: ViewState): ViewState {
  const { doing, timeline } = view;
  const isGoingBack = doing?.doing.what === "tool" && doing.doing.name === BACKTRACK_TOOL;
  return {
    ...view,
    ...(isGoingBack ? { doing: undefined } : {}),
    ...(timeline === undefined ? {} : { timeline: timelineWithoutBacktracks(timeline) }),
  };
}

export function timelineWithoutBacktracks(timeline: TimelineState): TimelineState {
  const { branchesLeft, leftByBacktracks } = timeline;
  return { ...timeline, branchesLeft: branchesLeft - leftByBacktracks, leftByBacktracks: 0, savedTokens: 0 };
}

export const EMPTY_VIEW: ViewState = {
  phase: "opening",
  workspace: "",
  home: "",
  host: undefined,
  model: undefined,
  mode: "manual",
  transcript: EMPTY_TRANSCRIPT,
  doing: undefined,
  waiting: undefined,
  turnSince: undefined,
  queued: [],
  todos: [],
  panel: "none",
  folds: "folded",
  detail: "normal",
  scroll: 0,
  timeline: undefined,
  hint: undefined,
};
