import type { App, AppEvent, Farewell } from "../app/app.ts";
import type { ResumedRecap } from "../app/queries/query-types.ts";
import type { Person } from "../ports/person.ts";
import type { Part } from "../record/parts.ts";
import type { Strings } from "../strings/strings.ts";
import { PromptEditor } from "./editor/prompt-editor.ts";
import { sayError, sayNotice } from "./flows/command-context.ts";
import { afterOpening, autoFlow, takeFirstStep, tellRecap, tellWarnings } from "./flows/opening.ts";
import type { Space } from "./look/look.ts";
import { Appearance } from "./look/theme.ts";
import { editorEnds, Screen } from "./screen/screen.ts";
import { drawers, OpenDialogs, personAtScreen, ScreenDesk, showPage } from "./screen/screen-commands.ts";
import { Following } from "./screen/transcript-sync.ts";
import { Conversing } from "./screen/turn-controller.ts";
import { Painter } from "./terminal/terminal.ts";
import { loadHighlighter } from "./transcript/drawing/text.ts";
import { ConversationView, placeholderIn } from "./view/conversation.ts";
import { drawScreen, keysHelp } from "./view/draw-screen.ts";
import { Board, EMPTY_VIEW, withoutBacktracks } from "./view/view-state.ts";

export interface TerminalParts {
  readonly strings: Strings;
  readonly environment: NodeJS.ProcessEnv;
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** A command for a shell that finds the same sessions. */
  readonly shellCommand: (words: string) => string;
  /** Aborted when the program is told from outside to end. */
  readonly told: AbortSignal;
  /** Called when the first screen stands, so that what is heavy is loaded behind it. */
  readonly open: (person: Person) => Promise<App>;
}

/**
 * Has the person work at the screen until they leave. The terminal is theirs again when this ends, however it ends; what
 * kept the session from opening is thrown.
 */
export async function runTerminal(parts: TerminalParts): Promise<Left> {
  const program = new Program(parts);
  const giveBack = (): void => program.giveBack();
  // An error that nobody caught is to be read on the person's own screen.
  process.on("uncaughtExceptionMonitor", giveBack);
  parts.told.addEventListener("abort", () => program.leave(), { once: true });
  try {
    return await program.run();
  } finally {
    process.off("uncaughtExceptionMonitor", giveBack);
  }
}

interface Opened {
  readonly station: App;
  readonly recap: ResumedRecap | undefined;
}

export interface Left extends Farewell {
  /** "hurried": not everything was closed. */
  readonly how: "closed" | "hurried";
  /** What was queued or being typed, and never reached the agent. */
  readonly unsent: readonly string[];
}

/** How often what moves is drawn anew. */
const TICK_MS = 120;

/** The parts of the screen, put together, from the first frame to the last. */
export class Program {
  readonly #parts: TerminalParts;
  readonly #appearance: Appearance;
  readonly #board: Board;
  readonly #dialogs: OpenDialogs;
  readonly #desk: ScreenDesk;
  /** For what comes up by itself: a word that is being typed must not answer it. */
  readonly #ownDesk: ScreenDesk;
  readonly #conversing: Conversing;
  readonly #following: Following;
  readonly #conversation: ConversationView;
  readonly #editor: PromptEditor;
  readonly #screen: Screen;
  readonly #painter: Painter;
  readonly #left: Promise<void>;
  #leave: () => void = () => undefined;
  readonly #hurried: Promise<void>;
  #hurry: () => void = () => undefined;
  #station: App | undefined;
  /** While the conversation of another session is read: who wants it read again waits for that. */
  #moving: Promise<void> | undefined;
  #space: Space = { width: 80, rows: 24 };

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    const now = Date.now;
    this.#left = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.#hurried = new Promise((resolve) => {
      this.#hurry = resolve;
    });
    const paint = (): void => this.#painter.paint();
    this.#appearance = new Appearance({ ...parts, now });
    this.#board = new Board({ ...EMPTY_VIEW, home: parts.environment["HOME"] ?? "" }, paint);
    this.#dialogs = new OpenDialogs({
      drawn: paint,
      room: () => ({ ...this.#space, look: this.#appearance.look }),
      now,
    });
    this.#desk = this.#newDesk(this.#dialogs);
    const never = new AbortController().signal;
    this.#ownDesk = this.#newDesk({ ask: async (dialog) => this.#dialogs.ask(dialog, never) });
    const shared = { board: this.#board, desk: this.#desk, now };
    this.#conversing = new Conversing({
      ...shared,
      takeStep: async (step) => takeFirstStep(this.#desk, step),
    });
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
      hurry: () => this.#hurry(),
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
  async run(): Promise<Left> {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#painter.start();
    try {
      await this.#painter.painted;
      const opening = this.#open();
      const opened = await Promise.race([opening, this.#left.then(() => undefined)]);
      if (opened !== undefined) void afterOpening(this.#ownDesk, { ...this.#parts, recap: opened.recap });
      await this.#left;
      const unsent = await this.#takeUnsent();
      this.#sayLeaving();
      const closed = opening.then(
        async ({ station }): Promise<Left> => ({ ...(await station.close()), how: "closed", unsent }),
      );
      // Who cannot wait leaves what a crash would leave: it is durable, and the next start puts it in order.
      return await Promise.race([closed, this.#hurried.then((): Left => ({ how: "hurried", unsent }))]);
    } finally {
      clearInterval(ticking);
      this.#following.close();
      this.#painter.stop();
    }
  }

  /** Told a second time, it does not wait for what is being closed. */
  leave(): void {
    if (this.#board.view.phase === "leaving") this.#hurry();
    this.#leave();
  }

  giveBack(): void {
    this.#painter.terminal.giveBack();
  }

  async #open(): Promise<Opened> {
    const { screen } = this.#appearance.strings.terminal;
    this.#board.set({ waiting: { what: screen.opening, since: Date.now(), how: "to its end" } });
    const station = await this.#parts.open(this.#person());
    this.#station = station;
    station.on((event) => {
      if (event.type === "notice") sayNotice(this.#desk, event.notice);
      if (event.type === "model") this.#board.set({ model: event.model });
      if (event.type === "replaced") this.#start(this.#moved(station, event.how));
    });
    await this.#following.follow(station);
    // Read before anything can be sent: a turn that has only just begun would pass for one that was cut.
    const recap = await station.queries.recap();
    this.#board.change((view) =>
      view.phase === "opening" ? { ...view, phase: "idle", waiting: undefined } : view,
    );
    this.#start(loadHighlighter().then(() => this.#painter.paint()));
    this.#start(this.#readHistory(station));
    return { station, recap };
  }

  #person(): Person {
    return personAtScreen({
      dialogs: this.#dialogs,
      strings: () => this.#appearance.strings,
      station: () => this.#seated(),
    });
  }

  /** The agent works on another session now. */
  async #moved(station: App, how: Extract<AppEvent, { type: "replaced" }>["how"]): Promise<void> {
    // The same session again, such as after another could not be opened: why not is on the screen, or is just being said.
    const moving = this.#following.follow(station, how === "reopened" ? "said" : "nothing");
    this.#moving = moving;
    const recapped = how === "opened" ? station.queries.recap() : undefined;
    // What goes wrong with it is heard below; should the move itself fail, that is what counts.
    recapped?.catch(() => undefined);
    try {
      await moving;
    } finally {
      if (this.#moving === moving) this.#moving = undefined;
    }
    this.#start(this.#readHistory(station));
    tellWarnings(this.#desk);
    if (how !== "reopened") await autoFlow(this.#ownDesk);
    await tellRecap(this.#ownDesk, await recapped);
  }

  /** What was typed belongs to the workspace. */
  async #readHistory(station: App): Promise<void> {
    this.#editor.setHistory(await station.upkeep.history());
  }

  /** What was queued is in the history since it was sent; what is being typed is not yet. */
  async #takeUnsent(): Promise<readonly string[]> {
    const queued = this.#conversing.unsent;
    const draft = this.#editor.clear();
    if (draft === "") return queued;
    await this.#station?.upkeep.remember(draft).catch(() => undefined);
    return [...queued, draft];
  }

  #sayLeaving(): void {
    this.#dialogs.leaveAll();
    const { screen } = this.#appearance.strings.terminal;
    this.#board.set({
      phase: "leaving",
      waiting: { what: screen.leaving, since: Date.now(), how: "to its end" },
      hint: screen.hints.hurry,
    });
  }

  #newDesk(dialogs: Pick<OpenDialogs, "ask">): ScreenDesk {
    return new ScreenDesk({
      board: this.#board,
      dialogs,
      station: () => this.#seated(),
      strings: () => this.#appearance.strings,
      now: Date.now,
      edit: (content) => this.#edit(content),
      giveBack: (inputs) => {
        this.#editor.giveBack(inputs);
        this.#painter.paint();
      },
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
      shellCommand: this.#parts.shellCommand,
    });
  }

  #seated(): App {
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

  /** They may have been changed on this very screen. */
  #applySettings(): void {
    if (this.#station === undefined) return;
    const { mouse, theme } = this.#station.settings;
    this.#painter.terminal.setMouse(mouse);
    this.#appearance.setTheme(theme);
  }

  #draw(space: Space): string[] {
    this.#space = space;
    this.#applySettings();
    const { look } = this.#appearance;
    const { view } = this.#board;
    const { current } = this.#dialogs;
    this.#editor.focus = current === undefined ? "focused" : "unfocused";
    const { screen } = look.strings.terminal;
    const placeholder = screen[placeholderIn(view)];
    const display = this.#station?.settings.backtrackDisplay ?? "card";
    return drawScreen(
      display === "off" ? withoutBacktracks(view) : view,
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
