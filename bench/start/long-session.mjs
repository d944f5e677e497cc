import { createSession, openFilesStore, systemClock } from "../../dist/index.js";

const turnsAtOnce = 500;
const usage = { input: 10_500, output: 400, cacheRead: 9000, cacheWrite: 300 };

/** The text at the end of a long session, which is visible when the session is opened. */
export const endOf = (turns) => `Answer ${turns}.`;

/**
 * Writes a session the way the agent does, with five entries per turn.
 * @param {{ home: string, workspace: string, turns: number }} where
 * @returns {Promise<string>} Its id.
 */
export async function writeLongSession({ home, workspace, turns }) {
  const store = openFilesStore({ root: home, clock: systemClock });
  const session = await createSession({ store, clock: systemClock }, { workspace }, { name: "bench" });
  for (let from = 1; from <= turns; from += turnsAtOnce) {
    const batch = Array.from({ length: Math.min(turnsAtOnce, turns - from + 1) }, (_, index) => from + index);
    // Unawaited writes share one sync.
    await Promise.all(
      batch.flatMap((turn) => [
        session.prompt(`Question ${turn}?`),
        session.step(),
        session.reply({ parts: [{ type: "text", text: endOf(turn) }], model: "some-model", usage }),
      ]),
    );
  }
  await session.close();
  await store.close();
  return session.id;
}
