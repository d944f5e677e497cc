import type { Terminal } from "@xterm/headless";

/** Terminal modes that a program may change and has to restore. */
export interface TerminalModes {
  readonly screen: "normal" | "alternate";
  readonly cursor: "shown" | "hidden";
  readonly bracketedPaste: "on" | "off";
  readonly mouse: "none" | "x10" | "vt200" | "drag" | "any";
  readonly focusEvents: "on" | "off";
  readonly wrapping: "on" | "off";
  readonly applicationCursorKeys: "on" | "off";
  readonly synchronizedOutput: "on" | "off";
  /** How often kitty's keyboard protocol was pushed and not popped. */
  readonly kittyKeyboard: number;
  readonly modifyOtherKeys: number;
}

/** The modes before a program runs, which it has to restore when it leaves. */
export const UNTOUCHED: TerminalModes = {
  screen: "normal",
  cursor: "shown",
  bracketedPaste: "off",
  mouse: "none",
  focusEvents: "off",
  wrapping: "on",
  applicationCursorKeys: "off",
  synchronizedOutput: "off",
  kittyKeyboard: 0,
  modifyOtherKeys: 0,
};

const SHOW_CURSOR = 25;
const MODIFY_OTHER_KEYS = 4;

/**
 * Tracks modes that xterm does not expose. `onKittyQuery` answers like a terminal that supports kitty's
 * protocol.
 */
export function watchModes(terminal: Terminal, onKittyQuery: () => void): () => TerminalModes {
  const seen = { cursor: UNTOUCHED.cursor, kittyKeyboard: 0, modifyOtherKeys: 0 };
  const on = (
    prefix: string,
    final: string,
    look: (params: readonly (number | number[])[]) => void,
  ): void => {
    terminal.parser.registerCsiHandler({ prefix, final }, (params) => {
      look(params);
      return false;
    });
  };
  on("?", "h", (params) => {
    if (params.includes(SHOW_CURSOR)) seen.cursor = "shown";
  });
  on("?", "l", (params) => {
    if (params.includes(SHOW_CURSOR)) seen.cursor = "hidden";
  });
  on(">", "u", () => {
    seen.kittyKeyboard += 1;
  });
  on("<", "u", ([count]) => {
    const left = seen.kittyKeyboard - (Number(count) || 1);
    // Each screen has its own stack; on the normal one, one pop too many removes what the user's shell has
    // pushed.
    seen.kittyKeyboard = terminal.buffer.active.type === "alternate" ? Math.max(left, 0) : left;
  });
  on(">", "m", ([resource, value]) => {
    if (resource === MODIFY_OTHER_KEYS) seen.modifyOtherKeys = Number(value ?? 0);
  });
  on("?", "u", onKittyQuery);
  return () => ({ ...ofTerminal(terminal), ...seen });
}

function ofTerminal({
  modes,
  buffer,
}: Terminal): Omit<TerminalModes, "cursor" | "kittyKeyboard" | "modifyOtherKeys"> {
  const onOff = (on: boolean): "on" | "off" => (on ? "on" : "off");
  return {
    screen: buffer.active.type,
    bracketedPaste: onOff(modes.bracketedPasteMode),
    mouse: modes.mouseTrackingMode,
    focusEvents: onOff(modes.sendFocusMode),
    wrapping: onOff(modes.wraparoundMode),
    applicationCursorKeys: onOff(modes.applicationCursorKeysMode),
    synchronizedOutput: onOff(modes.synchronizedOutputMode),
  };
}
