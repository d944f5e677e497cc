import { expect } from "vitest";
import { forkSession } from "../../src/machine/journeys/fork.ts";
import { createSession, holdSession } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import { isWorldlineError } from "../../src/record/error.ts";
import type { EntryId, SessionId } from "../../src/record/ids.ts";
import type { ReplyPart } from "../../src/record/parts.ts";
import type { Action } from "./actions.ts";
import { expectSame, type Head, headOf, toldHistory } from "./compare.ts";
import { Model, type Thing, type Things } from "./model.ts";
import { answersIn } from "./render.ts";
import type { World } from "./worlds.ts";

const holding = { name: "a story" };

/** A story being played: the real session, the model next to it, and every head that was ever reached. */
export class Play {
  readonly world: World;
  readonly heads: Map<SessionId, Head[]> = new Map();
  session!: Session;
  model = new Model();
  /** The request of each step, byte for byte. */
  readonly sent: Map<number, string> = new Map();
  #calls = 0;

  constructor(world: World) {
    this.world = world;
  }

  async begin(): Promise<void> {
    this.session = await createSession(this.world.deps, { workspace: "/work", system: "Be brief." }, holding);
    await this.look();
  }

  async play(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      await this.act(action);
      await this.look();
    }
  }

  /** Compares the session with the model, and remembers the head. */
  async look(): Promise<void> {
    await expectSame(this.session, this.model);
    const heads = this.heads.get(this.session.id) ?? [];
    heads.push(await headOf(this.session, this.session.outline.head));
    this.heads.set(this.session.id, heads);
  }

  async act(action: Action): Promise<void> {
    const { session, model } = this;
    switch (action.do) {
      case "prompt":
        model.addPlace("checkpoint");
        model.add({ kind: "prompt", text: action.text });
        await session.prompt(action.text);
        break;
      case "step":
        await this.#step();
        break;
      case "reply":
        await this.#reply(action.text, action.calls);
        break;
      case "exchange":
        await this.#step();
        await this.#reply(action.text, [action.call]);
        await this.#end(action.call, "ok", action.text);
        break;
      case "end":
        await this.#end(action.call, action.outcome, action.text);
        break;
      case "rewind":
        await this.#rewind(action.pick);
        break;
      case "redo":
        await this.#redo(action);
        break;
      case "wander":
        await this.#wander(action);
        break;
      case "backtrack":
        await this.#backtrack(action);
        break;
      case "compact":
        await this.#compact(action);
        break;
      case "fork":
        await this.#fork(action);
        break;
      case "restart":
        this.session = await this.world.reopen(session);
        this.#forgetCalls();
        break;
      case "crash":
        this.session = await this.world.crash(session);
        // A dead process leaves its lock behind, except in the memory world, where its owner vanishes without
        // a trace.
        if (this.session.takenFrom !== undefined) model.cut();
        this.#forgetCalls();
        break;
      default:
        await this.#remark(action);
    }
  }

  async #remark(action: Exclude<Action, { do: "prompt" }>): Promise<void> {
    const { session, model } = this;
    switch (action.do) {
      case "notice":
        model.add({ kind: "notice", text: action.text });
        await session.append({ kind: "notice", text: action.text });
        break;
      case "burst":
        await this.#burst(action.count);
        break;
      case "start":
        model.add({ kind: "tool-start", call: action.call });
        await session.toolStart(action.call, "read");
        break;
      case "checkpoint":
        expect(await session.checkpoint()).toBe(model.addPlace("checkpoint"));
        break;
      case "label": {
        const number = this.#pickPlace(action.pick);
        if (number === undefined) break;
        model.add({ kind: "label" });
        await session.label(number, `label ${action.pick}`);
        break;
      }
      case "title":
        model.add({ kind: "title" });
        await session.retitle("a title");
        break;
      case "todos":
        model.add({ kind: "todos" });
        await session.todos([{ text: "a todo", status: "open" }]);
        break;
      case "interrupt":
        model.add({ kind: "interrupt", by: "person" });
        await session.interrupt();
        break;
      default:
        throw new Error(`nobody plays ${action.do}`);
    }
  }

  /** Each append begins one microtask after the previous one, so some meet a write in progress. */
  async #burst(count: number): Promise<void> {
    const written: Promise<unknown>[] = [];
    for (let n = 0; n < count; n += 1) {
      this.model.add({ kind: "notice", text: `burst ${n}` });
      written.push(this.session.append({ kind: "notice", text: `burst ${n}` }));
      await Promise.resolve();
    }
    await Promise.all(written);
  }

  async #step(): Promise<void> {
    const number = this.model.addPlace("step");
    expect(await this.session.step()).toBe(number);
    this.sent.set(number, JSON.stringify((await this.session.context()).messages));
  }

  async #reply(text: string, calls: readonly string[]): Promise<void> {
    const said: ReplyPart[] = text === "" ? [] : [{ type: "text", text }];
    const made = calls.map((call): ReplyPart => ({ type: "tool-call", call, name: "read", input: {} }));
    this.model.add({ kind: "reply", text, calls });
    await this.session.reply({ model: "m", parts: [...said, ...made] });
  }

  async #end(call: string, outcome: Extract<Action, { do: "end" }>["outcome"], text: string): Promise<void> {
    this.model.add({ kind: "tool-end", call, outcome, text });
    this.model.work += 1;
    await this.session.toolEnd(call, outcome, text);
  }

  async #rewind(pick: number): Promise<void> {
    const number = this.#pickPlace(pick);
    if (number === undefined) return;
    const isThere = this.model.isAt(number);
    const { done, refused } = await outcomeOf(this.session.rewind(number));
    expect(refused).toBe(isThere ? "REWIND_REFUSED" : undefined);
    if (done === undefined) return;
    const place = this.model.places.get(number) ?? [];
    this.model.go(place, { kind: "rewind", to: number }, { id: done.journey });
  }

  async #redo(action: Extract<Action, { do: "redo" }>): Promise<void> {
    const { model } = this;
    const any = model.journeys[action.pick % Math.max(1, model.journeys.length)];
    const isNamed = action.which === "any" && any !== undefined;
    const wanted = isNamed ? any : model.ahead.at(-1);
    const { done, refused } = await outcomeOf(this.session.redo(isNamed ? any.id : undefined));
    if (wanted === undefined || (isNamed && model.isUndone(any.id))) expect(refused).toBe("NOTHING_TO_REDO");
    else if (wanted.left === undefined) expect(refused).toBe("JOURNEY_UNKNOWN");
    else {
      if (done === undefined) throw new Error(`the redo was refused: ${refused}`);
      expect(done.undone).toBe(wanted.id);
      const revokes = wanted.kind === "backtrack" ? "note" : "nothing";
      model.go(wanted.left, { kind: "redo", revokes }, { id: done.journey, undoes: wanted.id });
    }
  }

  /** Several rewinds and then several redos, with nothing in between. */
  async #wander({ picks, redos }: Extract<Action, { do: "wander" }>): Promise<void> {
    for (const pick of picks) {
      await this.#rewind(pick);
      await this.look();
    }
    for (let n = 0; n < redos; n += 1) {
      await this.#redo({ do: "redo", pick: 0, which: "newest" });
      await this.look();
    }
  }

  async #backtrack(action: Extract<Action, { do: "backtrack" }>): Promise<void> {
    const { session, model } = this;
    const to = this.#pickPlace(action.pick);
    if (to === undefined) return;
    const call = `back${this.#calls++}`;
    await this.#reply(action.text, [call]);
    const mayGo = model.mayGoBackTo(to, action.note);
    const answer = await session.requestBacktrack(call, { to, note: action.note, files: "keep" });
    expect(answer.status).toBe(mayGo ? "filed" : "refused");
    if (answer.status === "refused") {
      model.add({ kind: "tool-end", call, outcome: "error", text: answer.message });
      model.ownResults += 1;
      await session.toolEnd(call, "error", answer.message);
      return;
    }
    const thing = model.backtrackTo(to, action.note);
    model.add({ kind: "tool-end", call, outcome: "ok", text: `Going back to checkpoint ${to}.` });
    const end = await session.endStep();
    if (end.status !== "carried-out") throw new Error(`the backtrack was ${end.status}`);
    model.go(model.places.get(to) ?? [], thing, { id: end.journey });
    model.backtracks.push(thing);
    model.work = 0;
    model.ownResults = 0;
    await this.#expectWarm(to);
  }

  /** Figure 2: the request's prefix up to the target matches an earlier request byte for byte. */
  async #expectWarm(to: number): Promise<void> {
    const sent = this.sent.get(to) ?? "[]";
    const { messages, breakpoints } = await this.session.context();
    const prefix = messages.slice(0, -1);
    expect(JSON.stringify(prefix)).toBe(sent);
    expect(breakpoints).toContain(prefix.length - 1);
  }

  async #compact(action: Extract<Action, { do: "compact" }>): Promise<void> {
    const { session, model } = this;
    const before = model.shown();
    const summary = `summary ${action.text}`;
    const { done, refused } = await outcomeOf(session.compact({ summary, keep: action.keep }));
    const replies = before.filter((thing) => thing.kind === "reply").length;
    if (done === undefined) {
      expect(refused).toBe("NOTHING_TO_COMPACT");
      return;
    }
    expect(replies).toBeGreaterThan(Math.max(1, action.keep));
    const shown = await this.#shownAfter(done, before);
    expectSoundCut(before, shown, Math.max(1, action.keep));
    model.add({ kind: "compaction", summary, shown });
  }

  /** The items that the compaction left in the context, found through the entries that it names. */
  async #shownAfter(id: EntryId, before: Things): Promise<Things> {
    const history = await toldHistory(this.session);
    const compaction = history.find((entry) => entry.id === id);
    if (compaction?.kind !== "compaction") throw new Error("the compaction is not on the branch");
    const thingOf = (wanted: EntryId): Thing | undefined =>
      this.model.branch[history.findIndex((entry) => entry.id === wanted)];
    const start = before.indexOf(thingOf(compaction.firstKept) as Thing);
    const pinned = compaction.pinned.map((one) => thingOf(one) as Thing);
    return [...pinned, ...before.slice(start)];
  }

  async #fork(action: Extract<Action, { do: "fork" }>): Promise<void> {
    const { session, model, world } = this;
    const number = action.where === "checkpoint" ? this.#pickPlace(action.pick) : undefined;
    const id = await forkSession(world.deps, session, number === undefined ? {} : { at: number });
    const fork = await holdSession(world.deps, id, holding);
    const forked = model.fork((number === undefined ? undefined : model.places.get(number)) ?? model.branch);
    const names = (await toldHistory(fork)).slice(forked.branch.length);
    forked.add(...names.map((entry): Thing => ({ kind: entry.kind === "label" ? "label" : "title" })));
    expect(names.every((entry) => entry.kind === "label" || entry.kind === "title")).toBe(true);
    await expectSame(fork, forked);
    if (action.next === "stay") {
      this.heads.set(id, [await headOf(fork, fork.outline.head)]);
      await fork.close();
      return;
    }
    await session.close();
    this.session = fork;
    this.model = forked;
  }

  #forgetCalls(): void {
    this.model.work += this.model.ownResults;
    this.model.ownResults = 0;
  }

  #pickPlace(pick: number): number | undefined {
    const numbers = [...this.model.places.keys()];
    return numbers[pick % Math.max(1, numbers.length)];
  }
}

/** The result of a journey, or the code of its refusal. */
async function outcomeOf<Result>(act: Promise<Result>): Promise<{ done?: Result; refused?: string }> {
  try {
    return { done: await act };
  } catch (error) {
    if (isWorldlineError(error)) return { refused: error.code };
    throw error;
  }
}

/**
 * Checks that the last exchanges and the last prompt are still in the context, and that each call is there
 * with all of its results or not at all.
 */
function expectSoundCut(before: Things, shown: Things, keep: number): void {
  const replies = before.filter((thing) => thing.kind === "reply");
  for (const reply of replies.slice(-keep)) expect(shown).toContain(reply);
  const asks = (thing: Thing): boolean =>
    thing.kind === "prompt" || (thing.kind === "backtrack" && thing.prompts.length > 0);
  const lastAsk = before.findLast(asks);
  if (lastAsk !== undefined) expect(shown).toContain(lastAsk);
  for (const [key, result] of answersIn(before)) {
    const reply = before[Number(key.split("/")[0])] as Thing;
    expect(shown.includes(result)).toBe(shown.includes(reply));
  }
  expect(new Set(shown).size).toBe(shown.length);
}
