import type { App } from "../../app/app.ts";
import type { AgentEvent } from "../../ports/agent-events.ts";
import type { Entry } from "../../record/entry.ts";
import {
  addBlock,
  fillCard,
  fillCompaction,
  fillFiles,
  fillLeft,
  hearEntry,
  initialTranscript,
  prependPage,
  type Unfilled,
  unfilled,
} from "../transcript/apply-entry.ts";
import type { Block } from "../transcript/block.ts";
import { oldestEntry, type Transcript } from "../transcript/transcript.ts";
import { type Board, hear } from "../view/view-state.ts";

/** How many entries are read at once: some screens full. */
const PAGE = 200;

const MOST_PAGE = 20_000;

/** How soon the status line follows what was written. */
const REFRESH_MS = 100;

interface FollowingParts {
  readonly board: Board;
  readonly now: () => number;
  /** For those who want to know what the agent tells as well. */
  readonly heard: (event: AgentEvent) => void;
  /** What goes wrong beside the person's doing. */
  readonly trouble: (error: unknown) => void;
}

/** Keeps the board true of one station: what its agent tells, what the timeline holds, what must be looked up. */
export class Following {
  readonly #parts: FollowingParts;
  #station: App | undefined;
  #stop: () => void = () => undefined;
  #refresh: NodeJS.Timeout | undefined;
  readonly #lookedUp = new Set<string>();
  /** For each page that is being read: the entries that were told meanwhile. */
  readonly #meanwhile = new Set<Entry[]>();
  /** Counts how often the conversation was read from the beginning: what belongs to an earlier one is too late. */
  #reading = 0;
  #nextPage = PAGE;

  constructor(parts: FollowingParts) {
    this.#parts = parts;
  }

  /** From now on this station's agent; what was there before is shown first. "said": with the notices that are on the screen. */
  async follow(station: App, keep: "said" | "nothing" = "nothing"): Promise<void> {
    this.#stop();
    this.#station = station;
    const { board, now, heard, trouble } = this.#parts;
    board.set({ model: station.model, doing: undefined });
    // Heard before the page is read, so that nothing is missed between the two.
    this.#stop = station.agent.on((event) => {
      board.change((view) => hear(view, event, now()));
      if (event.type === "entry") for (const told of this.#meanwhile) told.push(event.entry);
      if (event.type === "entry" && board.view.transcript.stale === "yes") this.reload().catch(trouble);
      heard(event);
      if (event.type === "entry" || event.type === "turn-end" || event.type === "files") this.refreshSoon();
    });
    await this.reload(keep);
  }

  async reload(keep: "said" | "nothing" = "nothing"): Promise<void> {
    const station = this.#station;
    if (station === undefined) return;
    this.#lookedUp.clear();
    this.#nextPage = PAGE;
    const told: Entry[] = [];
    this.#reading += 1;
    const reading = this.#reading;
    this.#meanwhile.add(told);
    try {
      const [{ entries, more }, todos] = await Promise.all([
        station.queries.page({ count: PAGE }),
        station.queries.todos(),
      ]);
      // What was told while the page was read may be missing in it; what is there already is passed over.
      const read = initialTranscript(entries, more);
      // Whoever began to read later has the last word.
      if (reading !== this.#reading) return;
      this.#parts.board.change((view) => {
        const said = keep === "said" ? saidIn(view.transcript) : [];
        const transcript = said.reduce(
          (shown, block) => addBlock(shown, (key) => ({ ...block, key })),
          told.reduce(hearEntry, read),
        );
        return { ...view, transcript, todos, scroll: 0 };
      });
    } finally {
      this.#meanwhile.delete(told);
    }
    await this.#refreshNow(station);
  }

  /** Reads what lies before, once the person has scrolled to where it begins. */
  async loadEarlier(): Promise<void> {
    const { board, trouble } = this.#parts;
    const station = this.#station;
    const { transcript } = board.view;
    if (station === undefined || transcript.earlier !== "yes") return;
    board.set({ transcript: { ...transcript, earlier: "loading" } });
    const reading = this.#reading;
    try {
      const before = oldestEntry(transcript);
      const count = this.#nextPage;
      // Whoever goes on up is soon there: each page costs building all that is loaded once more.
      this.#nextPage = Math.min(count * 2, MOST_PAGE);
      const page = await station.queries.page({ ...(before === undefined ? {} : { before }), count });
      if (reading !== this.#reading) return;
      board.change((view) => ({
        ...view,
        transcript: prependPage(view.transcript, page.entries, page.more),
      }));
    } catch (error) {
      board.change((view) => ({ ...view, transcript: { ...view.transcript, earlier: "no" } }));
      trouble(error);
    }
  }

  /** Looks up what these blocks do not know yet, each once. */
  lookUp(blocks: readonly Block[]): void {
    const station = this.#station;
    if (station === undefined) return;
    for (const wanted of unfilled(this.#parts.board.view.transcript, blocks)) {
      if (this.#lookedUp.has(wanted.key)) continue;
      this.#lookedUp.add(wanted.key);
      lookUp(station, wanted).then(
        (fill) => this.#parts.board.change((view) => ({ ...view, transcript: fill(view.transcript) })),
        () =>
          this.#parts.board.change((view) => ({
            ...view,
            transcript: lookedInVain(view.transcript, wanted),
          })),
      );
    }
  }

  refreshSoon(): void {
    const station = this.#station;
    if (station === undefined || this.#refresh !== undefined) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      void this.#refreshNow(station);
    }, REFRESH_MS);
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#refresh);
    this.#station = undefined;
  }

  async #refreshNow(station: App): Promise<void> {
    try {
      const timeline = await station.queries.state();
      if (this.#station === station) this.#parts.board.set({ timeline, model: station.model });
    } catch (error) {
      this.#parts.trouble(error);
    }
  }
}

/** What was said on the screen and is not on the timeline. */
function saidIn({ memory }: Transcript): readonly Block[] {
  return memory.story.flatMap((told) => ("block" in told ? [told.block] : []));
}

/** What cannot be looked up is left out of the view, as if it were not known; what a journey left, as if the log did not have it. */
function lookedInVain(transcript: Transcript, { what, key }: Unfilled): Transcript {
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
