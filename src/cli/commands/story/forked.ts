import { forkSession } from "../../../machine/journeys/fork.ts";
import type { SessionId } from "../../../record/ids.ts";
import { contextBytes } from "./context-bytes.ts";
import type { Performance } from "./performance.ts";

/** A second session begins at the first prompt of this one. */
export async function forked(play: Performance): Promise<SessionId> {
  const { session, stage, strings } = play;
  const before = stage.log(session.id);
  const at = session.outline.ofKind("checkpoint")[1]?.number ?? 1;
  const id = await forkSession(stage.ground, session, { at });
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
