import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { forkSession } from "../../src/machine/journeys/fork.ts";
import { holdSession } from "../../src/machine/open.ts";
import type { EntryId, SessionId } from "../../src/record/ids.ts";
import type { Context } from "../../src/timeline/context/context.ts";
import { branchOf } from "../../src/timeline/outline.ts";
import type { Performance } from "./performance.ts";
import { script } from "./script.ts";

const ENOUGH = 25;
/** A fragment of a line, such as a power failure may leave. */
const TORN = '{"seq":99,"id":"0000000000aa","parent":"00000000';

/** The agent reads far too much, and then backtracks to a checkpoint before that, with a note to itself. */
export async function deadEnd(play: Performance): Promise<void> {
  const { session, strings } = play;
  const { exchanges } = script;
  const { checkpoint } = await session.prompt(script.leak);
  play.act(strings.prompted(checkpoint, script.leak));

  const step = await session.step();
  const sent = contextBytes(await session.context());
  const call = await play.call(exchanges.readLog);
  await session.toolEnd(call, "ok", exchanges.readLog.result);
  await play.exchange(exchanges.readHeap);
  const before = session.tokenCount;
  play.act(strings.readTooMuch(exchanges.readLog.result.length + exchanges.readHeap.result.length, before));

  play.rememberBranch();
  await session.step();
  const input = { checkpoint_id: step, note: script.note };
  const backtrack = await play.call({ say: "Only one line of this matters.", tool: "Backtrack", input });
  const answer = await session.requestBacktrack(backtrack, { to: step, note: script.note, files: "keep" });
  const end = await session.endStep();
  const after = session.tokenCount;
  const now = contextBytes(await session.context());
  play.act(strings.backtracked(step, script.note));
  play.claim({
    claim: strings.claims.backtrack,
    found: `${answer.status}, ${end.status}`,
    holds: end.status === "carried-out",
  });
  play.claim({
    claim: strings.claims.tokens,
    found: strings.found.tokens(before, after),
    holds: after < before,
  });
  play.claim({
    claim: strings.claims.prefix,
    found: strings.found.bytes(sent.length),
    holds: isPrefix(sent, now) && now.length > sent.length,
  });

  await play.exchange(exchanges.fix);
  await session.reply({
    model: script.model,
    parts: [{ type: "text", text: "The leak is fixed in src/pool.ts:41." }],
  });
}

/**
 * The conversation is compacted; the user rewinds to a point before that, tries something else, and undoes the rewind
 * with redo.
 */
export async function changesOfMind(play: Performance): Promise<void> {
  const { session, strings } = play;
  const { exchanges } = script;
  const asked = await session.prompt(script.test);
  const uncompacted = contextBytes(await session.context(asked.checkpoint));
  for (const exchange of [exchanges.look, exchanges.write, exchanges.run]) await play.exchange(exchange);
  const before = session.tokenCount;
  await session.compact({ summary: script.summary, keep: 1 });
  await session.reply({
    model: script.model,
    parts: [{ type: "text", text: "The test fails without the fix." }],
  });
  play.act(strings.compacted(asked.checkpoint, before, session.tokenCount));

  const left = contextBytes(await session.context());
  play.rememberBranch();
  const rewound = await session.rewind(asked.checkpoint);
  const back = contextBytes(await session.context());
  play.act(strings.rewound(asked.checkpoint, rewound.promptStart));
  play.claim({
    claim: strings.claims.uncompacted,
    found: strings.found.bytes(uncompacted.length),
    holds: back.equals(uncompacted),
  });

  const other = await session.prompt(script.otherTest);
  await play.exchange(exchanges.changelog);
  play.act(strings.triedElse(other.checkpoint, script.otherTest));

  play.rememberBranch();
  // There is new work since the rewind, so a redo without an id would find nothing to redo. Name the journey instead.
  await session.redo(rewound.journey);
  play.act(strings.redone);
  const again = contextBytes(await session.context());
  play.claim({
    claim: strings.claims.redone,
    found: strings.found.bytes(left.length),
    holds: again.equals(left),
  });
}

/** A second session is forked at the first prompt of this one. */
export async function forked(play: Performance): Promise<SessionId> {
  const { session, stage, strings } = play;
  const before = stage.log(session.id);
  const at = session.outline.ofKind("checkpoint")[1]?.number ?? 1;
  const id = await forkSession(stage.deps, session, { at });
  const fork = await stage.look(id);
  play.act(strings.forked(id, at));
  const [there, here] = [contextBytes(await fork.context()), contextBytes(await session.context(at))];
  play.claim({
    claim: strings.claims.forked,
    found: strings.found.bytes(there.length),
    holds: there.equals(here),
  });
  play.claim({
    claim: strings.claims.sourceUntouched,
    found: strings.found.bytes(before.length),
    holds: before.equals(stage.log(session.id)),
  });
  return id;
}

/** Another process writes to the session and is killed in the middle of a write. */
export async function killed(play: Performance, session: SessionId): Promise<void> {
  const { stage, strings } = play;
  const acknowledged = await killWriter(stage.home, session);
  const { outline } = await stage.look(session);
  const found = acknowledged.filter((id) => outline.byId(id) !== undefined);
  play.act(strings.killed(acknowledged.length));
  const holds = acknowledged.length >= ENOUGH && found.length === acknowledged.length;
  play.claim({
    claim: strings.claims.killed,
    found: strings.found.of(found.length, acknowledged.length),
    holds,
  });
}

/** The last line is torn, as after a power failure, and the session is reopened. */
export async function torn(play: Performance, session: SessionId): Promise<void> {
  const { stage, strings } = play;
  const before = (await stage.look(session)).outline.length;
  appendFileSync(stage.logFile(session), TORN);
  const held = await holdSession(stage.deps, session, { name: "worldline story" });
  const [aside] = held.recovery.setAside;
  await held.checkpoint("after the power failure");
  await held.close();
  const { outline } = await stage.look(session);
  play.act(strings.torn(TORN.length, aside?.file ?? ""));
  const holds = aside?.bytes === TORN.length && outline.length === before + 2;
  play.claim({ claim: strings.claims.torn, found: strings.found.of(before, outline.length - 2), holds });
}

/**
 * Starts a second process that writes, and kills it. Returns the entries that the process had acknowledged by then.
 */
async function killWriter(home: string, session: SessionId): Promise<readonly EntryId[]> {
  const { startUntilKilled } = await import("../until-killed.ts");
  const child = startUntilKilled({ does: "writeUntilKilled", with: { home, session } });
  const closed = once(child, "close");
  const acknowledged: EntryId[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line as EntryId);
    if (acknowledged.length === ENOUGH) child.kill("SIGKILL");
  }
  await closed;
  return acknowledged;
}

/** Checks the claims about the whole story, from the files alone. */
export async function proveWhole(play: Performance): Promise<void> {
  const { session, stage, strings } = play;
  const { outline, damage } = await stage.look(session.id);

  const acknowledged = [...play.acknowledged];
  const kept = acknowledged.filter((id) => outline.byId(id) !== undefined);
  const isWhole = kept.length === acknowledged.length && damage.length === 0;
  play.claim({
    claim: strings.claims.kept,
    found: strings.found.of(kept.length, acknowledged.length),
    holds: isWhole,
  });

  const here = new Set(branchOf(outline).map((row) => row.id));
  const abandoned = play.left.flatMap((branch) => branch.filter((id) => !here.has(id)));
  const reachable = play.left.flatMap((branch) => {
    const tip = outline.byId(branch.at(-1) ?? session.header.id);
    const ids = new Set(branchOf(outline, tip).map((row) => row.id));
    return branch.filter((id) => !here.has(id) && ids.has(id));
  });
  const isReachable = abandoned.length > 0 && reachable.length === abandoned.length;
  play.claim({
    claim: strings.claims.reachable,
    found: strings.found.of(reachable.length, abandoned.length),
    holds: isReachable,
  });

  const grown = play.logs.slice(1).filter((log, index) => isPrefix(play.logs[index] as Buffer, log));
  const isAppended = grown.length === play.logs.length - 1;
  play.claim({
    claim: strings.claims.appended,
    found: strings.found.of(grown.length, play.logs.length - 1),
    holds: isAppended,
  });
}

/**
 * Encodes a context as bytes, part by part, the way a provider's prefix cache compares it: an appended part
 * leaves all earlier bytes unchanged.
 */
function contextBytes({ system, messages }: Context): Buffer {
  const parts = messages.flatMap(({ parts: all, ...message }) =>
    all.map((part) => JSON.stringify([message, part])),
  );
  return Buffer.from([system, ...parts].map((part) => `${part}\n`).join(""));
}

function isPrefix(start: Buffer, whole: Buffer): boolean {
  return start.equals(whole.subarray(0, start.length));
}
