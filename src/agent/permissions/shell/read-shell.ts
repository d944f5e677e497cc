/** One simple command in a line: its words without quotes, and the files in its redirections. */
export interface ShellPart {
  readonly words: readonly string[];
  readonly files: readonly string[];
}

export interface ShellLine {
  readonly parts: readonly ShellPart[];
  /** The command lines in `$( )`, backticks and `<( )`. */
  readonly nested: readonly string[];
  /**
   * "no" if a shell may read part of the line differently. In that case, `parts` must not be used to allow anything.
   */
  readonly plain: "yes" | "no";
}

/**
 * Reads a command line in enough detail to find the commands that it runs. This is not a full shell parser. If it is
 * unsure, it sets `plain` to "no".
 */
export function readShell(text: string): ShellLine {
  return new ShellReader(text).read();
}

/** Operators of more than one character. */
const REDIRECTIONS = ["<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&"];

class ShellReader {
  readonly #text: string;
  readonly #parts: ShellPart[] = [];
  readonly #nested: string[] = [];
  #at = 0;
  #plain: ShellLine["plain"] = "yes";
  #word: string | undefined;
  #words: string[] = [];
  #files: string[] = [];
  /** The role of the next word, if that word is not part of the command itself. */
  #target: "file" | "descriptor" | "text" | undefined;

  readonly #special: ReadonlyMap<string, () => void> = new Map([
    ["\\", () => this.#escape()],
    ["'", () => this.#singleQuotes()],
    ['"', () => this.#doubleQuotes()],
    ["$", () => this.#dollar("bare")],
    ["`", () => this.#backticks()],
    [" ", () => this.#endWord(1)],
    ["\t", () => this.#endWord(1)],
    ["\n", () => this.#endPart(1)],
    [";", () => this.#endPart(1)],
    ["|", () => this.#endPart(1)],
    ["&", () => this.#ampersand()],
    ["<", () => this.#redirection()],
    [">", () => this.#redirection()],
    ["(", () => this.#parenthesis()],
    [")", () => this.#parenthesis()],
    ["#", () => this.#hash()],
  ]);

  constructor(text: string) {
    this.#text = text;
  }

  read(): ShellLine {
    while (this.#at < this.#text.length) this.#step();
    this.#endPart();
    return { parts: this.#parts, nested: this.#nested, plain: this.#plain };
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    const special = this.#special.get(character);
    if (special === undefined) this.#add(character, 1);
    else special();
  }

  #add(text: string, length: number): void {
    this.#word = (this.#word ?? "") + text;
    this.#at += length;
  }

  #parenthesis(): void {
    this.#plain = "no";
    this.#endPart(1);
  }

  /**
   * Reads a `#`. A shell ignores quotes in a comment, but this reader does not, so a line with a comment is not plain.
   */
  #hash(): void {
    if (this.#word === undefined) this.#plain = "no";
    this.#add("#", 1);
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next === "") this.#plain = "no";
    // The line continues, and so does the word.
    if (next === "\n") this.#at += 2;
    else this.#add(next, 2);
  }

  #singleQuotes(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end === -1) this.#plain = "no";
    const to = end === -1 ? this.#text.length : end;
    this.#add(this.#text.slice(this.#at + 1, to), to + 1 - this.#at);
  }

  #doubleQuotes(): void {
    this.#add("", 1);
    // At the end of the text, there is an empty string.
    while (!['"', ""].includes(this.#text.charAt(this.#at))) this.#stepInQuotes();
    if (this.#at >= this.#text.length) this.#plain = "no";
    this.#at += 1;
  }

  #stepInQuotes(): void {
    const character = this.#text.charAt(this.#at);
    if (character === "\\") this.#escapeInQuotes();
    else if (character === "$") this.#dollar("quoted");
    else if (character === "`") this.#backticks();
    else this.#add(character, 1);
  }

  #escapeInQuotes(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next === "\n") this.#at += 2;
    else this.#add('$`"\\'.includes(next) ? next : `\\${next}`, 2);
  }

  #dollar(where: "bare" | "quoted"): void {
    const rest = this.#text.slice(this.#at + 1, this.#at + 200);
    if (rest.startsWith("(")) {
      this.#substitution();
      return;
    }
    // $'...' and $"..." have escapes of their own, and ${...} may contain anything.
    const isStrange = rest.startsWith("{")
      ? !/^\{\w+\}/u.test(rest)
      : where === "bare" && /^['"]/u.test(rest);
    if (isStrange) this.#plain = "no";
    this.#add("$", 1);
  }

  #backticks(): void {
    this.#plain = "no";
    const inner = /^`(?<inner>(?:\\.|[^`\\])*)(?:`|$)/su.exec(this.#text.slice(this.#at));
    this.#nested.push((inner?.groups?.["inner"] ?? "").replace(/\\(?<kept>[`\\$])/gu, "$<kept>"));
    const whole = inner?.[0] ?? "`";
    this.#add(whole, whole.length);
  }

  /** Reads `$( )`, `<( )` or `>( )`. */
  #substitution(): void {
    this.#plain = "no";
    const from = this.#at + 2;
    const to = closingParenthesis(this.#text, from);
    this.#nested.push(this.#text.slice(from, to));
    this.#add(this.#text.slice(this.#at, to + 1), to + 1 - this.#at);
  }

  #ampersand(): void {
    if (this.#text.charAt(this.#at + 1) === ">") {
      this.#endWord(1);
      this.#redirection();
    } else this.#endPart(1);
  }

  #redirection(): void {
    const rest = this.#text.slice(this.#at, this.#at + 3);
    if (rest.startsWith("(", 1)) this.#substitution();
    else this.#redirect(REDIRECTIONS.find((each) => rest.startsWith(each)) ?? rest.charAt(0));
  }

  #redirect(operator: string): void {
    // A descriptor number, as in 2>&1, is not a word.
    if (this.#word !== undefined && /^\d+$/u.test(this.#word)) this.#word = undefined;
    this.#endWord(operator.length);
    if (operator.startsWith("<<")) {
      // This is a here-document. Only a shell can reliably determine where a here-document ends.
      this.#plain = "no";
      this.#target = "text";
    } else this.#target = operator.endsWith("&") ? "descriptor" : "file";
  }

  #endWord(length: number): void {
    this.#at += length;
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    const target = this.#target;
    this.#target = undefined;
    if (target === undefined) this.#words.push(word);
    else if (target === "file" || (target === "descriptor" && !/^(?:\d+-?|-)$/u.test(word)))
      this.#files.push(word);
  }

  #endPart(length = 0): void {
    this.#endWord(length);
    if (this.#target !== undefined) this.#plain = "no";
    this.#target = undefined;
    if (this.#words.length > 0 || this.#files.length > 0) {
      this.#parts.push({ words: this.#words, files: this.#files });
    }
    this.#words = [];
    this.#files = [];
  }
}

/** Returns the index of the parenthesis that closes the one before `from`, or the end of the text. */
function closingParenthesis(text: string, from: number): number {
  let depth = 1;
  const token = /\\.|'[^']*'|"(?:\\.|[^"\\])*"|[()]/gsu;
  token.lastIndex = from;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === "(") depth += 1;
    if (found[0] === ")") depth -= 1;
    if (depth === 0) return found.index;
  }
  return text.length;
}
