import { relative, resolve } from "node:path";
import type { Entry } from "../../record/entry.ts";
import { isOutsideFile, type OutsideChange, type OutsideState, outsideOf } from "../../record/files.ts";
import type { Part, ReplyPart, ToolCallPart } from "../../record/parts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../record/parts.ts";
import { isSpilled } from "../../record/shape.ts";
import type { Erased, Eraser } from "./request.ts";
import { FORGOTTEN_CONTENT, TOMBSTONE } from "./request.ts";

/**
 * Erases all tool inputs and results that are about one file. For every call whose input names the file, erases all
 * other strings in the input, even short ones, and the whole result. If no snapshot covers the file, its stored
 * contents are erased as well.
 */
export class PathEraser implements Eraser {
  readonly #path: string;
  readonly #workspace: string;
  /**
   * The ids of the calls that are about the file. Providers may reuse a call's id, so the latest reply determines which
   * call an id refers to.
   */
  readonly #calls = new Set<string>();
  /** The path of the file itself, and the paths that tools reached through links at this path. */
  readonly #places: Set<string>;
  #times = 0;

  constructor(path: string, workspace: string) {
    this.#path = path;
    this.#places = new Set([path]);
    // If the first line of a session is lost, its workspace is unknown, so only absolute paths can be recognized.
    this.#workspace = workspace === "" ? "/" : workspace;
  }

  erase(entry: Entry): Erased {
    this.#times = 0;
    const erased = this.#eraseOne(entry);
    return { entry: this.#times === 0 ? entry : erased, times: this.#times, lost: 0 };
  }

  #eraseOne(entry: Entry): Entry {
    switch (entry.kind) {
      case "reply":
        return { ...entry, parts: entry.parts.map((part) => this.#replyPart(part)) };
      case "tool-start":
        if (entry.input === undefined) return entry;
        if (this.#names(entry.input)) this.#calls.add(entry.call);
        return this.#calls.has(entry.call) ? { ...entry, input: this.#others(entry.input) } : entry;
      case "tool-end":
        if (!this.#calls.has(entry.call)) return this.#contents(entry);
        this.#notePlace(outsideOf(entry));
        return this.#contents({ ...entry, parts: this.#result(entry.parts) });
      case "backtrack":
      case "rewind":
      case "redo":
        return this.#contents(entry);
      default:
        return entry;
    }
  }

  /**
   * If a call names this file but wrote another file, the path is a link to the other file. If the call wrote several
   * files, it is unknown which one the link leads to.
   */
  #notePlace(outside: readonly OutsideChange[]): void {
    const [only] = outside;
    if (only !== undefined && outside.length === 1) this.#places.add(only.path);
  }

  /** Erases the stored contents of the file if it is outside the workspace. */
  #contents(entry: Entry): Entry {
    const outside = outsideOf(entry);
    if (!outside.some(({ path }) => this.#places.has(path))) return entry;
    const erased = outside.map(({ path, ...states }) => {
      if (!this.#places.has(path)) return { path, ...states };
      return { path, ...Object.fromEntries(Object.entries(states).map((side) => this.#content(side))) };
    });
    return { ...entry, outside: erased } as Entry;
  }

  #content([side, state]: [string, OutsideState]): [string, OutsideState] {
    if (!isOutsideFile(state)) return [side, state];
    this.#times += 1;
    return [side, FORGOTTEN_CONTENT];
  }

  #replyPart(part: ReplyPart): ReplyPart {
    if (part.type !== "tool-call") return part;
    if (!this.#isAbout(part)) {
      this.#calls.delete(part.call);
      return part;
    }
    this.#calls.add(part.call);
    const input = this.#others(part.input);
    return part.malformed === undefined
      ? { ...part, input }
      : { ...part, input, malformed: this.#one(part.malformed) };
  }

  #isAbout(part: ToolCallPart): boolean {
    const malformed: unknown = part.malformed;
    const written = isSpilled(malformed) ? malformed.start : typeof malformed === "string" ? malformed : "";
    const names = [this.#path, relative(this.#workspace, this.#path)];
    return this.#names(part.input) || names.some((name) => name !== "" && written.includes(name));
  }

  #result(parts: readonly Part[]): readonly Part[] {
    const [only] = parts;
    if (parts.length === 1 && only?.type === "text" && only.text === TOMBSTONE) return parts;
    this.#times += Math.max(1, parts.length);
    return [{ type: "text", text: TOMBSTONE }];
  }

  #names(value: Json): boolean {
    if (typeof value === "string") return this.#isPath(value);
    if (Array.isArray(value)) return value.some((item: Json) => this.#names(item));
    return isJsonObject(value) && Object.values(value).some((item) => this.#names(item));
  }

  #others(value: Json): Json {
    if (typeof value === "string") return this.#isPath(value) ? value : this.#one(value);
    if (Array.isArray(value)) return value.map((item: Json) => this.#others(item));
    if (!isJsonObject(value)) return value;
    if (isSpilled(value)) return this.#one("");
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#others(item)]),
    ) as JsonObject;
  }

  #one(text: string): string {
    if (text !== TOMBSTONE) this.#times += 1;
    return TOMBSTONE;
  }

  /**
   * Checks whether the text is the file's path. Multi-line text and very long strings are ruled out first, because
   * resolving them would take time.
   */
  #isPath(text: string): boolean {
    return (
      text !== "" &&
      text.length < 4096 &&
      !text.includes("\n") &&
      resolve(this.#workspace, text) === this.#path
    );
  }
}
