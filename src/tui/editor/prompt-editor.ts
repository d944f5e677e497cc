import type { ImagePart, Part } from "../../record/parts.ts";
import type { Look, Space } from "../look/look.ts";
import { typable } from "../look/text.ts";
import type { KeyPress } from "../terminal/keys.ts";
import type { ClipboardImage } from "../terminal/prompt-input.ts";
import { Completer, type CompletionSources } from "./completion.ts";
import { type Drawing, drawEditor, textRows, textWidth } from "./draw-editor.ts";
import { imagePaths, MAX_IMAGE_BYTES, type ReadBytes, readImages } from "./images.ts";
import {
  editable,
  freeImageNumber,
  type HistoryPlace,
  type HistorySearch,
  imageMarker,
  joined,
  newer,
  older,
  pressSearch,
  type Recalled,
  readSubmission,
  remembered,
  type Submission,
  searchHistory,
  searchLines,
  splitInputs,
  typingMode,
} from "./inputs.ts";
import { lineEnd, lineStart, type Row, rowAt, rowLayout, scrolled, unfold } from "./text-layout.ts";
import {
  EMPTY_TEXT,
  emptied,
  insert,
  paste,
  pressText,
  type Replacement,
  replaced,
  type TextState,
  withText,
} from "./text-state.ts";

/** Functions that the editor needs from other parts of the program. */
export interface EditorDeps extends CompletionSources {
  readonly readBytes: ReadBytes;
  clipboardImage(): Promise<ClipboardImage | undefined>;
  /** Called when the user sends an input. `typed` is the user's text, with large pastes unfolded. */
  submit(submission: Submission, typed: string): void;
  /**
   * Called when something has changed without a key press, for example because completions have arrived or an image has
   * been read.
   */
  redraw(): void;
}

const NEW_LINES: readonly string[] = ["shift+enter", "alt+enter", "ctrl+enter", "ctrl+j"];
const KEYS_OF_LIST: readonly string[] = ["escape", "up", "down", "tab", "enter"];
const ERASERS: readonly string[] = ["backspace", "shift+backspace", "delete", "shift+delete", "ctrl+d"];

/** The prompt editor: text with history, search, images and completion. */
export class PromptEditor {
  focus: "focused" | "unfocused" = "focused";
  readonly #ends: EditorDeps;
  readonly #completer: Completer;
  readonly #layOut = rowLayout();
  #state: TextState = EMPTY_TEXT;
  /**
   * The width at which the text was last drawn. The width is needed because the up and down keys move by drawn rows.
   */
  #width = 80;
  #firstRow = 0;
  #images: ReadonlyMap<number, ImagePart> = new Map();
  #history: readonly string[] = [];
  #place: HistoryPlace | undefined;
  #search: HistorySearch | undefined;
  /** The last drawing and its arguments. Undefined after a change. */
  #drawn: { readonly asked: readonly unknown[]; readonly lines: readonly string[] } | undefined;
  /**
   * The inputs that were returned to the editor together, if commands are among them. When the text is sent again, each
   * command is sent separately.
   */
  #returned: readonly string[] | undefined;
  /** The text that is being edited in an external editor. */
  #takenOut: string | undefined;
  /** Keys that wait until a pasted image has been read, so that the order of the input is preserved. */
  #backlog: KeyPress[] | undefined;

  constructor(ends: EditorDeps) {
    this.#ends = ends;
    this.#completer = new Completer(ends, {
      take: (taken) => this.#replace(taken),
      changed: () => this.#changed(),
    });
  }

  /** The displayed text, with large pastes folded. */
  get text(): string {
    return this.#state.text;
  }

  /** Checks whether the key is for something that is open in the editor: the completions or the history search. */
  wantsKey(key: string): boolean {
    if (this.#search !== undefined) return true;
    return this.#completer.list !== undefined && KEYS_OF_LIST.includes(key);
  }

  press(key: KeyPress): void {
    this.#drawn = undefined;
    if (this.#backlog !== undefined) this.#backlog.push(key);
    else if (this.#search !== undefined) this.#pressSearch(this.#search, key);
    else this.#type(key);
  }

  /**
   * Draws the editor. Returns the last drawing if nothing has changed, because the editor is drawn many times while an
   * answer is streamed.
   */
  draw(space: Space, look: Look, placeholder: string): readonly string[] {
    const { strings, paint, glyphs } = look;
    const asked = [space.width, space.rows, strings, paint, glyphs, placeholder, this.focus];
    if (this.#drawn?.asked.every((one, index) => one === asked[index]) !== true) {
      this.#drawn = { asked, lines: this.#drawAnew({ space, look }, placeholder) };
    }
    return this.#drawn.lines;
  }

  /** Sets the history. `entries` are oldest first. Inputs from this run remain the newest ones. */
  setHistory(entries: readonly string[]): void {
    this.#history = [...entries, ...this.#history].reduce<readonly string[]>(remembered, []);
  }

  searchHistory(): void {
    this.#drawn = undefined;
    this.#completer.close();
    this.#search = searchHistory(this.#history, "");
  }

  /** Replaces the text. The old text is added to the history. */
  put(content: string | readonly Part[]): void {
    const { text, images } = editable(content);
    this.#keep();
    this.#images = images;
    this.#returned = undefined;
    this.#setText(typable(text));
  }

  /** Puts several inputs in front of the text in the editor. */
  putInFront(inputs: readonly (readonly Part[])[]): void {
    const draft = { text: this.#unfolded, images: this.#images };
    const pieces = [...inputs.map(editable), ...(draft.text.trim() === "" ? [] : [draft])];
    const texts = pieces.map(({ text }) => typable(text).trim());
    const { text, images } = joined(pieces);
    this.#drawn = undefined;
    this.#completer.close();
    this.#images = images;
    this.#returned =
      texts.length > 1 && texts.some((each) => typingMode(each) !== "prompt") ? texts : undefined;
    this.#setText(typable(text));
  }

  /**
   * Returns the whole text for external editing. `putBack` is called afterwards. Images stay in place if their markers
   * do.
   */
  takeOut(): string {
    this.#takenOut = this.#unfolded;
    return this.#takenOut;
  }

  /**
   * Puts the externally edited text back. Text that was added to the editor during external editing is kept in front of
   * it.
   */
  putBack(text: string): void {
    const before = this.#takenOut ?? "";
    const now = this.#unfolded;
    const since = now.endsWith(before) ? now.slice(0, now.length - before.length).trimEnd() : now;
    const edited = typable(text).trimEnd();
    this.#setText([since, edited].filter((piece) => piece !== "").join("\n\n"));
  }

  /** Moves the text into the history and returns it. */
  clear(): string {
    this.#drawn = undefined;
    const text = this.#keep();
    this.#images = new Map();
    this.#returned = undefined;
    this.#search = undefined;
    this.#setText("");
    return text;
  }

  /** Pastes an image from the clipboard, if there is one. */
  async pasteImage(): Promise<"pasted" | "none"> {
    const found = await this.#ends.clipboardImage();
    if (found === undefined || found.data.length > (MAX_IMAGE_BYTES * 4) / 3) return "none";
    this.#insert([{ type: "image", ...found }]);
    this.#changed();
    return "pasted";
  }

  get #unfolded(): string {
    return unfold(this.#state.text, this.#state.folds);
  }

  #drawAnew(drawing: Drawing, placeholder: string): readonly string[] {
    const { space, look } = drawing;
    this.#width = textWidth(drawing);
    const rows = this.#rows();
    const shown = textRows(space.rows);
    const { text, cursor, folds } = this.#state;
    this.#firstRow = scrolled(this.#firstRow, rowAt(rows, cursor), { shown, all: rows.length });
    const focus = this.#search === undefined ? this.focus : "unfocused";
    const above = this.#search === undefined ? [] : searchLines(this.#search, space.width, look);
    const drawn = drawEditor(
      { text, cursor, folds, rows, first: this.#firstRow },
      { frame: { mode: typingMode(text), focus, placeholder }, list: this.#completer.list },
      drawing,
    );
    return [...above, ...drawn].slice(0, space.rows);
  }

  #rows(): readonly Row[] {
    return this.#layOut(this.#state.text, this.#width, this.#state.folds);
  }

  #changed(): void {
    this.#drawn = undefined;
    this.#ends.redraw();
  }

  /** Sets the state. Text that was changed is no longer treated as recalled from the history. */
  #become(state: TextState): void {
    if (state.text !== this.#state.text) this.#place = undefined;
    this.#state = state;
    this.#drawn = undefined;
  }

  #setText(text: string): void {
    this.#completer.close();
    this.#become(withText(this.#state, text));
  }

  #insertText(text: string): void {
    this.#completer.close();
    this.#become(insert(this.#state, text));
  }

  #replace(replacement: Replacement): void {
    this.#become(replaced(this.#state, replacement));
  }

  #keep(): string {
    const text = this.#unfolded.trim();
    this.#history = remembered(this.#history, text);
    return text;
  }

  #submit(): void {
    const text = this.#unfolded.trim();
    this.#completer.close();
    this.#become(emptied(this.#state));
    const returned = this.#returned;
    const images = this.#images;
    this.#images = new Map();
    this.#returned = undefined;
    for (const input of returned === undefined ? [text] : splitInputs(text, returned)) {
      this.#history = remembered(this.#history, input);
      this.#ends.submit(readSubmission(input, images), input);
    }
  }

  #pressSearch(search: HistorySearch, key: KeyPress): void {
    const pressed = pressSearch(search, key, this.#history);
    this.#search = "search" in pressed ? pressed.search : undefined;
    if (!("taken" in pressed)) return;
    // The user's draft can still be reached with the arrow keys.
    this.#keep();
    this.#returned = undefined;
    this.#setText(typable(pressed.taken));
  }

  #type(key: KeyPress): void {
    const isListed = this.#completer.list !== undefined;
    if (key.key === "paste") this.#paste(key.text ?? "");
    else if (NEW_LINES.includes(key.key)) this.#insertText("\n");
    else if (key.key === "enter") this.#enter();
    else if (key.key === "tab") this.#complete();
    else if (key.key === "escape") this.#completer.close();
    else if (key.key !== "up" && key.key !== "down") this.#edit(key);
    else if (isListed) this.#completer.move(key.key);
    else this.#lookBack(key.key);
  }

  #edit(key: KeyPress): void {
    const before = this.#state;
    const next = pressText(before, key, () => this.#rows());
    if (next === undefined) return;
    this.#become(next);
    if (next.text === before.text && next.cursor === before.cursor) return;
    const isShorter = this.#completer.list !== undefined && next.text.length < before.text.length;
    if (next.last.did === "type") this.#completer.follow(next, key.text?.trim() === "" ? "space" : "letter");
    else if (ERASERS.includes(key.key) || isShorter) this.#completer.follow(next, "erased");
    else this.#completer.close();
  }

  #complete(): void {
    if (this.#completer.list === undefined) {
      this.#completer.tab(this.#state);
      return;
    }
    const taken = this.#completer.take(this.#state, "tab");
    if (taken === undefined) this.#completer.tab(this.#state);
    else this.#replace(taken);
  }

  /** Accepts the chosen row of an open list, starts a new line after a backslash, or sends the text. */
  #enter(): void {
    const taken = this.#completer.take(this.#state, "enter");
    if (taken !== undefined) this.#replace(taken);
    if (taken?.is === "word") return;
    const { text, cursor } = this.#state;
    if (text.charAt(cursor - 1) === "\\") this.#replace({ from: cursor - 1, to: cursor, by: "\n" });
    else this.#submit();
  }

  /**
   * Browses the history if an arrow key is pressed at the edge of the text. If the user is not browsing the history
   * yet, the cursor must be at the very beginning or end of the text.
   */
  #lookBack(key: "up" | "down"): void {
    const { text, cursor } = this.#state;
    const edge = key === "up" ? 0 : text.length;
    const isAtEdgeLine = (key === "up" ? lineStart(text, cursor) : lineEnd(text, cursor)) === edge;
    this.#edit({ key });
    if (!isAtEdgeLine || this.#state.cursor !== edge) return;
    if (this.#place === undefined && cursor !== edge) return;
    const recalled =
      key === "up" ? older(this.#history, this.#place, this.text) : newer(this.#history, this.#place);
    if (recalled !== undefined) this.#recall(recalled);
  }

  #recall({ place, text }: Recalled): void {
    this.#returned = undefined;
    this.#setText(typable(text));
    this.#place = place;
  }

  #paste(text: string): void {
    const paths = imagePaths(text);
    if (paths.length === 0) {
      this.#pasteText(text);
      return;
    }
    this.#backlog = [];
    void readImages(paths, this.#ends.readBytes).then((images) => {
      if (images === undefined) this.#pasteText(text);
      else this.#insert(images);
      const waited = this.#backlog ?? [];
      this.#backlog = undefined;
      for (const key of waited) this.press(key);
      this.#changed();
    });
  }

  #pasteText(text: string): void {
    this.#completer.close();
    this.#become(paste(this.#state, typable(text)));
  }

  #insert(images: readonly ImagePart[]): void {
    for (const image of images) {
      const number = freeImageNumber(this.text, this.#images);
      this.#images = new Map([...this.#images, [number, image]]);
      this.#insertText(`${imageMarker(number)} `);
    }
  }
}
