import { systemClock } from "../../../src/disk/system-clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";

const EVER = toSeq(1_000_000);

/** A session that is written to continuously, whatever happens to the server. */
export class Writing {
  readonly story: Story;
  readonly #store: LogStore;
  readonly #url: string;
  readonly #acknowledged: Entry[] = [];

  constructor(url: string, number: number) {
    this.story = new Story(sessionNumber(number));
    this.#url = url;
    this.#store = openPostgresStore({ url, clock: systemClock, patienceMs: 30_000 });
  }

  async begin(): Promise<void> {
    const first = this.story.begin();
    await this.#store.create(first);
    this.#acknowledged.push(first);
  }

  /** Appends one to three entries. */
  async append(): Promise<void> {
    const { length } = this.#acknowledged;
    const entries = Array.from({ length: 1 + (length % 3) }, () => this.story.prompt(`after ${length}`));
    await this.#store.append(this.story.session, entries[0]?.seq ?? toSeq(0), entries);
    this.#acknowledged.push(...entries);
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Compares, at the end, what was acknowledged with what another program reads. */
  async judge(): Promise<WritingReport> {
    await this.#store.close();
    const store = openPostgresStore({ url: this.#url, clock: systemClock });
    const { session } = this.story;
    const found = (await store.read(session, toSeq(1), EVER)).map(({ seq, id }) => `${seq} ${id}`);
    const damage = await store.verify(session);
    await store.close();
    const there = new Set(found);
    const wanted = this.#acknowledged.map(({ seq, id }) => `${seq} ${id}`);
    return {
      acknowledged: wanted.length,
      lost: wanted.filter((each) => !there.has(each)).length,
      doubled: found.length - wanted.length,
      damage: damage.length,
    };
  }
}

export interface WritingReport {
  readonly acknowledged: number;
  readonly lost: number;
  /** Entries beyond those acknowledged. There must be none, because each append was awaited. */
  readonly doubled: number;
  readonly damage: number;
}

export function sumOf(reports: readonly WritingReport[]): WritingReport {
  const sum = (field: keyof WritingReport): number =>
    reports.reduce((total, report) => total + report[field], 0);
  return {
    acknowledged: sum("acknowledged"),
    lost: sum("lost"),
    doubled: sum("doubled"),
    damage: sum("damage"),
  };
}
