import { type Component, type Focusable, TUI } from "@earendil-works/pi-tui";
import { type RawKey, readKeys } from "../editor/read-keys.ts";
import type { Space } from "../look/look.ts";
import { ScreenTerminal } from "./screen-terminal.ts";

export interface PainterParts {
  /** Exactly as many lines as there are rows. */
  readonly draw: (space: Space) => string[];
  readonly press: (key: RawKey) => void;
  /** What the terminal says of its own background, where it answers. */
  readonly background: (background: "light" | "dark") => void;
}

const ASK_BACKGROUND = "\u001B]11;?\u0007";
const BACKGROUND = /\]11;rgb:([0-9a-f]+)\/([0-9a-f]+)\/([0-9a-f]+)/iu;

/** Puts drawn lines onto the terminal, and hands on what is typed. pi-tui writes only the lines that have changed. */
export class Painter {
  readonly terminal: ScreenTerminal = new ScreenTerminal();
  readonly #tui: TUI;
  /** Resolves when the first picture stands: what is heavy begins behind it. */
  readonly painted: Promise<void>;

  constructor({ draw, press, background }: PainterParts) {
    const { terminal } = this;
    let isPainted = (): void => undefined;
    this.painted = new Promise((resolve) => {
      isPainted = resolve;
    });
    this.#tui = new TUI(terminal, false);
    const all: Component & Focusable = {
      focused: true,
      render: (width) => {
        setImmediate(isPainted);
        return draw({ width, rows: terminal.rows });
      },
      handleInput: (data) => {
        for (const key of readKeys(data)) press(key);
      },
      invalidate: () => undefined,
    };
    this.#tui.addInputListener((data) => {
      const answered = BACKGROUND.exec(data);
      if (answered === null) return undefined;
      background(brightness(answered.slice(1)));
      return { consume: true };
    });
    this.#tui.addChild(all);
    this.#tui.setFocus(all);
  }

  get tui(): TUI {
    return this.#tui;
  }

  start(): void {
    this.#tui.start();
    this.terminal.write(ASK_BACKGROUND);
  }

  stop(): void {
    this.#tui.stop();
  }

  paint(): void {
    this.#tui.requestRender();
  }

  /** For when something else may have written over it. */
  repaint(): void {
    this.#tui.requestRender(true);
  }
}

/** Each part is one to four hexadecimal digits of its own scale. */
function brightness(parts: readonly string[]): "light" | "dark" {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}
