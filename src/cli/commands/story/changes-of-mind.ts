import { contextBytes } from "./context-bytes.ts";
import type { Performance } from "./performance.ts";
import { script } from "./script.ts";

/** The conversation is compacted; the person rewinds to before that, tries something else, and goes forward again. */
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
  // By name: something new has happened since, so a plain redo would find nothing.
  await session.redo(rewound.journey);
  play.act(strings.redone);
  const again = contextBytes(await session.context());
  play.claim({
    claim: strings.claims.redone,
    found: strings.found.bytes(left.length),
    holds: again.equals(left),
  });
}
