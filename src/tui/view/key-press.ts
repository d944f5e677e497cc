/** A key, or text that was pasted. */
export interface KeyPress {
  /** "up", "enter", "escape", "ctrl+o", "shift+tab", "a"; "paste" for pasted text. */
  readonly key: string;
  /** What it writes, where it writes something. */
  readonly text?: string;
}
