import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { holdSession } from "../../../machine/open.ts";
import type { EntryId, SessionId } from "../../../record/ids.ts";
import type { Performance } from "./performance.ts";

const ENOUGH = 25;
/** What a power cut may leave of a line. */
const TORN = '{"seq":99,"id":"0000000000aa","parent":"00000000';

/** Another process writes to the session and is killed in the middle of it. */
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

/** The last line is torn, as a power cut would, and the session is opened again. */
export async function torn(play: Performance, session: SessionId): Promise<void> {
  const { stage, strings } = play;
  const before = (await stage.look(session)).outline.length;
  appendFileSync(stage.logFile(session), TORN);
  const held = await holdSession(stage.ground, session, { name: "worldline story" });
  const [aside] = held.recovery.setAside;
  await held.checkpoint("after the power cut");
  await held.close();
  const { outline } = await stage.look(session);
  play.act(strings.torn(TORN.length, aside?.file ?? ""));
  const holds = aside?.bytes === TORN.length && outline.length === before + 2;
  play.claim({ claim: strings.claims.torn, found: strings.found.of(before, outline.length - 2), holds });
}

/** Returns the entries that the process had acknowledged when it died. */
async function killWriter(home: string, session: SessionId): Promise<readonly EntryId[]> {
  const { here } = await import("./until-killed.ts");
  const code = `import(${JSON.stringify(here)}).then((it) => it.writeUntilKilled(...${JSON.stringify([home, session])}))`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  const acknowledged: EntryId[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line as EntryId);
    if (acknowledged.length === ENOUGH) child.kill("SIGKILL");
  }
  await closed;
  return acknowledged;
}
