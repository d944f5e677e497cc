import type { App } from "../../app/app-types.ts";
import type { PermissionMode } from "../../ports/person.ts";
import { sayError } from "../commands/say-error.ts";
import type { PromptEditor } from "../editor/prompt-editor.ts";
import { type Intent, LEAVE_MS, type Scroll } from "../keys/intent.ts";
import { rewindFlow } from "../travel/rewind-flow.ts";
import type { Board } from "./board.ts";
import { TO_THE_START } from "./conversation-view.ts";
import type { Conversing } from "./conversing.ts";
import type { ScreenDesk } from "./desk/screen-desk.ts";
import { takeFirstStep } from "./opening/take-first-step.ts";

export interface ActsParts {
  readonly board: Board;
  readonly desk: ScreenDesk;
  readonly conversing: Conversing;
  readonly editor: PromptEditor;
  /** Undefined until it is open. */
  readonly station: () => App | undefined;
  readonly paint: () => void;
  /** For when something else has written over the screen. */
  readonly repaint: () => void;
  /** How many rows of the conversation are seen. */
  readonly page: () => number;
}

/** What is done for each intent. */
export type Acts = { readonly [Do in Intent["do"]]: (intent: Extract<Intent, { do: Do }>) => void };

const WHEEL_LINES = 3;
const LEAST_SHOWN_MS = 800;
/** Auto is entered by its name alone, and left to manual. */
const NEXT_MODE: Readonly<Record<PermissionMode, PermissionMode>> = {
  manual: "accept-edits",
  "accept-edits": "plan",
  plan: "manual",
  auto: "manual",
};

export function actsOf(parts: ActsParts): Omit<Acts, "edit"> {
  const { board, desk, conversing, editor, station, paint, repaint } = parts;
  /** Work that a key begins, and nobody waits for. */
  const start = (work: Promise<void>): void => {
    work.catch((error: unknown) => sayError(desk, error));
  };
  const seated = (work: () => Promise<void>): void => {
    if (station() !== undefined) start(work());
  };
  return {
    interrupt: () => start(conversing.interrupt()),
    "stop-waiting": () => desk.stopWaiting(),
    rewind: () => {
      board.set({ hint: undefined });
      seated(async () => rewindFlow(desk));
    },
    clear: () => clear(parts),
    leave: () => desk.leave(),
    hint: ({ hint }) => showHint(parts, hint),
    "cycle-mode": () => cycleMode(parts),
    unfold: () => desk.toggle("unfold"),
    panel: ({ panel }) => board.set({ panel }),
    "edit-outside": () => seated(async () => editOutside(parts)),
    "paste-image": () => seated(async () => pasteImage(parts)),
    "search-history": () => {
      editor.searchHistory();
      paint();
    },
    scroll: ({ by }) => scroll(parts, by),
    redraw: () => repaint(),
    "go-on-without-capture": () => station()?.agent.goOn(),
    "first-step": ({ step }) => start(takeFirstStep(desk, step)),
    nothing: () => undefined,
  };
}

/** It goes when it stops being true; but it must be there long enough to be read. */
function showHint(
  { board, desk, station }: ActsParts,
  hint: "leave" | "leaveByD" | "clear" | "rewind",
): void {
  const text = desk.strings.terminal.screen.hints[hint];
  const escapeMs = station()?.settings.doubleEscapeMs ?? 0;
  const shownMs = hint === "leave" || hint === "leaveByD" ? LEAVE_MS : Math.max(escapeMs, LEAST_SHOWN_MS);
  board.set({ hint: text });
  setTimeout(() => {
    if (board.view.hint === text) board.set({ hint: undefined });
  }, shownMs).unref();
}

/** What is cleared can be found in the history, in later sessions too. */
function clear({ board, desk, editor, station, paint }: ActsParts): void {
  const typed = editor.clear();
  board.set({ hint: undefined });
  paint();
  if (typed !== "")
    station()
      ?.upkeep.remember(typed)
      .catch((error: unknown) => sayError(desk, error));
}

function cycleMode({ board, station }: ActsParts): void {
  const agent = station()?.agent;
  if (agent === undefined) return;
  const next = NEXT_MODE[agent.mode];
  agent.setMode(next);
  board.set({ mode: next });
}

async function editOutside({ desk, editor }: ActsParts): Promise<void> {
  const text = await desk.aside(async () => desk.station.upkeep.editExternally(editor.takeOut()));
  editor.putBack(text);
}

async function pasteImage({ desk, editor }: ActsParts): Promise<void> {
  const pasted = await editor.pasteImage();
  if (pasted === "none") desk.say({ tone: "quiet", line: desk.strings.terminal.screen.noImage });
}

function scroll({ board, page }: ActsParts, by: Scroll): void {
  const rows = Math.max(1, page() - 2);
  const moves: Readonly<Record<Scroll, number>> = {
    "line-up": 1,
    "line-down": -1,
    "page-up": rows,
    "page-down": -rows,
    "wheel-up": WHEEL_LINES,
    "wheel-down": -WHEEL_LINES,
    start: TO_THE_START,
    end: Number.MIN_SAFE_INTEGER,
  };
  board.change((view) => ({ ...view, scroll: Math.min(TO_THE_START, Math.max(0, view.scroll + moves[by])) }));
}
