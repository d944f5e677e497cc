import type { App } from "../../app/app.ts";
import type { AgentEvent } from "../../ports/agent-events.ts";
import type { Entry } from "../../record/entry.ts";
import {
  addBlock,
  applyEntry,
  fillCard,
  fillCompaction,
  fillFiles,
  fillLeft,
  initialTranscript,
  prependPage,
  type Unfilled,
  unfilled,
} from "../transcript/apply-entry.ts";
import type { Block } from "../transcript/block.ts";
import { oldestEntry, type Transcript } from "../transcript/transcript.ts";
import { applyEventToView, type ViewStore } from "../view/view-state.ts";

/** Number of entries to read at once. This is enough for a few screens. */
const PAGE = 200;

const MAX_PAGE = 20_000;

/** Delay before the status line is updated after an entry is written. */
const REFRESH_MS = 100;

interface TranscriptSyncDeps {
  readonly store: ViewStore;
  readonly now: () => number;
  /** Called with each of the agent's events after it has been applied. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Called with errors that were not caused by a user's command. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the view in sync with the app: with events from its agent, entries from the timeline, and lookup results. */
export class TranscriptSync {
  readonly #parts: TranscriptSyncDeps;
  #app: App | undefined;
  #stop: () => void = () => undefined;
  #refresh: NodeJS.Timeout | undefined;
  readonly #lookedUp = new Set<string>();
  /** For each page that is being read, the entries that the agent has emitted since reading began. */
  readonly #meanwhile = new Set<Entry[]>();
  /**
   * Counts how many times the conversation has been read from the beginning, so that results of an earlier read can be
   * discarded.
   */
  #reading = 0;
  #nextPage = PAGE;

  constructor(parts: TranscriptSyncDeps) {
    this.#parts = parts;
  }

  /** Shows the existing entries and then follows this app's agent. "said" keeps the notices that are on the screen. */
  async follow(app: App, keep: "said" | "nothing" = "nothing"): Promise<void> {
    this.#stop();
    this.#app = app;
    const { store, now, onEvent, onError } = this.#parts;
    store.set({ model: app.model, doing: undefined });
    // The events are subscribed to before the page is read, so that no event is missed.
    this.#stop = app.agent.on((event) => {
      store.update((view) => applyEventToView(view, event, now()));
      if (event.type === "entry") for (const entries of this.#meanwhile) entries.push(event.entry);
      if (event.type === "entry" && store.view.transcript.stale === "yes") this.reload().catch(onError);
      onEvent(event);
      if (event.type === "entry" || event.type === "turn-end" || event.type === "files") this.refreshSoon();
    });
    await this.reload(keep);
  }

  async reload(keep: "said" | "nothing" = "nothing"): Promise<void> {
    const app = this.#app;
    if (app === undefined) return;
    this.#lookedUp.clear();
    this.#nextPage = PAGE;
    const meanwhile: Entry[] = [];
    this.#reading += 1;
    const reading = this.#reading;
    this.#meanwhile.add(meanwhile);
    try {
      const [{ entries, more }, todos] = await Promise.all([
        app.queries.page({ count: PAGE }),
        app.queries.todos(),
      ]);
      // Entries that were emitted while the page was being read may be missing from it, so they are added. Entries that
      // the page already contains are skipped.
      const read = initialTranscript(entries, more);
      // A later read has replaced this one.
      if (reading !== this.#reading) return;
      this.#parts.store.update((view) => {
        const said = keep === "said" ? noticesIn(view.transcript) : [];
        const transcript = said.reduce(
          (shown, block) => addBlock(shown, (key) => ({ ...block, key })),
          meanwhile.reduce(applyEntry, read),
        );
        return { ...view, transcript, todos, scroll: 0 };
      });
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
    await this.#refreshNow(app);
  }

  /** Reads earlier entries once the user has scrolled to the first one that is loaded. */
  async loadEarlier(): Promise<void> {
    const { store, onError } = this.#parts;
    const app = this.#app;
    const { transcript } = store.view;
    if (app === undefined || transcript.earlier !== "yes") return;
    store.set({ transcript: { ...transcript, earlier: "loading" } });
    const reading = this.#reading;
    try {
      const before = oldestEntry(transcript);
      const count = this.#nextPage;
      // Each page is larger than the last one, because all loaded blocks are rebuilt each time.
      this.#nextPage = Math.min(count * 2, MAX_PAGE);
      const page = await app.queries.page({ ...(before === undefined ? {} : { before }), count });
      if (reading !== this.#reading) return;
      store.update((view) => ({
        ...view,
        transcript: prependPage(view.transcript, page.entries, page.more),
      }));
    } catch (error) {
      store.update((view) => ({ ...view, transcript: { ...view.transcript, earlier: "no" } }));
      onError(error);
    }
  }

  /** Looks up the data that these blocks still need, each item only once. */
  lookUp(blocks: readonly Block[]): void {
    const app = this.#app;
    if (app === undefined) return;
    for (const wanted of unfilled(this.#parts.store.view.transcript, blocks)) {
      if (this.#lookedUp.has(wanted.key)) continue;
      this.#lookedUp.add(wanted.key);
      lookUp(app, wanted).then(
        (fill) => this.#parts.store.update((view) => ({ ...view, transcript: fill(view.transcript) })),
        () =>
          this.#parts.store.update((view) => ({
            ...view,
            transcript: fillFailed(view.transcript, wanted),
          })),
      );
    }
  }

  refreshSoon(): void {
    const app = this.#app;
    if (app === undefined || this.#refresh !== undefined) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      void this.#refreshNow(app);
    }, REFRESH_MS);
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#refresh);
    this.#app = undefined;
  }

  async #refreshNow(app: App): Promise<void> {
    try {
      const timeline = await app.queries.state();
      if (this.#app === app) this.#parts.store.set({ timeline, model: app.model });
    } catch (error) {
      this.#parts.onError(error);
    }
  }
}

/** Returns the blocks that are not on the timeline. */
function noticesIn({ memory }: Transcript): readonly Block[] {
  return memory.story.flatMap((item) => ("block" in item ? [item.block] : []));
}

/**
 * Marks the result of a failed lookup as unknown, so that nothing is shown. Entries that a journey left behind are
 * treated as if the log did not contain them.
 */
function fillFailed(transcript: Transcript, { what, key }: Unfilled): Transcript {
  return what === "left" ? fillLeft(transcript, key, undefined) : transcript;
}

async function lookUp({ queries }: App, wanted: Unfilled): Promise<(transcript: Transcript) => Transcript> {
  if (wanted.what === "files") {
    const files = await queries.filesOfTurn(wanted.of);
    return (transcript) => fillFiles(transcript, wanted.key, files);
  }
  if (wanted.what === "compaction") {
    const after = await queries.compactedTo(wanted.compaction);
    return (transcript) => fillCompaction(transcript, wanted.key, after);
  }
  if (wanted.what === "left") {
    const entries = await queries.leftPart(wanted.journey);
    return (transcript) => fillLeft(transcript, wanted.key, entries);
  }
  const left = await queries.leftBehind(wanted.journey);
  return (transcript) => fillCard(transcript, wanted.key, left);
}
