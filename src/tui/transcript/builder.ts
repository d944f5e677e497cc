import type { Entry, EntryOf } from "../../record/entry.ts";
import type { LoggedCounts } from "../../record/files.ts";
import type { EntryId } from "../../record/ids.ts";
import { textOf } from "../../record/parts.ts";
import type { Block, CallBlock, FilesBlock, Happening } from "./block.ts";
import { aboutOf, leftBlocks, promptBlock, promptsAgain, replyBlocks } from "./entry-blocks.ts";
import {
  type BuildContext,
  type Built,
  leftKey,
  NOTHING_BUILT,
  type OpenCall,
  type StoryItem,
  type Turn,
} from "./transcript.ts";

/** Kinds of entries that may be logged between two attempts of a model call. */
const BETWEEN_TRIES: ReadonlySet<Entry["kind"]> = new Set([
  "error",
  "snapshot",
  "interval",
  "title",
  "label",
  "rotated",
  "host",
]);

interface BuilderStart extends Built {
  readonly blocks: readonly Block[];
}

/**
 * Builds blocks from entries, one after another. A builder is modified in place and never stored. Callers keep only its
 * result.
 */
export class Builder {
  readonly #blocks: Block[];
  readonly #known: BuildContext;
  #open: OpenCall[];
  #todos: string;
  #turn: Turn | undefined;
  #checkpoint: number | undefined;
  #failure: number | undefined;

  constructor({ blocks, open, todos, turn, checkpoint, failure }: BuilderStart, known: BuildContext) {
    this.#blocks = [...blocks];
    this.#open = [...open];
    this.#todos = todos;
    this.#turn = turn;
    this.#checkpoint = checkpoint;
    this.#failure = failure;
    this.#known = known;
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get built(): Built {
    return {
      open: this.#open,
      todos: this.#todos,
      turn: this.#turn,
      checkpoint: this.#checkpoint,
      failure: this.#failure,
    };
  }

  apply(item: StoryItem): void {
    if ("entry" in item) this.#add(item.entry);
    else if ("block" in item) this.#blocks.push(item.block);
    else this.interruptOpen();
  }

  #add(entry: Entry): void {
    if (!BETWEEN_TRIES.has(entry.kind)) this.#failure = undefined;
    switch (entry.kind) {
      case "checkpoint":
        this.#checkpoint = entry.on === "prompt" ? entry.number : undefined;
        break;
      case "prompt":
        this.#prompt(entry);
        break;
      case "reply":
        this.#reply(entry);
        break;
      case "tool-start":
        this.#start(entry);
        break;
      case "tool-end":
        this.#end(entry);
        break;
      case "todos":
        this.#addTodos(entry);
        break;
      case "restored":
        this.#restored(entry);
        break;
      case "backtrack":
        this.#backtrack(entry);
        break;
      case "redo":
        if (entry.scope !== "files") this.#left(entry);
        this.#happening(entry);
        break;
      case "error":
        this.#error(entry);
        break;
      case "label":
        this.#label(entry);
        break;
      default:
        this.#happening(entry);
        break;
    }
  }

  /**
   * Marks open calls as interrupted, because they will not get a result. Marks all open calls, or only those requested
   * by replies.
   */
  interruptOpen(which: "all" | "reply" = "all"): void {
    const isCut = ({ from }: OpenCall): boolean => which === "all" || from === which;
    for (const { at } of this.#open.filter(isCut)) this.#change(at, { state: "interrupted" });
    this.#open = this.#open.filter((open) => !isCut(open));
  }

  #prompt(entry: EntryOf<"prompt">): void {
    this.interruptOpen("reply");
    this.#endTurn();
    this.#blocks.push(promptBlock(entry, this.#checkpoint));
    this.#checkpoint = undefined;
    this.#turn = { prompt: entry.id, state: "begun", files: undefined };
  }

  #reply(entry: EntryOf<"reply">): void {
    this.#works();
    this.interruptOpen("reply");
    for (const block of replyBlocks(entry)) {
      if (block.kind === "call") {
        this.#open.push({ call: block.call, at: this.#blocks.length, from: "reply", since: undefined });
      }
      this.#blocks.push(block);
    }
    const isFinal = entry.end !== "interrupted" && entry.parts.every((part) => part.type !== "tool-call");
    if (isFinal) this.#endTurn();
  }

  /** Handles the start of a call. A call that no reply requested is a user's command. */
  #start({ id, at, call, name, input }: EntryOf<"tool-start">): void {
    const since = Date.parse(at);
    const index = this.#open.findIndex((open) => open.call === call && open.since === undefined);
    const open = this.#open[index];
    const given = input === undefined ? {} : { input, about: aboutOf(input) };
    if (open === undefined) {
      this.#open.push({ call, at: this.#blocks.length, from: "person", since });
      const block = { kind: "call", key: id, call, name, state: "running", output: "", below: [] } as const;
      this.#blocks.push({ ...block, since, ...{ input: {}, about: "", ...given } });
      return;
    }
    this.#works();
    this.#open[index] = { ...open, since };
    this.#change(open.at, { name, state: "running", since, ...given });
  }

  /**
   * Ends a call. A page may begin with results of calls that are on the previous page. Such results are used once that
   * page has been loaded.
   */
  #end({ at, call, outcome, parts, denial }: EntryOf<"tool-end">): void {
    const index = this.#open.findIndex((open) => open.call === call);
    const open = this.#open[index];
    if (open === undefined) return;
    this.#open.splice(index, 1);
    const took = open.since === undefined ? {} : { took: Math.max(0, Date.parse(at) - open.since) };
    const fill = this.#known.fills.get(this.#blocks[open.at]?.key ?? "");
    const below = fill?.what === "below" ? { below: fill.blocks } : {};
    this.#change(open.at, {
      state: outcome,
      output: textOf(parts),
      ...(denial === undefined ? {} : { denial }),
      ...took,
      ...below,
    });
    const block = this.#blocks[open.at];
    if (open.from === "person" && block !== undefined) this.#files(block.key as EntryId);
  }

  #addTodos({ id, items }: EntryOf<"todos">): void {
    const todos = JSON.stringify(items);
    if (todos === this.#todos) return;
    this.#todos = todos;
    this.#blocks.push({ kind: "todos", key: id, items });
  }

  #backtrack(entry: EntryOf<"backtrack">): void {
    const { id, to, note, rationale, files } = entry;
    const fill = this.#known.fills.get(id);
    if (entry.prompts.length === 0) this.#works();
    else {
      // A backtrack repeats the user's prompt and thus begins its turn again. Everything before it is part of another
      // turn, which has its own files.
      this.#endTurn();
      this.#turn = { prompt: id, state: "works", files: undefined };
    }
    const left = this.#left(entry);
    this.#blocks.push({
      kind: "card",
      key: id,
      journey: id,
      to,
      note,
      files,
      ...(rationale === undefined ? {} : { rationale }),
      left: fill?.what === "card" ? fill.left : undefined,
    });
    if (left === "lost") this.#blocks.push(...promptsAgain(entry));
  }

  /** Adds the blocks that a journey left behind. The blocks are in their original position, before the journey. */
  #left(journey: EntryOf<"backtrack" | "redo">): "in-log" | "lost" {
    const key = leftKey(journey.id);
    const fill = this.#known.fills.get(key);
    if (fill?.what !== "left") {
      this.#blocks.push({ kind: "left", key, journey: journey.id, by: journey.kind, holds: undefined });
      return "in-log";
    }
    const builder = new Builder({ blocks: [], ...NOTHING_BUILT, todos: this.#todos }, this.#known);
    for (const item of fill.items ?? []) builder.apply(item);
    builder.interruptOpen();
    this.#blocks.push(...leftBlocks(journey, fill.items, builder.blocks));
    return fill.items === undefined ? "lost" : "in-log";
  }

  /** Adds the outcome for the files to the journey's block if that block is shown. Otherwise, adds a separate block. */
  #restored({ id, journey, paths, ...entry }: EntryOf<"restored">): void {
    const counts = { ...countsOf(entry), paths };
    const at = this.#blocks.findLastIndex(({ key }) => key === journey);
    const block = this.#blocks[at];
    if (block?.kind === "card") this.#blocks[at] = { ...block, restored: counts };
    else if (block?.kind === "happening" && ["rewind", "redo"].includes(block.happening.what)) {
      const happening = { ...block.happening, restored: counts } as typeof block.happening;
      this.#blocks[at] = { ...block, happening };
    } else {
      this.#blocks.push({ kind: "happening", key: id, happening: { what: "restored", restored: counts } });
    }
  }

  /** Adds a failed attempt. Consecutive attempts share one line, which shows the message of the last attempt. */
  #error({ id, message, hint, reason, params }: EntryOf<"error">): void {
    const made = reason === undefined ? {} : { reason, params };
    const said = { what: "error", message, ...(hint === undefined ? {} : { hint }), ...made } as const;
    const before = this.#failure === undefined ? undefined : this.#blocks[this.#failure];
    if (this.#failure !== undefined && before?.kind === "happening" && before.happening.what === "error") {
      const times = (before.happening.times ?? 1) + 1;
      this.#blocks[this.#failure] = { ...before, happening: { ...said, times } };
      return;
    }
    this.#failure = this.#blocks.length;
    this.#blocks.push({ kind: "happening", key: id, happening: said });
    this.#endTurn();
  }

  #label({ id, target, label }: EntryOf<"label">): void {
    const checkpoint = this.#known.numberOf(target);
    const of = checkpoint === undefined ? {} : { checkpoint };
    this.#blocks.push({ kind: "happening", key: id, happening: { what: "label", label, ...of } });
  }

  #happening(entry: Entry): void {
    const happening = happeningOf(entry);
    if (happening === undefined) return;
    if (entry.kind === "interrupt") this.interruptOpen();
    const fill = this.#known.fills.get(entry.id);
    const known = fill?.what === "compaction" && happening.what === "compaction" ? { after: fill.after } : {};
    this.#blocks.push({ kind: "happening", key: entry.id, happening: { ...happening, ...known } });
    if (entry.kind === "interrupt") this.#endTurn();
  }

  #works(): void {
    if (this.#turn !== undefined) this.#turn = { ...this.#turn, state: "works" };
  }

  /**
   * Ends a turn. The turn's files are listed only once, at its last end. If the turn continued after an earlier end, no
   * files are listed there.
   */
  #endTurn(): void {
    const turn = this.#turn;
    if (turn?.state !== "works") return;
    const { prompt, files: before } = turn;
    const key = `files-${prompt}`;
    if (before !== undefined) {
      this.#blocks[before] = { kind: "files", key: `${key}-${before}`, files: [], more: 0, of: prompt };
    }
    this.#turn = { prompt, state: "ended", files: this.#blocks.length };
    this.#files(prompt);
  }

  #files(of: EntryId): void {
    const key = `files-${of}`;
    const fill = this.#known.fills.get(key);
    const known = fill?.what === "files" ? fill.files : { files: undefined, more: 0 };
    this.#blocks.push({ kind: "files", key, of, ...known } satisfies FilesBlock);
  }

  #change(at: number, change: Partial<CallBlock>): void {
    const block = this.#blocks[at];
    if (block?.kind !== "call") return;
    const changed = { ...block, ...change };
    const { since, ...ended } = changed;
    this.#blocks[at] = changed.state === "running" && since !== undefined ? changed : ended;
  }
}

function countsOf(entry: LoggedCounts): LoggedCounts {
  const { restored, created, removed, merged, kept, notRestorable, failed } = entry;
  const apart = { created, removed, merged, notRestorable };
  return {
    restored,
    kept,
    failed,
    ...Object.fromEntries(Object.entries(apart).filter(([, count]) => count !== undefined)),
  };
}

/** Returns the data for an entry that is shown as one line, or undefined for entries that are not shown in this way. */
function happeningOf(entry: Entry): Happening | undefined {
  switch (entry.kind) {
    case "rewind":
      return { what: "rewind", to: entry.to, scope: entry.scope };
    case "redo":
      return { what: "redo", scope: entry.scope };
    case "compaction":
      return {
        what: "compaction",
        reason: entry.reason,
        before: entry.tokensBefore,
        after: undefined,
        summary: entry.summary,
      };
    case "interrupt":
      return { what: "interrupt", by: entry.by };
    case "title":
      return { what: "title", title: entry.title };
    default:
      return undefined;
  }
}
