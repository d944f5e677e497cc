import type { Entry, EntryKind } from "../../record/entry.ts";
import type { BlobHash } from "../../record/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../record/parts.ts";
import { isSpilled } from "../../record/shape.ts";
import type { BlobTexts } from "./blob-texts.ts";
import { type Erased, type Eraser, FORGOTTEN_CONTENT, TOMBSTONE } from "./request.ts";
import { eraseFromBytes, TextForms } from "./text-forms.ts";

/** The mark at the end of a reply that a backtrack quotes only in part. */
const CUT = " …";
/**
 * Replaces a string whose blob is damaged. The blob may still contain the forgotten text, and is removed as soon as no
 * entry refers to it.
 */
const DAMAGED = "[This text is lost: its blob was damaged]";

/** Marks a value that JSON cannot represent; see `docs/format.md`. */
const KEPT_VALUE = "$value";

/** Erases every occurrence of a string from all strings in an entry. */
export class TextEraser implements Eraser {
  readonly #forms: TextForms;
  readonly #blobs: BlobTexts;
  #times = 0;
  #lost = 0;

  constructor(text: string, blobs: BlobTexts) {
    this.#forms = new TextForms(text);
    this.#blobs = blobs;
  }

  erase(entry: Entry): Erased {
    this.#times = 0;
    this.#lost = 0;
    const fields = Object.entries(entry as unknown as JsonObject).map(([field, value]) => [
      field,
      isKept(entry.kind, field) ? value : this.#field(field, value),
    ]);
    const erased = Object.fromEntries(fields) as unknown as Entry;
    const counts = { times: this.#times, lost: this.#lost };
    return { entry: counts.times + counts.lost === 0 ? entry : erased, ...counts };
  }

  #field(field: string, value: Json): Json {
    // Numbers in our own fields are counts and estimates. A number can be a secret only in a tool's input.
    if (typeof value === "number") return value;
    if (field === "parts") return this.#parts(value);
    if (field === "prompts" && Array.isArray(value)) return value.map((parts: Json) => this.#parts(parts));
    if (field === "told" && Array.isArray(value)) return value.map((text: Json) => this.#cutText(text));
    if (field === "items" && Array.isArray(value)) return value.map((item: Json) => this.#todo(item));
    if (field === "outside" && Array.isArray(value)) return value.map((change: Json) => this.#change(change));
    return this.#json(value);
  }

  #parts(value: Json): Json {
    if (!Array.isArray(value)) return this.#json(value);
    return value.map((part: Json) => (isJsonObject(part) ? this.#part(part) : this.#json(part)));
  }

  #part(part: JsonObject): Json {
    const { type, ...rest } = part;
    if (type === "image") return this.#image(part);
    const before = this.#times;
    const erased = { type, ...(this.#json(rest) as JsonObject) } as JsonObject;
    if (type !== "thinking" || this.#times === before) return erased;
    // Removes the signature, because providers sign the exact text of a thinking block and reject a signature that does
    // not match.
    const { signature: _signature, ...unsigned } = erased;
    return unsigned;
  }

  /**
   * Erases an image that contains the text. Providers would reject a damaged image in every later request, so the
   * whole image is removed.
   */
  #image(part: JsonObject): Json {
    const data = this.#whole(part["data"]);
    if (!this.#forms.isIn(data) && !this.#forms.isIn(Buffer.from(data, "base64"))) return part;
    this.#times += 1;
    return { type: "text", text: TOMBSTONE };
  }

  #todo(item: Json): Json {
    return isJsonObject(item)
      ? { ...item, ...(this.#json({ text: item["text"] ?? "" }) as JsonObject) }
      : this.#json(item);
  }

  #change(change: Json): Json {
    if (!isJsonObject(change)) return change;
    const { path = "", ...states } = change;
    const erased = Object.entries(states).map(([side, state]) => [side, this.#content(state)]);
    return { path: this.#json(path), ...Object.fromEntries(erased) };
  }

  /**
   * Erases the content of a file that contains the text. The whole content is removed, because a file must never be
   * restored in part.
   */
  #content(state: Json): Json {
    if (!isJsonObject(state) || typeof state["blob"] !== "string") return state;
    const blob = this.#blobs.get(state["blob"] as BlobHash);
    if (blob.state === "missing" || (blob.state === "whole" && !this.#forms.isIn(blob.text))) return state;
    if (blob.state === "whole") this.#times += 1;
    else this.#lost += 1;
    return FORGOTTEN_CONTENT;
  }

  /**
   * Erases the text from a quotation. If the quotation was truncated within the text, it ends with the beginning of the
   * text. That beginning is erased as well.
   */
  #cutText(value: Json): Json {
    const whole = this.#whole(value);
    if (!whole.endsWith(CUT)) return this.#json(value);
    const erased = `${this.#cutStart(this.#text(whole.slice(0, -CUT.length)))}${CUT}`;
    if (erased === whole) return value;
    return typeof value === "string" ? erased : this.#blobs.put(erased);
  }

  #json(value: Json): Json {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return this.#forms.isIn(String(value)) ? this.#text(String(value)) : value;
    if (Array.isArray(value)) return value.map((item: Json) => this.#json(item));
    if (!isJsonObject(value)) return value;
    return isSpilled(value) ? this.#spilled(value, (text) => this.#text(text)) : this.#object(value);
  }

  #object(value: JsonObject): Json {
    const result: Record<string, Json> = {};
    for (const [key, item] of Object.entries(value)) {
      let name = this.#text(key);
      // Erasing the text may make two keys equal, so the second key is renamed to keep both values.
      while (Object.hasOwn(result, name)) name += "'";
      Object.defineProperty(result, name, {
        value: key === KEPT_VALUE ? this.#kept(item) : this.#json(item),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return result;
  }

  /** Erases the text from a value that a program saved, including any bytes in it. */
  #kept(value: Json): Json {
    const erase = (text: string): string => {
      const { erased, times } = eraseFromBytes(text, this.#forms);
      this.#times += times;
      return this.#text(erased);
    };
    if (typeof value === "string") return erase(value);
    return isSpilled(value) ? this.#spilled(value, erase) : this.#json(value);
  }

  #spilled(value: { readonly $blob: string; readonly start: string }, erase: (text: string) => string): Json {
    const blob = this.#blobs.get(value.$blob as BlobHash);
    if (blob.state === "missing") {
      // The blob is lost. The line still contains the beginning of the text, but nothing marks where it was cut off.
      const start = this.#cutStart(erase(value.start));
      return start === value.start ? (value as unknown as Json) : { ...value, start };
    }
    if (blob.state === "damaged") {
      this.#lost += 1;
      return DAMAGED;
    }
    const text = erase(blob.text);
    return text === blob.text ? (value as unknown as Json) : this.#blobs.put(text);
  }

  #cutStart(start: string): string {
    const length = this.#forms.beginningAtEnd(start);
    if (length > 0) this.#times += 1;
    return length === 0 ? start : `${start.slice(0, start.length - length)}${TOMBSTONE}`;
  }

  #whole(value: Json | undefined): string {
    if (typeof value === "string") return value;
    if (!isSpilled(value)) return "";
    const blob = this.#blobs.get(value.$blob as BlobHash);
    return blob.state === "whole" ? blob.text : value.start;
  }

  #text(text: string): string {
    const whole = this.#forms.eraseFrom(text);
    const { erased, times } = this.#forms.eraseAtCuts(whole.erased);
    this.#times += whole.times + times;
    return erased;
  }
}

/**
 * Fields that determine an entry's place or contain a word from a fixed list. These fields are never changed, because a
 * change could make the entry unreadable or give it a different meaning. A request that would have to change such a
 * field is refused. All other fields contain free text.
 */
const keptByKind: Readonly<Record<EntryKind, readonly string[]>> = {
  session: [
    "session",
    "workspace",
    "mode",
    "tag",
    "backtrack",
    "forkedFrom",
    "imported",
    "task",
    "execution",
  ],
  prompt: [],
  step: [],
  reply: ["end", "usage"],
  "tool-start": [],
  "tool-end": ["outcome"],
  notice: ["owner"],
  checkpoint: ["on"],
  snapshot: ["state", "snapshot", "author", "gitHead", "machine"],
  backtrack: ["from", "left", "leftAuthor", "leftGitHead", "files"],
  rewind: ["from", "scope", "left", "leftAuthor", "leftGitHead", "choice"],
  redo: ["journey", "from", "scope", "left", "leftAuthor", "leftGitHead", "revokes"],
  restored: ["journey", "snapshot"],
  compaction: ["firstKept", "pinned", "reason", "usage"],
  todos: [],
  title: [],
  label: ["target"],
  saved: ["status", "decided"],
  "checkpoint-delete": [],
  "execution-finish": [],
  interrupt: ["by"],
  error: [],
  rotated: ["session"],
  host: [],
  interval: ["snapshot", "author", "machine"],
};

const ENVELOPE = ["seq", "id", "parent", "at", "kind", "origin", "forgotten", "foreignKind"];

function isKept(kind: EntryKind | "foreign", field: string): boolean {
  return ENVELOPE.includes(field) || (kind !== "foreign" && keptByKind[kind].includes(field));
}
