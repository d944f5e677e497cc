import { contextBytes, isPrefix } from "./context-bytes.ts";
import type { Performance } from "./performance.ts";
import { script } from "./script.ts";

/** The agent reads far too much, and goes back to before it with a note to itself. */
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
  const backtrack = await play.call({ say: "None of this matters but one line.", tool: "Backtrack", input });
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
