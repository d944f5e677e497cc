import type { Farewell, Station } from "../../ports/station/station.ts";
import type { Part } from "../../record/parts.ts";
import { keysHelp } from "../dialogs/panels/keys-help.ts";
import { PromptEditor } from "../editor/prompt-editor.ts";
import type { Space } from "../look/look.ts";
import { Painter } from "../terminal/painter.ts";
import { loadHighlighter } from "../transcript/drawing/highlight.ts";
import type { TerminalParts } from "../tui.ts";
import { drawScreen } from "../view/draw-screen.ts";
import { EMPTY_VIEW } from "../view/view-state.ts";
import { Appearance } from "./appearance.ts";
import { Board } from "./board.ts";
import { ConversationView } from "./conversation-view.ts";
import { Conversing } from "./conversing.ts";
import { drawers } from "./desk/drawers.ts";
import { personAtScreen } from "./desk/person-at-screen.ts";
import { ScreenDesk } from "./desk/screen-desk.ts";
import { showPage } from "./desk/show-page.ts";
import { editorEnds } from "./editor-ends.ts";
import { Following } from "./following.ts";
import { OpenDialogs } from "./open-dialogs.ts";
import { afterOpening, tellRecap } from "./opening/after-opening.ts";
import { sayError } from "./say-error.ts";
import { Screen } from "./screen.ts";

/** How often what moves is drawn anew. */
const TICK_MS = 120;

/** The parts of the screen, put together, from the first frame to the last. */
export class Program {
  readonly #parts: TerminalParts;
  readonly #appearance: Appearance;
  readonly #board: Board;
  readonly #dialogs: OpenDialogs;
  readonly #desk: ScreenDesk;
  readonly #conversing: Conversing;
  readonly #following: Following;
  readonly #conversation: ConversationView;
  readonly #editor: PromptEditor;
  readonly #screen: Screen;
  readonly #painter: Painter;
  readonly #left: Promise<void>;
  #leave: () => void = () => undefined;
  #station: Station | undefined;
  /** While the conversation of another session is read: who wants it read again waits for that. */
  #moving: Promise<void> | undefined;
  #space: Space = { width: 80, rows: 24 };

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    const now = Date.now;
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    const paint = (): void => this.#painter.paint();
    this.#appearance = new Appearance({ ...parts, now });
    this.#board = new Board({ ...EMPTY_VIEW, home: parts.environment["HOME"] ?? "" }, paint);
    this.#dialogs = new OpenDialogs(paint, () => ({ ...this.#space, look: this.#appearance.look }));
    this.#desk = this.#newDesk();
    const shared = { board: this.#board, desk: this.#desk, now };
    this.#conversing = new Conversing(shared);
    const trouble = (error: unknown): void => sayError(this.#desk, error);
    this.#following = new Following({
      board: this.#board,
      now,
      heard: (event) => this.#conversing.hear(event),
      trouble,
    });
    this.#conversation = new ConversationView(this.#board, this.#following);
    this.#editor = new PromptEditor(
      editorEnds({ ...shared, conversing: this.#conversing, seated: () => this.#station, redraw: paint }),
    );
    this.#screen = new Screen({
      ...shared,
      dialogs: this.#dialogs,
      conversing: this.#conversing,
      editor: this.#editor,
      station: () => this.#station,
      paint,
      repaint: () => this.#painter.repaint(),
      page: () => this.#conversation.rows,
    });
    this.#painter = new Painter({
      draw: (space) => this.#draw(space),
      press: (key) => this.#screen.press(key),
      background: (background) => {
        this.#appearance.setBackground(background);
        paint();
      },
    });
  }

  /** From the first frame until the person has left, and all is closed. */
  async run(): Promise<Farewell> {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#painter.start();
    try {
      await this.#painter.painted;
      const station = await this.#open();
      void afterOpening(this.#desk, this.#parts);
      await this.#left;
      return await this.#close(station);
    } finally {
      clearInterval(ticking);
      this.#following.close();
      this.#painter.stop();
    }
  }

  leave(): void {
    this.#leave();
  }

  giveBack(): void {
    this.#painter.terminal.giveBack();
  }

  async #open(): Promise<Station> {
    const { screen } = this.#appearance.strings.terminal;
    this.#board.set({ waiting: { what: screen.opening, since: Date.now() } });
    const station = await this.#parts.open(personAtScreen(this.#dialogs, () => this.#appearance.strings));
    this.#station = station;
    this.#painter.terminal.setMouse(station.settings.mouse);
    this.#appearance.setTheme(station.settings.theme);
    station.on((event) => {
      if (event.type === "warning") {
        const { message, hint } = event.warning;
        this.#desk.say({ tone: "warning", line: message, ...(hint === undefined ? {} : { details: hint }) });
      }
      if (event.type === "model") this.#board.set({ model: event.model });
      if (event.type === "replaced") this.#start(this.#moved(station, event.how));
    });
    await this.#following.follow(station);
    this.#board.set({ phase: "idle", waiting: undefined });
    this.#start(loadHighlighter().then(() => this.#painter.paint()));
    this.#start(station.upkeep.history().then((typed) => this.#editor.setHistory(typed)));
    return station;
  }

  /** The agent works on another session now. */
  async #moved(station: Station, how: "opened" | "begun" | "forked"): Promise<void> {
    this.#moving = this.#following.follow(station);
    try {
      await this.#moving;
    } finally {
      this.#moving = undefined;
    }
    if (how === "opened") await tellRecap(this.#desk);
  }

  async #close(station: Station): Promise<Farewell> {
    this.#dialogs.leaveAll();
    const { screen } = this.#appearance.strings.terminal;
    this.#board.set({ phase: "leaving", waiting: { what: screen.leaving, since: Date.now() } });
    return station.close();
  }

  #newDesk(): ScreenDesk {
    return new ScreenDesk({
      board: this.#board,
      dialogs: this.#dialogs,
      station: () => this.#seated(),
      strings: () => this.#appearance.strings,
      now: Date.now,
      edit: (content) => this.#edit(content),
      show: async (page) => showPage(this.#dialogs, page, { drawers, strings: this.#appearance.strings }),
      turns: () => this.#conversing,
      reload: async () => this.#moving ?? this.#following.reload(),
      aside: async (work) => this.#aside(work),
      setLanguage: async (language) => {
        await this.#seated().upkeep.setLanguage(language);
        await this.#appearance.setLanguage(language);
        this.#painter.paint();
      },
      leave: () => this.#leave(),
    });
  }

  #seated(): Station {
    if (this.#station === undefined) throw new Error("The session is not open yet.");
    return this.#station;
  }

  #edit(content: string | readonly Part[]): void {
    this.#editor.put(content);
    this.#painter.paint();
  }

  async #aside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#painter.stop();
    try {
      return await work();
    } finally {
      this.#painter.start();
      this.#painter.repaint();
    }
  }

  #draw(space: Space): string[] {
    this.#space = space;
    const { look } = this.#appearance;
    const { view } = this.#board;
    const { current } = this.#dialogs;
    this.#editor.focus = current === undefined ? "focused" : "unfocused";
    const { screen } = look.strings.terminal;
    const placeholder = view.model?.state === "none" ? screen.placeholderWithoutModel : screen.placeholder;
    const display = this.#station?.settings.backtrackDisplay ?? "card";
    return drawScreen(
      view,
      {
        conversation: (room) => this.#conversation.draw(room, look, display),
        editor: (room) => this.#editor.draw(room, look, placeholder),
        dialog: current && { extent: current.extent, draw: (room) => current.draw(room, look) },
        keys: (width) => keysHelp(width, look),
      },
      { space, look },
    );
  }

  #tick(): void {
    const { doing, waiting, turnSince } = this.#board.view;
    if (doing !== undefined || waiting !== undefined || turnSince !== undefined) this.#painter.paint();
  }

  #start(work: Promise<unknown>): void {
    work.catch((error: unknown) => sayError(this.#desk, error));
  }
}
