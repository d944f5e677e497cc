import type { EntryId } from "../../src/record/ids.ts";

/** One item on a branch in the model's own terms. Items are distinguished by identity, never by content. */
export type Thing =
  | { readonly kind: "session" | "title" | "label" | "todos" }
  | { readonly kind: "interrupt"; readonly by: "person" | "crash" }
  | { readonly kind: "checkpoint" | "step"; readonly number: number }
  | { readonly kind: "prompt" | "notice"; readonly text: string }
  | { readonly kind: "reply"; readonly text: string; readonly calls: readonly string[] }
  | { readonly kind: "tool-start"; readonly call: string }
  | { readonly kind: "tool-end"; readonly call: string; readonly outcome: Outcome; readonly text: string }
  | { readonly kind: "rewind"; readonly to: number }
  | { readonly kind: "redo"; readonly revokes: "note" | "nothing" }
  | BacktrackThing
  | { readonly kind: "compaction"; readonly summary: string; readonly shown: readonly Thing[] };

export type Outcome = "ok" | "error" | "denied" | "interrupted";

export interface BacktrackThing {
  readonly kind: "backtrack";
  readonly to: number;
  readonly note: string;
  readonly prompts: readonly string[];
  readonly told: readonly string[];
  readonly moreTold: number;
  readonly times: number;
}

export type Things = readonly Thing[];

interface JourneyMade {
  readonly id: EntryId;
  readonly kind: "rewind" | "backtrack" | "redo";
  /**
   * The branch that it left; undefined if that branch stayed in the session from which this one was forked.
   */
  readonly left: Things | undefined;
  readonly thing: Thing;
  readonly undoes?: EntryId;
  /** What could be redone without an id when the journey was made. */
  readonly ahead: readonly JourneyMade[];
}

/** New work: a redo without an id would take these away. */
const WORK: ReadonlySet<Thing["kind"]> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-start",
  "checkpoint",
  "compaction",
]);

/**
 * The simplest possible model of a session: going back means taking out an old list. It knows nothing of
 * parents, lines or outlines.
 */
export class Model {
  branch: Things = [{ kind: "session" }];
  readonly places: Map<number, Things> = new Map();
  readonly journeys: JourneyMade[] = [];
  readonly backtracks: BacktrackThing[] = [];
  /**
   * The journeys that redos without an id undo, the last one first; as in an editor, new work clears them.
   */
  ahead: readonly JourneyMade[] = [];
  highest = 0;
  /**
   * Prompts, answers and results since the last backtrack that count as work, and the results of the
   * backtracks' own calls.
   */
  work = 0;
  ownResults = 0;

  add(...things: Things): void {
    this.branch = [...this.branch, ...things];
    if (things.some(({ kind }) => WORK.has(kind))) this.ahead = [];
    this.work += things.filter(isProgress).length;
  }

  addPlace(kind: "checkpoint" | "step"): number {
    this.highest += 1;
    this.add({ kind, number: this.highest });
    this.places.set(this.highest, this.branch);
    return this.highest;
  }

  /** Makes a journey: the old branch is kept, and the new one is an older list with the journey appended. */
  go(to: Things, thing: Thing, made: Pick<JourneyMade, "id" | "undoes">): void {
    const kind = thing.kind as JourneyMade["kind"];
    this.#made({ kind, left: this.branch, thing, ...made, ahead: this.ahead });
    this.branch = [...to, thing];
  }

  /**
   * Records a journey. After a redo, whatever could be redone before the undone journey can be redone again.
   */
  #made(journey: JourneyMade): void {
    const undone = this.journeys.find(({ id }) => id === journey.undoes);
    this.journeys.push(journey);
    if (journey.kind === "redo") this.ahead = undone?.ahead ?? [];
    else this.ahead = [...this.ahead, journey];
  }

  /** Whether the journey was undone by a redo that is still in effect. */
  isUndone(id: EntryId): boolean {
    return this.journeys.some((journey) => journey.undoes === id && !this.isUndone(journey.id));
  }

  /** Simulates a dead process: its successor records the interrupted turn, once. */
  cut(): void {
    const start = this.branch.findLastIndex(({ kind }) => kind === "step" || kind === "reply");
    const open = new Set<string>();
    for (const thing of this.branch.slice(Math.max(0, start))) {
      if (thing.kind === "tool-start") open.add(thing.call);
      if (thing.kind === "tool-end") open.delete(thing.call);
    }
    if (open.size > 0 && this.branch.at(-1)?.kind !== "interrupt")
      this.add({ kind: "interrupt", by: "crash" });
  }

  isAt(number: number): boolean {
    const last = this.branch.at(-1)?.kind === "rewind" ? this.branch.at(-2) : this.branch.at(-1);
    return last !== undefined && last === this.places.get(number)?.at(-1);
  }

  /** Whether the agent may backtrack to this checkpoint. */
  mayGoBackTo(number: number, note: string): boolean {
    const step = this.places.get(number)?.at(-1);
    const index = step?.kind === "step" ? this.branch.indexOf(step) : -1;
    if (index === -1 || this.branch.slice(index).some((thing) => thing.kind === "compaction")) return false;
    if (this.backtracks.length > 0 && this.work === 0) return false;
    return !this.backtracks.some((earlier) => earlier.to === number && earlier.note === note);
  }

  backtrackTo(number: number, note: string): BacktrackThing {
    const since = this.branch.slice(this.places.get(number)?.length);
    return {
      kind: "backtrack",
      to: number,
      note,
      prompts: since.flatMap((thing) => {
        return thing.kind === "prompt" ? [thing.text] : thing.kind === "backtrack" ? thing.prompts : [];
      }),
      ...toldSince(since),
      times: this.backtracks.filter((earlier) => earlier.to === number).length + 1,
    };
  }

  /**
   * What is in the context now, apart from the summary: everything, or what the last compaction kept and what
   * came after it.
   */
  shown(): Things {
    const last = this.branch.findLastIndex((thing) => thing.kind === "compaction");
    const compaction = this.branch[last];
    if (compaction?.kind !== "compaction") return this.branch;
    return [...compaction.shown, ...this.branch.slice(last + 1)];
  }

  /** A fork: a separate session with a copy of the branch up to a place. */
  fork(branch: Things): Model {
    const fork = new Model();
    fork.highest = this.highest;
    fork.branch = branch.filter((thing) => thing.kind !== "label" && thing.kind !== "title");
    for (const [index, thing] of fork.branch.entries()) {
      if (thing.kind === "checkpoint" || thing.kind === "step") {
        fork.places.set(thing.number, fork.branch.slice(0, index + 1));
      }
      if (thing.kind === "backtrack") fork.backtracks.push(thing);
      if (WORK.has(thing.kind)) fork.ahead = [];
      const made = this.journeys.find((journey) => journey.thing === thing);
      if (made !== undefined) fork.#made({ ...made, left: undefined, ahead: fork.ahead });
    }
    const last = fork.branch.findLastIndex((thing) => thing.kind === "backtrack");
    fork.work = fork.branch
      .slice(last + 1)
      .filter((thing) => thing.kind === "tool-end" || isProgress(thing)).length;
    return fork;
  }
}

/** A prompt or an answer. */
function isProgress(thing: Thing): boolean {
  if (thing.kind === "reply") return thing.calls.length === 0 && thing.text.trim() !== "";
  return thing.kind === "prompt";
}

/**
 * The answers to each prompt, oldest first: if another prompt followed, the last reply before it is the
 * answer.
 */
function toldSince(since: Things): Pick<BacktrackThing, "told" | "moreTold"> {
  const turns: { text: string }[][] = [[]];
  const say = (...texts: readonly string[]) => turns.at(-1)?.push(...texts.map((text) => ({ text })));
  let more = 0;
  for (const thing of since) {
    if (thing.kind === "prompt") turns.push([]);
    if (thing.kind === "reply" && thing.text !== "") say(thing.text);
    if (thing.kind !== "backtrack") continue;
    say(...thing.told.slice(0, 1));
    for (const _prompt of thing.prompts) turns.push([]);
    say(...thing.told.slice(1));
    more += thing.moreTold;
  }
  const all = turns.flat();
  const ended = turns.slice(
    0,
    turns.findLastIndex((turn) => turn.length > 0),
  );
  const answers = ended.flatMap((turn) => turn.slice(-1));
  const first = ended[0]?.slice(-1) ?? [];
  const rest = all.filter((one) => !first.includes(one));
  const room = 5 - first.length;
  const answered = rest.filter((one) => answers.includes(one)).slice(-room);
  const others = rest.filter((one) => !answers.includes(one));
  const kept = [
    ...answered,
    ...others.slice(others.length - Math.min(others.length, room - answered.length)),
  ];
  const told = [...first, ...rest.filter((one) => kept.includes(one))];
  return { told: told.map(({ text }) => text), moreTold: more + all.length - told.length };
}
