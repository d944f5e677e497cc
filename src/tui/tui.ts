import type { App, AppEvent, Farewell } from "../app/app.ts";
import type { Demonstrations } from "../app/find.ts";
import type { ResumedRecap } from "../app/queries/query-types.ts";
import type { Person } from "../ports/person.ts";
import type { Part } from "../record/parts.ts";
import type { CommandText } from "../strings/commands.ts";
import type { Strings } from "../strings/strings.ts";
import { PromptEditor } from "./editor/prompt-editor.ts";
import { showError, showNotice } from "./flows/command-context.ts";
import { afterOpening, autoFlow, showRecap, showWarnings, takeFirstStep } from "./flows/opening.ts";
import type { Space } from "./look/look.ts";
import { Appearance } from "./look/theme.ts";
import { editorDeps, Screen } from "./screen/screen.ts";
import { drawers, OpenDialogs, personAtScreen, ScreenCommands, showPage } from "./screen/screen-commands.ts";
import { TranscriptSync } from "./screen/transcript-sync.ts";
import { TurnController } from "./screen/turn-controller.ts";
import type { ProcessAccess } from "./terminal/prompt-input.ts";
import { Painter } from "./terminal/terminal.ts";
import { loadHighlighter } from "./transcript/drawing/text.ts";
import { ConversationView, placeholderIn } from "./view/conversation.ts";
import { drawScreen, keysHelp } from "./view/draw-screen.ts";
import { EMPTY_VIEW, ViewStore, withoutBacktracks } from "./view/view-state.ts";

export interface TerminalOptions extends ProcessAccess {
  readonly strings: Strings;
  /** The prompt from the command line. It is sent as the first input. */
  readonly firstPrompt?: string;
  /** Present if the user wants to choose the session first. */
  readonly pick?: "session";
  /** Returns a shell command that finds the same sessions. */
  readonly shellCommand: CommandText;
  /** Aborted when another program asks this one to end. */
  readonly told: AbortSignal;
  readonly demonstrations: Demonstrations;
  /**
   * Opens the session. Called after the first frame has been drawn, so that loading large modules does not delay the
   * frame.
   */
  readonly open: (person: Person) => Promise<App>;
}

/**
 * Runs the screen until the user exits. The terminal is always restored. If the session could not be opened, throws the
 * error.
 */
export async function runTerminal(parts: TerminalOptions): Promise<TerminalResult> {
  const program = new Program(parts);
  const giveBack = (): void => program.giveBack();
  // An uncaught error must be readable on the user's normal screen, so the terminal is restored before Node prints the
  // error.
  process.on("uncaughtExceptionMonitor", giveBack);
  parts.told.addEventListener("abort", () => program.leave(), { once: true });
  try {
    return await program.run();
  } finally {
    process.off("uncaughtExceptionMonitor", giveBack);
  }
}

interface Opened {
  readonly app: App;
  readonly recap: ResumedRecap | undefined;
}

export interface TerminalResult extends Farewell {
  /** "hurried" means that the program did not wait until everything was closed. */
  readonly how: "closed" | "hurried";
  /** Inputs that were still queued or being typed, and were never sent to the agent. */
  readonly unsent: readonly string[];
}

/** Interval at which moving parts, such as the spinner, are redrawn. */
const TICK_MS = 120;

/** Assembles the parts of the screen, and runs it from the first frame to the last. */
class Program {
  readonly #parts: TerminalOptions;
  readonly #appearance: Appearance;
  readonly #store: ViewStore;
  readonly #dialogs: OpenDialogs;
  readonly #context: ScreenCommands;
  /**
   * The context for dialogs that open without a key press. A letter that the user is typing must not answer such a
   * dialog.
   */
  readonly #ownContext: ScreenCommands;
  readonly #turns: TurnController;
  readonly #sync: TranscriptSync;
  readonly #conversation: ConversationView;
  readonly #editor: PromptEditor;
  readonly #screen: Screen;
  readonly #painter: Painter;
  readonly #left: Promise<void>;
  #leave: () => void = () => undefined;
  readonly #hurried: Promise<void>;
  #hurry: () => void = () => undefined;
  #app: App | undefined;
  /** Resolves when the conversation of another session has been read. Reloads wait for this. */
  #moving: Promise<void> | undefined;
  #space: Space = { width: 80, rows: 24 };

  constructor(parts: TerminalOptions) {
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
    this.#store = new ViewStore({ ...EMPTY_VIEW, home: parts.environment["HOME"] ?? "" }, paint);
    this.#dialogs = new OpenDialogs({
      drawn: paint,
      room: () => ({ ...this.#space, look: this.#appearance.look }),
      now,
    });
    this.#context = this.#newContext(this.#dialogs);
    const never = new AbortController().signal;
    this.#ownContext = this.#newContext({ ask: async (dialog) => this.#dialogs.ask(dialog, never) });
    const shared = { store: this.#store, context: this.#context, now };
    this.#turns = new TurnController({
      ...shared,
      takeStep: async (step) => takeFirstStep(this.#context, step),
    });
    const trouble = (error: unknown): void => showError(this.#context, error);
    this.#sync = new TranscriptSync({
      store: this.#store,
      now,
      onEvent: (event) => this.#turns.apply(event),
      onError: trouble,
    });
    this.#conversation = new ConversationView(this.#store, this.#sync);
    this.#editor = new PromptEditor(
      editorDeps({
        ...shared,
        turns: this.#turns,
        openApp: () => this.#app,
        redraw: paint,
        // The module is loaded when it is used, because the first frame does not need it.
        clipboardImage: async () => {
          const { clipboardImage } = await import("./terminal/prompt-input.ts");
          return clipboardImage(parts.environment);
        },
      }),
    );
    this.#screen = new Screen({
      ...shared,
      dialogs: this.#dialogs,
      turns: this.#turns,
      editor: this.#editor,
      editExternally: async (text) => {
        const { editExternally } = await import("./terminal/prompt-input.ts");
        return editExternally(parts, text);
      },
      app: () => this.#app,
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

  /** Runs from the first frame until the user has exited and everything is closed. */
  async run(): Promise<TerminalResult> {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#painter.start();
    try {
      await this.#painter.painted;
      const opening = this.#open();
      const opened = await Promise.race([opening, this.#left.then(() => undefined)]);
      if (opened !== undefined) void afterOpening(this.#ownContext, { ...this.#parts, recap: opened.recap });
      await this.#left;
      const unsent = await this.#takeUnsent();
      this.#sayLeaving();
      const closed = opening.then(
        async ({ app }): Promise<TerminalResult> => ({
          ...(await app.close()),
          how: "closed",
          unsent,
        }),
      );
      // A hurried exit leaves the same state as a crash: everything durable is kept, and the next start repairs the
      // rest.
      return await Promise.race([
        closed,
        this.#hurried.then((): TerminalResult => ({ how: "hurried", unsent })),
      ]);
    } finally {
      clearInterval(ticking);
      this.#sync.close();
      this.#painter.stop();
    }
  }

  /** Leaves the screen. The second call no longer waits until everything is closed. */
  leave(): void {
    if (this.#store.view.phase === "leaving") this.#hurry();
    this.#leave();
  }

  giveBack(): void {
    this.#painter.terminal.giveBack();
  }

  async #open(): Promise<Opened> {
    const { screen } = this.#appearance.strings.terminal;
    this.#store.set({ waiting: { what: screen.opening, since: Date.now(), how: "uncancellable" } });
    const app = await this.#parts.open(this.#person());
    this.#app = app;
    app.on((event) => {
      if (event.type === "notice") showNotice(this.#context, event.notice);
      if (event.type === "model") this.#store.set({ model: event.model });
      if (event.type === "replaced") this.#start(this.#moved(app, event.how));
    });
    await this.#sync.follow(app);
    // The recap is read before anything can be sent, because a turn that has just begun would look like one that was
    // cut off.
    const recap = await app.queries.recap();
    this.#store.update((view) =>
      view.phase === "opening" ? { ...view, phase: "idle", waiting: undefined } : view,
    );
    this.#start(loadHighlighter().then(() => this.#painter.paint()));
    this.#start(this.#readHistory(app));
    return { app, recap };
  }

  #person(): Person {
    return personAtScreen({
      dialogs: this.#dialogs,
      strings: () => this.#appearance.strings,
      app: () => this.#openApp(),
    });
  }

  /** Follows the agent to another session. */
  async #moved(app: App, how: Extract<AppEvent, { type: "replaced" }>["how"]): Promise<void> {
    // "reopened" means that the same session was opened again, for example because another session could not be opened.
    // The reason is already in the conversation, so the notices are kept.
    const moving = this.#sync.follow(app, how === "reopened" ? "said" : "nothing");
    this.#moving = moving;
    const recapped = how === "opened" ? app.queries.recap() : undefined;
    // An error from the recap is handled below. If following the app also fails, that error takes precedence.
    recapped?.catch(() => undefined);
    try {
      await moving;
    } finally {
      if (this.#moving === moving) this.#moving = undefined;
    }
    this.#start(this.#readHistory(app));
    showWarnings(this.#context);
    if (how !== "reopened") await autoFlow(this.#ownContext);
    await showRecap(this.#ownContext, await recapped);
  }

  /** Reads the workspace's history of typed inputs. */
  async #readHistory(app: App): Promise<void> {
    this.#editor.setHistory(await app.upkeep.history());
  }

  /**
   * Returns the inputs that were not sent. Queued inputs are already in the history. The text in the editor is not in
   * the history yet, so it is added.
   */
  async #takeUnsent(): Promise<readonly string[]> {
    const queued = this.#turns.unsent;
    const draft = this.#editor.clear();
    if (draft === "") return queued;
    await this.#app?.upkeep.remember(draft).catch(() => undefined);
    return [...queued, draft];
  }

  #sayLeaving(): void {
    this.#dialogs.leaveAll();
    const { screen } = this.#appearance.strings.terminal;
    this.#store.set({
      phase: "leaving",
      waiting: { what: screen.leaving, since: Date.now(), how: "uncancellable" },
      hint: screen.hints.hurry,
    });
  }

  #newContext(dialogs: Pick<OpenDialogs, "ask">): ScreenCommands {
    return new ScreenCommands({
      store: this.#store,
      dialogs,
      app: () => this.#openApp(),
      strings: () => this.#appearance.strings,
      now: Date.now,
      edit: (content) => this.#edit(content),
      giveBack: (inputs) => {
        this.#editor.putInFront(inputs);
        this.#painter.paint();
      },
      show: async (page) => showPage(this.#dialogs, page, { drawers, strings: this.#appearance.strings }),
      turns: () => this.#turns,
      reload: async () => this.#moving ?? this.#sync.reload(),
      aside: async (work) => this.#aside(work),
      setLanguage: async (language) => {
        await this.#openApp().upkeep.setLanguage(language);
        await this.#appearance.setLanguage(language);
        this.#painter.paint();
      },
      leave: () => this.#leave(),
      shellCommand: this.#parts.shellCommand,
      demonstrations: this.#parts.demonstrations,
    });
  }

  #openApp(): App {
    if (this.#app === undefined) throw new Error("The session is not open yet.");
    return this.#app;
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

  /** Applies the settings again, because the user may have changed them on this screen. */
  #applySettings(): void {
    if (this.#app === undefined) return;
    const { settings } = this.#app;
    this.#painter.terminal.setMouse(settings["ui.mouse"] ? "on" : "off");
    this.#appearance.setTheme(settings["ui.theme"]);
  }

  #draw(space: Space): string[] {
    this.#space = space;
    this.#applySettings();
    const { look } = this.#appearance;
    const { view } = this.#store;
    const { current } = this.#dialogs;
    this.#editor.focus = current === undefined ? "focused" : "unfocused";
    const { screen } = look.strings.terminal;
    const placeholder = screen[placeholderIn(view)];
    const display = this.#app?.settings["backtrack.display"] ?? "card";
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
    const { doing, waiting, turnSince } = this.#store.view;
    if (doing !== undefined || waiting !== undefined || turnSince !== undefined) this.#painter.paint();
  }

  #start(work: Promise<unknown>): void {
    work.catch((error: unknown) => showError(this.#context, error));
  }
}
