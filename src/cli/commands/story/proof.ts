import { branchOf } from "../../../timeline/branch.ts";
import { isPrefix } from "./context-bytes.ts";
import type { Performance } from "./performance.ts";

/** What holds for the whole story, looked up in the files by a program that knows nothing else. */
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
