/** A command as it was typed. */
export interface SlashTyped {
  /** In small letters, without the slash; not necessarily one that there is. */
  readonly name: string;
  readonly words: string;
}

/** Undefined where the text is no command: a path, such as `/usr/bin is broken`, is none. */
export function parseSlash(text: string): SlashTyped | undefined {
  const [, name, words] = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/iu.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: (words ?? "").trim() };
}
