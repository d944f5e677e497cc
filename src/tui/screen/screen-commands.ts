import type { App } from "../../app/app.ts";
import type { Demonstrations } from "../../app/find.ts";
import type { JourneyProgress } from "../../app/journeys/journey-types.ts";
import type { Person, PlanAnswer } from "../../ports/person.ts";
import type { Part } from "../../record/parts.ts";
import type { Command } from "../../strings/commands.ts";
import type { Strings } from "../../strings/strings.ts";
import { askPlan, askQuestions } from "../dialogs/agent-questions.ts";
import type { Dialog, Room } from "../dialogs/dialog.ts";
import { type Drawers, type DrawText, drawDiff as drawPatch, drawPlain, pager } from "../dialogs/pager.ts";
import { askPermission } from "../dialogs/permission.ts";
import type { CommandContext, WorkContext } from "../flows/command-context.ts";
import { confirmAuto } from "../flows/opening.ts";
import type { Look, Space } from "../look/look.ts";
import type { KeyPress } from "../terminal/keys.ts";
import { addBlock, replaceBlock } from "../transcript/apply-entry.ts";
import type { Block } from "../transcript/block.ts";
import { drawDiff, hunksOf } from "../transcript/drawing/diff.ts";
import type { Detail } from "../transcript/drawing/draw-block.ts";
import { drawMarkdown } from "../transcript/drawing/text.ts";
import type { ViewStore } from "../view/view-state.ts";

/** Everything that the commands need from the screen. */
interface ScreenCommandsDeps {
  readonly store: ViewStore;
  readonly dialogs: Pick<OpenDialogs, "ask">;
  readonly app: () => App;
  readonly strings: () => Strings;
  readonly now: () => number;
  readonly edit: (content: string | readonly Part[]) => void;
  readonly giveBack: CommandContext["returnToEditor"];
  readonly show: CommandContext["show"];
  readonly turns: () => Pick<CommandContext, "send" | "resumeTurn" | "compact">;
  readonly reload: () => Promise<void>;
  readonly aside: CommandContext["withTerminalReleased"];
  readonly setLanguage: CommandContext["setLanguage"];
  readonly leave: () => void;
  readonly shellCommand: CommandContext["shellCommand"];
  readonly demonstrations: Demonstrations;
}

const BRIEFLY_MS = 5_000;

/** Implements the functions for commands and flows on the screen. */
export class ScreenCommands implements CommandContext {
  readonly #parts: ScreenCommandsDeps;
  #stopWaiting: AbortController | undefined;

  constructor(parts: ScreenCommandsDeps) {
    this.#parts = parts;
  }

  get app(): App {
    return this.#parts.app();
  }

  get strings(): Strings {
    return this.#parts.strings();
  }

  get demonstrations(): Demonstrations {
    return this.#parts.demonstrations;
  }

  shellCommand(command: Command): string {
    return this.#parts.shellCommand(command);
  }

  async ask<State, Answer>(dialog: Dialog<State, Answer>): Promise<Answer | undefined> {
    return this.#parts.dialogs.ask(dialog);
  }

  say({ tone, line, details = "" }: Parameters<CommandContext["say"]>[0]): void {
    this.#put((key) => ({ kind: "notice", key, tone, line, details }));
    // During a turn, the line is also shown as a hint, because a reply that is being streamed would immediately scroll
    // the line out of sight.
    if (this.#parts.store.view.phase === "turn") this.#parts.store.showHint(line, BRIEFLY_MS);
  }

  answer({ asked, text, form }: Parameters<CommandContext["answer"]>[0]): void {
    this.#put((key) => ({ kind: "answer", key, asked, text, form }));
  }

  /** Starts an answer. Each call to the returned function adds a line to the answer. */
  growingAnswer(asked: string): (line: string) => void {
    let block: Block | undefined;
    let text = "";
    return (line) => {
      text += text === "" ? line : `\n${line}`;
      if (block === undefined) {
        block = this.#put((key) => ({ kind: "answer", key, asked, text, form: "plain" }));
        return;
      }
      const grown: Block = { kind: "answer", key: block.key, asked, text, form: "plain" };
      this.#parts.store.update((view) => ({ ...view, transcript: replaceBlock(view.transcript, grown) }));
    };
  }

  async show(page: Parameters<CommandContext["show"]>[0]): Promise<void> {
    await this.#parts.show(page);
  }

  async wait<Result>(
    what: string,
    work: (waiting: WorkContext) => Promise<Result>,
    how: "cancellable" | "uncancellable" = "uncancellable",
  ): Promise<Result> {
    const { store, now } = this.#parts;
    const stop = new AbortController();
    const outer = this.#stopWaiting;
    const { waiting: before } = store.view;
    this.#stopWaiting = stop;
    store.set({ waiting: { what, since: now(), how }, hint: undefined });
    try {
      return await work({ signal: stop.signal, onProgress: (progress) => this.#note(what, progress) });
    } finally {
      this.#stopWaiting = outer;
      store.set({ waiting: before });
    }
  }

  /** Aborts the work that the user is waiting for. */
  stopWaiting(): void {
    this.#stopWaiting?.abort();
  }

  edit(content: string | readonly Part[]): void {
    this.#parts.edit(content);
  }

  returnToEditor(inputs: readonly (readonly Part[])[]): void {
    this.#parts.giveBack(inputs);
  }

  async send(content: string | readonly Part[]): Promise<void> {
    await this.#parts.turns().send(content);
  }

  async compact(focus: string | undefined): Promise<void> {
    await this.#parts.turns().compact(focus);
  }

  async resumeTurn(how: "continue" | "retry"): Promise<void> {
    await this.#parts.turns().resumeTurn(how);
  }

  async reload(): Promise<void> {
    await this.#parts.reload();
  }

  async withTerminalReleased<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#parts.aside(work);
  }

  async setLanguage(language: "en" | "zh-CN"): Promise<void> {
    await this.#parts.setLanguage(language);
  }

  toggle(panel: "todos" | "unfold"): void {
    this.#parts.store.update((view) =>
      panel === "todos"
        ? { ...view, panel: view.panel === "todos" ? "none" : "todos" }
        : { ...view, folds: view.folds === "folded" ? "unfolded" : "folded" },
    );
  }

  get detail(): Detail {
    return this.#parts.store.view.detail;
  }

  setDetail(detail: Detail): void {
    this.#parts.store.set({ detail, folds: detail === "verbose" ? "unfolded" : "folded" });
  }

  leave(): void {
    this.#parts.leave();
  }

  #note(what: string, { done, of }: JourneyProgress): void {
    const progress = of > 0 ? `${done}/${of}` : String(done);
    this.#parts.store.update((view) =>
      view.waiting === undefined ? view : { ...view, waiting: { ...view.waiting, what, progress } },
    );
  }

  #put(make: (key: string) => Block): Block {
    let made: Block | undefined;
    const noting = (key: string): Block => {
      made = make(key);
      return made;
    };
    this.#parts.store.update((view) => ({ ...view, transcript: addBlock(view.transcript, noting) }));
    return made ?? make("said");
  }
}

/** Shows long text on the whole screen until the user closes it. */
export async function showPage(
  dialogs: OpenDialogs,
  { title, text, form }: Parameters<CommandContext["show"]>[0],
  { drawers, strings }: { readonly drawers: Drawers; readonly strings: Strings },
): Promise<void> {
  const draw = form === "plain" ? drawPlain : drawers[form];
  await dialogs.ask(
    pager({
      title,
      draw: (width, look) => draw(text, width, look),
      keys: strings.terminal.dialogs.keys.pager,
    }),
  );
}

/**
 * Creates a `Person` that asks the user with dialogs. A dialog closes automatically if its question no longer needs an
 * answer.
 */
export function personAtScreen({
  dialogs,
  strings,
  app,
}: {
  readonly dialogs: Pick<OpenDialogs, "ask">;
  readonly strings: () => Strings;
  readonly app: () => App;
}): Person {
  const asking = (signal: AbortSignal): Pick<CommandContext, "ask" | "strings"> => ({
    ask: async (dialog) => dialogs.ask(dialog, signal),
    strings: strings(),
  });
  /** Asks about a plan. If the user approves the plan in auto mode but does not confirm auto mode, asks again. */
  const approve = async (plan: string, signal: AbortSignal): Promise<PlanAnswer> => {
    for (;;) {
      const context = asking(signal);
      const answer = await askPlan(context, plan, drawers.markdown);
      if (answer.answer !== "approved" || answer.mode !== "auto") return answer;
      if (await confirmAuto({ ...context, app: app() })) return answer;
    }
  };
  return {
    allow: async (request, signal) => askPermission(asking(signal), request, drawChange),
    answer: async (questions, signal) => askQuestions(asking(signal), questions),
    approve,
  };
}

/** Maximum number of lines in a diff. This is enough for any review. The last line says how many lines are omitted. */
const MAX_LINES = 20_000;

/** Functions that draw Markdown as in the conversation, and patches line by line with their file names. */
export const drawers: Drawers = {
  markdown: (text, width, look) => drawMarkdown({ text }, width, look),
  diff: drawPatch,
};

/** Draws the change to one file with line numbers, in the same way as below a call. */
export const drawChange: DrawText = (text, width, look) =>
  drawDiff(hunksOf(text), { width, most: MAX_LINES, long: "wrap" }, look);

/** Who opened a dialog. A dialog from the "agent" opens without a key press, perhaps while the user is typing. */
type Asker = "person" | "agent";

/** An open dialog, with its type parameters hidden. */
interface OpenDialog {
  readonly by: Asker;
  readonly extent: "full" | "part";
  readonly draw: (space: Space, look: Look) => readonly string[];
  readonly press: (key: KeyPress) => void;
  readonly leave: () => void;
  /** When the dialog first became visible, with no other dialog in front of it. Infinite before that. */
  since: number;
}

interface OpenDialogsDeps {
  readonly drawn: () => void;
  readonly room: () => Room;
  readonly now: () => number;
}

/** The dialogs that are waiting for the user, who answers them one after another. */
export class OpenDialogs {
  readonly #waiting: OpenDialog[] = [];
  readonly #parts: OpenDialogsDeps;

  constructor(parts: OpenDialogsDeps) {
    this.#parts = parts;
  }

  get current(): OpenDialog | undefined {
    return this.#waiting[0];
  }

  /**
   * Shows a dialog. Resolves with the answer, or with undefined if the user leaves the dialog. `signal` is present if
   * the agent asks. When it aborts, the dialog closes.
   */
  async ask<State, Answer>(dialog: Dialog<State, Answer>, signal?: AbortSignal): Promise<Answer | undefined> {
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const by = signal === undefined ? "person" : "agent";
      const standing = this.#stand(dialog, by, (answer) => {
        signal?.removeEventListener("abort", standing.leave);
        this.#remove(standing);
        resolve(answer);
      });
      signal?.addEventListener("abort", standing.leave, { once: true });
      this.#waiting.push(standing);
      this.#parts.drawn();
    });
  }

  #remove(standing: OpenDialog): void {
    this.#waiting.splice(this.#waiting.indexOf(standing), 1);
    this.#parts.drawn();
  }

  /** Closes all dialogs as if the user had left them. */
  leaveAll(): void {
    for (const { leave } of [...this.#waiting]) leave();
  }

  #stand<State, Answer>(
    dialog: Dialog<State, Answer>,
    by: Asker,
    answered: (answer: Answer | undefined) => void,
  ): OpenDialog {
    let { start: state } = dialog;
    let isOpen = true;
    let drawn: Space | undefined;
    const beside = dialog.background?.((change) => {
      if (!isOpen) return;
      state = change(state);
      this.#parts.drawn();
    });
    const close = (answer: Answer | undefined): void => {
      if (!isOpen) return;
      isOpen = false;
      beside?.end();
      answered(answer);
    };
    beside?.onState(state);
    const standing: OpenDialog = {
      by,
      since: Number.POSITIVE_INFINITY,
      extent: dialog.extent,
      draw: (space, look) => {
        const lines = dialog.draw(state, space, look);
        // Drawing long text takes time, and the user may have typed in the meantime. Therefore, the time is recorded
        // after drawing.
        if (drawn === undefined) standing.since = this.#parts.now();
        drawn = space;
        return lines;
      },
      press: (key) => {
        const pressed = dialog.press(state, key, { ...this.#parts.room(), ...drawn });
        if ("answer" in pressed) return close(pressed.answer);
        state = pressed.state;
        beside?.onState(state);
        this.#parts.drawn();
      },
      leave: () => close(undefined),
    };
    return standing;
  }
}
