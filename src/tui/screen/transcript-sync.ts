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

/** How many entries are read at once: some screens full. */
const PAGE = 200;

const MAX_PAGE = 20_000;

/** How soon the status line follows what was written. */
const REFRESH_MS = 100;

interface TranscriptSyncDeps {
  readonly store: ViewStore;
  readonly now: () => number;
  /** Called after each event of the agent has been applied. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Called for failures that no command of the user's caused. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the view in sync with the app: what its agent tells, what the timeline holds, what must be looked up. */
export class TranscriptSync {
  readonly #parts: TranscriptSyncDeps;
  #app: App | undefined;
  #stop: () => void = () => undefined;
  #refresh: NodeJS.Timeout | undefined;
  readonly #lookedUp = new Set<string>();
  /** For each page that is being read: the entries that were told meanwhile. */
  readonly #meanwhile = new Set<Entry[]>();
  /** Counts how often the conversation was read from the beginning: what belongs to an earlier one is too late. */
  #reading = 0;
  #nextPage = PAGE;

  constructor(parts: TranscriptSyncDeps) {
    this.#parts = parts;
  }

  /** From now on this app's agent; what was there before is shown first. "said": with the notices that are on the screen. */
  async follow(app: App, keep: "said" | "nothing" = "nothing"): Promise<void> {
    this.#stop();
    this.#app = app;
    const { store, now, onEvent: heard, onError: trouble } = this.#parts;
    store.set({ model: app.model, doing: undefined });
    // Heard before the page is read, so that nothing is missed between the two.
    this.#stop = app.agent.on((event) => {
      store.update((view) => applyEventToView(view, event, now()));
      if (event.type === "entry") for (const told of this.#meanwhile) told.push(event.entry);
      if (event.type === "entry" && store.view.transcript.stale === "yes") this.reload().catch(trouble);
      heard(event);
      if (event.type === "entry" || event.type === "turn-end" || event.type === "files") this.refreshSoon();
    });
    await this.reload(keep);
  }

  async reload(keep: "said" | "nothing" = "nothing"): Promise<void> {
    const app = this.#app;
    if (app === undefined) return;
    this.#lookedUp.clear();
    this.#nextPage = PAGE;
    const told: Entry[] = [];
    this.#reading += 1;
    const reading = this.#reading;
    this.#meanwhile.add(told);
    try {
      const [{ entries, more }, todos] = await Promise.all([
        app.queries.page({ count: PAGE }),
        app.queries.todos(),
      ]);
      // What was told while the page was read may be missing in it; what is there already is passed over.
      const read = initialTranscript(entries, more);
      // A later read supersedes this one.
      if (reading !== this.#reading) return;
      this.#parts.store.update((view) => {
        const said = keep === "said" ? noticesIn(view.transcript) : [];
        const transcript = said.reduce(
          (shown, block) => addBlock(shown, (key) => ({ ...block, key })),
          told.reduce(applyEntry, read),
        );
        return { ...view, transcript, todos, scroll: 0 };
      });
    } finally {
      this.#meanwhile.delete(told);
    }
    await this.#refreshNow(app);
  }

  /** Reads what lies before, once the user has scrolled to where it begins. */
  async loadEarlier(): Promise<void> {
    const { store, onError: trouble } = this.#parts;
    const app = this.#app;
    const { transcript } = store.view;
    if (app === undefined || transcript.earlier !== "yes") return;
    store.set({ transcript: { ...transcript, earlier: "loading" } });
    const reading = this.#reading;
    try {
      const before = oldestEntry(transcript);
      const count = this.#nextPage;
      // Pages grow, because each one rebuilds all that is loaded.
      this.#nextPage = Math.min(count * 2, MAX_PAGE);
      const page = await app.queries.page({ ...(before === undefined ? {} : { before }), count });
      if (reading !== this.#reading) return;
      store.update((view) => ({
        ...view,
        transcript: prependPage(view.transcript, page.entries, page.more),
      }));
    } catch (error) {
      store.update((view) => ({ ...view, transcript: { ...view.transcript, earlier: "no" } }));
      trouble(error);
    }
  }

  /** Looks up what these blocks do not know yet, each once. */
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

/** What was said on the screen and is not on the timeline. */
function noticesIn({ memory }: Transcript): readonly Block[] {
  return memory.story.flatMap((told) => ("block" in told ? [told.block] : []));
}

/** What cannot be looked up is left out of the view, as if it were not known; what a journey left, as if the log did not have it. */
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
