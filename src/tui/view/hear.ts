import type { AgentEvent, Busy } from "../../ports/agent-events.ts";
import type { Entry } from "../../record/entry.ts";
import { hearEvent } from "../transcript/hear-event.ts";
import type { ViewState } from "./view-state.ts";

/** The next view, after what the agent told. */
export function hear(view: ViewState, event: AgentEvent, now: number): ViewState {
  const heard = around(view, event, now);
  return { ...heard, transcript: hearEvent(heard.transcript, event, { now }) };
}

/** What changes around the conversation. */
function around(view: ViewState, event: AgentEvent, now: number): ViewState {
  switch (event.type) {
    case "session":
      return { ...view, workspace: event.workspace, mode: event.mode, host: event.host };
    case "mode":
      return { ...view, mode: event.mode };
    case "doing":
      return { ...view, doing: doingSince(view, event.doing, now) };
    case "entry":
      return hearEntry(view, event.entry);
    case "turn-end":
      return { ...view, doing: undefined };
    case "busy":
      return isAgentAtWork(event.busy) ? begun(view, now) : ended(view);
    default:
      return view;
  }
}

/** Whether Esc interrupts it. A journey has its own line on the screen, and is not interrupted. */
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

/** The clock runs on while the same thing is done. */
function doingSince(
  { doing: before }: ViewState,
  doing: NonNullable<ViewState["doing"]>["doing"],
  now: number,
): ViewState["doing"] {
  if (doing.what === "nothing") return undefined;
  // A capture runs beside the model and the tools; the status line tells of it.
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

function hearEntry(view: ViewState, entry: Entry): ViewState {
  return entry.kind === "todos" ? { ...view, todos: entry.items } : view;
}
