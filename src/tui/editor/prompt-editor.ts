import { Editor, type TUI } from "@earendil-works/pi-tui";
import type { ClipboardImage } from "../../app/upkeep/upkeep-types.ts";
import type { ImagePart, Part } from "../../record/parts.ts";
import type { Brush, Look, Space } from "../look/look.ts";
import { typable } from "../look/printable.ts";
import { Completing, type CompletionSources } from "./completing.ts";
import { BORDER, drawEditor, listRows, signWidth, textRows } from "./draw-editor.ts";
import { type HistorySearch, pressSearch, searchHistory, searchLines } from "./history-search.ts";
import { editable, freeImageNumber, imageMarker, joined } from "./images/held-images.ts";
import { MOST_IMAGE_BYTES } from "./images/image-bytes.ts";
import { imagePaths } from "./images/image-paths.ts";
import { readImages } from "./images/read-images.ts";
import type { ReadBytes } from "./images/read-local-file.ts";
import { type HistoryPlace, newer, older, type Recalled, remembered } from "./prompt-history.ts";
import type { RawKey } from "./read-keys.ts";
import { readSubmission, type Submission, splitInputs, typingMode } from "./submission.ts";

/** What the editor is connected to. */
export interface EditorEnds extends CompletionSources {
  readonly readBytes: ReadBytes;
  clipboardImage(): Promise<ClipboardImage | undefined>;
  /** `typed`: what the person wrote, large pastes unfolded. */
  submit(submission: Submission, typed: string): void;
  /** Something changed that no key of now explains: completions are there, an image was read. */
  redraw(): void;
}

const NEW_LINES: readonly string[] = ["shift+enter", "alt+enter", "ctrl+enter", "ctrl+j"];
const KEYS_OF_LIST: readonly string[] = ["escape", "up", "down", "tab", "enter"];
const FEWEST_COLUMNS = 4;
/** pi-tui shows three tenths of the rows that it is told of. */
const SHARE_OF_ROWS = 0.3;
const ESCAPE = "\x1b";

/** Where the person writes. The text itself is pi-tui's editor's; around it stand history, search, images and completion. */
export class PromptEditor {
  focus: "focused" | "unfocused" = "focused";
  readonly #ends: EditorEnds;
  readonly #completing: Completing;
  readonly #editor: Editor;
  #rows = 24;
  #look: Look | undefined;
  #images: ReadonlyMap<number, ImagePart> = new Map();
  #history: readonly string[] = [];
  #place: HistoryPlace | undefined;
  /** "chosen": by the arrows, so that Enter takes it although what was typed could stand for itself. */
  #row: "first" | "chosen" = "first";
  #search: HistorySearch | undefined;
  /** What was drawn last, and for what; undefined since something changed. */
  #drawn: { readonly asked: readonly unknown[]; readonly lines: readonly string[] } | undefined;
  /** The commands among several inputs that were given back: sent again, each is one of its own. Undefined otherwise. */
  #returned: readonly string[] | undefined;
  /** What is being edited outside. */
  #takenOut: string | undefined;
  /** Keys that wait until a pasted image is read, so that what is typed stays in its order. */
  #backlog: RawKey[] | undefined;

  constructor(ends: EditorEnds) {
    this.#ends = ends;
    this.#completing = new Completing(ends);
    const rows = (): number => Math.ceil(textRows(this.#rows) / SHARE_OF_ROWS);
    const half = {
      terminal: {
        get rows() {
          return rows();
        },
      },
      requestRender: () => this.#changed(),
    };
    // The editor uses nothing else of the whole screen that its type asks for.
    this.#editor = new Editor(half as unknown as TUI, {
      borderColor: (line) => BORDER + line,
      selectList: {
        selectedPrefix: this.#brush("accent"),
        selectedText: this.#brush("chosen"),
        description: this.#brush("dim"),
        scrollInfo: this.#brush("dim"),
        noMatch: this.#brush("dim"),
      },
    });
    this.#editor.setAutocompleteProvider(this.#completing);
    this.#editor.onChange = () => {
      this.#drawn = undefined;
      this.#place = undefined;
    };
    this.#editor.onSubmit = (text) => this.#submit(text);
  }

  /** As it stands there, large pastes folded. */
  get text(): string {
    return this.#editor.getText();
  }

  /** Whether something is open in the editor that the key is for, so that nobody else may take it. */
  wantsKey(key: string): boolean {
    if (this.#search !== undefined) return true;
    return this.#editor.isShowingAutocomplete() && KEYS_OF_LIST.includes(key);
  }

  press(key: RawKey): void {
    this.#drawn = undefined;
    if (this.#backlog !== undefined) this.#backlog.push(key);
    else if (this.#search !== undefined) this.#pressSearch(this.#search, key);
    else this.#type(key);
  }

  /** While an answer streams it is drawn many times as it was: then nothing is laid out anew. */
  draw(space: Space, look: Look, placeholder: string): readonly string[] {
    const { strings, paint, glyphs } = look;
    const asked = [space.width, space.rows, strings, paint, glyphs, placeholder, this.focus];
    if (this.#drawn?.asked.every((one, index) => one === asked[index]) !== true) {
      this.#drawn = { asked, lines: this.#layOut(space, look, placeholder) };
    }
    return this.#drawn.lines;
  }

  /** `entries`: oldest first. What was typed here already stays the newest. */
  setHistory(entries: readonly string[]): void {
    this.#history = [...entries, ...this.#history].reduce<readonly string[]>(remembered, []);
  }

  searchHistory(): void {
    this.#drawn = undefined;
    this.#cancelList();
    this.#search = searchHistory(this.#history, "");
  }

  /** Puts something in the place of the text; what stood there can be found in the history. */
  put(content: string | readonly Part[]): void {
    const { text, images } = editable(content);
    this.#keep();
    this.#images = images;
    this.#returned = undefined;
    this.#editor.setText(typable(text));
  }

  /** Puts several inputs into the editor, in front of what is there. */
  giveBack(inputs: readonly (readonly Part[])[]): void {
    const draft = { text: this.#editor.getExpandedText(), images: this.#images };
    const pieces = [...inputs.map(editable), ...(draft.text.trim() === "" ? [] : [draft])];
    const texts = pieces.map(({ text }) => typable(text).trim());
    const { text, images } = joined(pieces);
    this.#drawn = undefined;
    this.#cancelList();
    this.#images = images;
    this.#returned =
      texts.length > 1 && texts.some((each) => typingMode(each) !== "prompt") ? texts : undefined;
    this.#editor.setText(typable(text));
  }

  /** All of the text, to be edited elsewhere and put back; images stay where their markers stay. */
  takeOut(): string {
    this.#takenOut = this.#editor.getExpandedText();
    return this.#takenOut;
  }

  /** What came into the editor meanwhile stays, in front of it. */
  putBack(text: string): void {
    const before = this.#takenOut ?? "";
    const now = this.#editor.getExpandedText();
    const since = now.endsWith(before) ? now.slice(0, now.length - before.length).trimEnd() : now;
    const edited = typable(text).trimEnd();
    this.#editor.setText([since, edited].filter((piece) => piece !== "").join("\n\n"));
  }

  /** Empties the editor into the history; returns what stood there. */
  clear(): string {
    this.#drawn = undefined;
    const text = this.#keep();
    this.#images = new Map();
    this.#returned = undefined;
    this.#search = undefined;
    this.#editor.setText("");
    return text;
  }

  /** Takes an image from the clipboard, where one is there. */
  async pasteImage(): Promise<"pasted" | "none"> {
    const found = await this.#ends.clipboardImage();
    if (found === undefined || found.data.length > (MOST_IMAGE_BYTES * 4) / 3) return "none";
    this.#insert([{ type: "image", ...found }]);
    this.#changed();
    return "pasted";
  }

  #layOut(space: Space, look: Look, placeholder: string): readonly string[] {
    this.#look = look;
    this.#rows = space.rows;
    const isSearching = this.#search !== undefined;
    const focus = isSearching ? "unfocused" : this.focus;
    this.#editor.focused = focus === "focused";
    this.#editor.setAutocompleteMaxVisible(listRows(space.rows));
    const lines = this.#editor.render(Math.max(FEWEST_COLUMNS, space.width - signWidth(look)));
    const empty = this.text === "" ? placeholder : undefined;
    const frame = { mode: typingMode(this.text), focus, placeholder: empty } as const;
    const above = this.#search === undefined ? [] : searchLines(this.#search, space.width, look);
    return [...above, ...drawEditor(lines, frame, { space, look })].slice(0, space.rows);
  }

  #changed(): void {
    this.#drawn = undefined;
    this.#ends.redraw();
  }

  #brush(name: "accent" | "chosen" | "dim"): Brush {
    return (text) => this.#look?.paint[name](text) ?? text;
  }

  #keep(): string {
    const text = this.#editor.getExpandedText().trim();
    this.#history = remembered(this.#history, text);
    return text;
  }

  #submit(text: string): void {
    const returned = this.#returned;
    const images = this.#images;
    this.#images = new Map();
    this.#returned = undefined;
    for (const input of returned === undefined ? [text] : splitInputs(text, returned)) {
      this.#history = remembered(this.#history, input);
      this.#ends.submit(readSubmission(input, images), input);
    }
  }

  #pressSearch(search: HistorySearch, key: RawKey): void {
    const pressed = pressSearch(search, key, this.#history);
    this.#search = "search" in pressed ? pressed.search : undefined;
    if (!("taken" in pressed)) return;
    // What was being typed stays within reach of the arrows.
    this.#keep();
    this.#returned = undefined;
    this.#editor.setText(typable(pressed.taken));
  }

  #type(key: RawKey): void {
    if (key.key === "paste") this.#paste(key.text ?? "");
    else if (NEW_LINES.includes(key.key)) this.#editor.handleInput("\n");
    else if (this.#editor.isShowingAutocomplete()) this.#typeInList(key);
    else if (key.key === "up" || key.key === "down") this.#lookBack(key.key, key.data);
    else this.#editor.handleInput(key.data);
  }

  #typeInList({ key, data }: RawKey): void {
    const isTaken = key === "enter" || key === "tab";
    if (isTaken) {
      const { line, col } = this.#editor.getCursor();
      const fits = this.#completing.fits((this.#editor.getLines()[line] ?? "").slice(0, col));
      const isMeant = fits !== "open" && key === "enter" && this.#row === "first";
      if (fits === "stale" || isMeant) this.#cancelList();
    }
    this.#row = key === "up" || key === "down" ? "chosen" : "first";
    this.#editor.handleInput(data);
  }

  #cancelList(): void {
    if (this.#editor.isShowingAutocomplete()) this.#editor.handleInput(ESCAPE);
  }

  /** At an edge of the text the arrows lead into the history: at once while one looks back, else from the very end. */
  #lookBack(key: "up" | "down", data: string): void {
    const before = this.#editor.getCursor();
    if (this.text !== "") this.#editor.handleInput(data);
    const after = this.#editor.getCursor();
    const last = this.#editor.getLines().length - 1;
    const edge =
      key === "up" ? { line: 0, col: 0 } : { line: last, col: this.#editor.getLines()[last]?.length ?? 0 };
    if (before.line !== edge.line || after.line !== edge.line || after.col !== edge.col) return;
    if (this.#place === undefined && before.col !== after.col) return;
    const recalled =
      key === "up" ? older(this.#history, this.#place, this.text) : newer(this.#history, this.#place);
    if (recalled !== undefined) this.#recall(recalled);
  }

  #recall({ place, text }: Recalled): void {
    this.#returned = undefined;
    this.#editor.setText(typable(text));
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
    this.#editor.handleInput(`\x1b[200~${typable(text)}\x1b[201~`);
  }

  #insert(images: readonly ImagePart[]): void {
    for (const image of images) {
      const number = freeImageNumber(this.text, this.#images);
      this.#images = new Map([...this.#images, [number, image]]);
      this.#editor.insertTextAtCursor(`${imageMarker(number)} `);
    }
  }
}
