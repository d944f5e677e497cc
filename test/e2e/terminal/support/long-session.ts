import { createSession, openFilesStore, systemClock } from "../../../../src/index.ts";
import type { Scene } from "./scene.ts";

const TURNS_AT_ONCE = 500;

/** Writes a session of `turns` turns, five entries each, into the scene's store. */
export async function writeLongSession(scene: Scene, turns: number): Promise<string> {
  const store = openFilesStore({ root: scene.environment["WORLDLINE_HOME"] ?? "", clock: systemClock });
  const session = await createSession(
    { store, clock: systemClock },
    { workspace: scene.workspace },
    { name: "test" },
  );
  const usage = { input: 1000, output: 10, cacheRead: 0, cacheWrite: 0 };
  for (let from = 1; from <= turns; from += TURNS_AT_ONCE) {
    const batch = Array.from(
      { length: Math.min(TURNS_AT_ONCE, turns - from + 1) },
      (_, index) => from + index,
    );
    // Unawaited writes share one sync, as they do while a turn streams.
    await Promise.all(
      batch.flatMap((turn) => [
        session.prompt(`Question ${turn}?`),
        session.step(),
        session.reply({ parts: [{ type: "text", text: `Answer ${turn}.` }], model: "some-model", usage }),
      ]),
    );
  }
  const { id } = session;
  await session.close();
  await store.close();
  return id;
}
