import type { ModelState } from "../../app/agent/models.ts";
import type { TimelineState } from "../../app/queries/query-types.ts";
import type { AgentEvent, Busy, Doing } from "../../ports/agent-events.ts";
import type { PermissionMode } from "../../ports/person.ts";
import type { Entry } from "../../record/entry.ts";
import { BACKTRACK_TOOL, type TodoItem } from "../../record/parts.ts";
import { applyEvent } from "../transcript/apply-event.ts";
import type { Detail } from "../transcript/drawing/draw-block.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../transcript/transcript.ts";

/** The state of everything on the screen except the text in the editor. Immutable: each event creates a new state. */
export interface ViewState {
  readonly phase: Phase;
  readonly workspace: string;
  /** The user's home folder, displayed as `~`. */
  readonly home: string;
  /** The host that runs the agent. Undefined for Worldline's own agent. */
  readonly host: string | undefined;
  readonly model: ModelState | undefined;
  readonly mode: PermissionMode;
  readonly transcript: Transcript;
  /** The current activity, and when it began. */
  readonly doing: { readonly doing: Doing; readonly since: number } | undefined;
  /** The work that a user's command is waiting for. */
  readonly waiting:
    | {
        readonly what: string;
        readonly since: number;
        readonly how: "cancellable" | "uncancellable";
        readonly progress?: string;
      }
    | undefined;
  /** When the turn began. Undefined while no turn is running. */
  readonly turnSince: number | undefined;
  /** The user's queued inputs. */
  readonly queued: readonly string[];
  readonly todos: readonly TodoItem[];
  readonly panel: "none" | "todos" | "keys";
  /** Whether calls, thinking and notices are shown in full. */
  readonly folds: "folded" | "unfolded";
  /** Which kinds of blocks are shown. Ctrl+O folds and unfolds them independently of this setting. */
  readonly detail: Detail;
  /** Number of lines that the conversation is scrolled up from its end. */
  readonly scroll: number;
  readonly timeline: TimelineState | undefined;
  /** A hint about the next key, such as "press Ctrl+C again to leave". */
  readonly hint: string | undefined;
}

/** What the screen is doing. During "opening", the session is not open yet, and typed input waits. */
export type Phase = "opening" | "idle" | "turn" | "leaving";

/** Returns the view for a screen that hides backtracks. */
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

/** Holds the current state of the screen. Every change redraws the screen. */
export class ViewStore {
  #view: ViewState;
  /** Counts the hints, so that a timer removes only its own hint. */
  #hints = 0;
  readonly #drawn: () => void;

  constructor(view: ViewState, drawn: () => void) {
    this.#view = view;
    this.#drawn = drawn;
  }

  get view(): ViewState {
    return this.#view;
  }

  update(next: (view: ViewState) => ViewState): void {
    const changed = next(this.#view);
    if (changed === this.#view) return;
    this.#view = changed;
    this.#drawn();
  }

  /** Corrects fields while the screen is being drawn, without redrawing it. */
  settle(fields: Partial<ViewState>): void {
    this.#view = { ...this.#view, ...fields };
  }

  set(fields: Partial<ViewState>): void {
    if ("hint" in fields) this.#hints += 1;
    this.update((view) => ({ ...view, ...fields }));
  }

  /** Shows a hint and removes it after a while, unless another hint has replaced it. */
  showHint(hint: string, forMs: number): void {
    this.set({ hint });
    const own = this.#hints;
    setTimeout(() => {
      if (this.#hints === own) this.set({ hint: undefined });
    }, forMs).unref();
  }
}

/** Returns the view after an event from the agent. */
export function applyEventToView(view: ViewState, event: AgentEvent, now: number): ViewState {
  const around = applyAroundTranscript(view, event, now);
  return { ...around, transcript: applyEvent(around.transcript, event, { now }) };
}

/** Applies an event to everything except the conversation. */
function applyAroundTranscript(view: ViewState, event: AgentEvent, now: number): ViewState {
  switch (event.type) {
    case "session":
      return { ...view, workspace: event.workspace, mode: event.mode, host: event.host };
    case "mode":
      return { ...view, mode: event.mode };
    case "doing":
      return { ...view, doing: doingSince(view, event.doing, now) };
    case "entry":
      return applyEntryToView(view, event.entry);
    case "turn-end":
      return { ...view, doing: undefined };
    case "busy":
      return isAgentAtWork(event.busy) ? begun(view, now) : ended(view);
    default:
      return view;
  }
}

/** Checks whether Esc interrupts the work. A journey has its own line on the screen and cannot be interrupted. */
export function isAgentAtWork(busy: Busy): boolean {
  return busy !== "nothing" && busy !== "held";
}

function begun(view: ViewState, now: number): ViewState {
  if (view.phase === "leaving") return view;
  return { ...view, phase: "turn", turnSince: now, scroll: 0, hint: undefined };
}

function ended(view: ViewState): ViewState {
  if (view.phase !== "turn") return { ...view, turnSince: undefined };
  return { ...view, phase: "idle", turnSince: undefined, doing: undefined, hint: undefined };
}

/** Returns the activity and when it began. The start time does not change while the activity stays the same. */
function doingSince(
  { doing: before }: ViewState,
  doing: NonNullable<ViewState["doing"]>["doing"],
  now: number,
): ViewState["doing"] {
  if (doing.what === "nothing") return undefined;
  // A capture runs in parallel with the model and the tools. The status line shows the capture, so the capture does not
  // replace the activity of the model and the tools.
  if (doing.what === "capturing" && isAtWork(before)) return before;
  const isSame = before?.doing.what === doing.what && callOf(before.doing) === callOf(doing);
  return { doing, since: isSame ? before.since : now };
}

function isAtWork(before: ViewState["doing"]): boolean {
  return before !== undefined && !CAPTURES.has(before.doing.what);
}

const CAPTURES: ReadonlySet<string> = new Set(["capturing", "waiting-for-capture"]);

function callOf(doing: NonNullable<ViewState["doing"]>["doing"]): string {
  return "call" in doing ? doing.call : "";
}

function applyEntryToView(view: ViewState, entry: Entry): ViewState {
  return entry.kind === "todos" ? { ...view, todos: entry.items } : view;
}
