import { writeSync } from "node:fs";
import { ProcessTerminal, type Terminal } from "@earendil-works/pi-tui";

const ENTER = "\u001B[?1049h\u001B[2J\u001B[H";
const MOUSE_ON = "\u001B[?1000h\u001B[?1006h";
const MOUSE_OFF = "\u001B[?1006l\u001B[?1000l";
/** Everything that the screen may have switched on: mouse, pasting, keys, synchronized output, colours, cursor, the other buffer. */
const RESTORE = `${MOUSE_OFF}\u001B[?2004l\u001B[<u\u001B[>4;0m\u001B[?2026l\u001B[0m\u001B[?25h\u001B[?1049l`;
/** pi-tui's own word for having asked for more keys. */
const HAS_MORE_KEYS = "_modifyOtherKeysActive";
/** pi-tui clears the lines above the screen too when the window changes its size. They are the person's. */
const CLEAR_SCROLLBACK = "\u001B[3J";

/**
 * The person's terminal, of which the other buffer is taken, so that what was there before is there afterwards. However the
 * program ends, short of a SIGKILL, the terminal is given back.
 */
export class ScreenTerminal extends ProcessTerminal implements Terminal {
  #mouse: "on" | "off" = "off";
  #isTaken = false;
  readonly #atExit = (): void => this.giveBack();

  /** With "on" the wheel scrolls the conversation, and marking text needs Shift. */
  setMouse(mouse: "on" | "off"): void {
    if (mouse === this.#mouse) return;
    this.#mouse = mouse;
    if (this.#isTaken) super.write(mouse === "on" ? MOUSE_ON : MOUSE_OFF);
  }

  override start(onInput: (data: string) => void, onResize: () => void): void {
    Reflect.set(this, HAS_MORE_KEYS, false);
    super.write(ENTER + (this.#mouse === "on" ? MOUSE_ON : ""));
    this.#isTaken = true;
    process.on("exit", this.#atExit);
    super.start(onInput, onResize);
  }

  override stop(): void {
    super.stop();
    // pi-tui asks for more keys a moment after its start, whether or not it was stopped meanwhile; not so if it has them.
    Reflect.set(this, HAS_MORE_KEYS, true);
    // Whoever drew the first picture has the keys raw before pi-tui looks how they were.
    process.stdin.setRawMode?.(false);
    this.giveBack();
    process.off("exit", this.#atExit);
  }

  override write(data: string): void {
    super.write(data.replaceAll(CLEAR_SCROLLBACK, ""));
  }

  /** Written at once, because it may be the last thing that the program does. */
  giveBack(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    try {
      writeSync(process.stdout.fd, RESTORE);
    } catch {
      // The terminal is gone: there is nobody to give it back to.
    }
  }
}
