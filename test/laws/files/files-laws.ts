import fc from "fast-check";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { damage } from "./damage.ts";
import { type Before, FilesPlay, type Round } from "./play-files.ts";

const before: fc.Arbitrary<Before> = fc.oneof(
  { weight: 4, arbitrary: fc.constant("nothing" as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("restart" as const, "lost-manifest" as const, "damaged-manifest" as const),
  },
);
const look = fc.constantFrom("everything" as const, "known" as const);
const damages = fc.array(damage, { maxLength: 6 });

const quiet: fc.Arbitrary<Round> = fc.record({ damages, look, before });
const disturbed: fc.Arbitrary<Round> = fc.record({
  damages,
  look,
  before,
  during: fc.record({ looks: fc.nat(40), damages: fc.array(damage, { minLength: 1, maxLength: 3 }) }),
});
const going = fc.array(fc.record({ pick: fc.nat(), before }), { maxLength: 4 });

/** How many runs a law gets: more under `npm run torture`. */
function runs(everyday: number): { numRuns: number; seed: number } {
  const torture = process.env["WORLDLINE_TORTURE"];
  if (torture === undefined || torture === "") return { numRuns: everyday, seed: 20_260_101 };
  return { numRuns: everyday * (Number(torture) > 1 ? Number(torture) : 20), seed: Date.now() % 2 ** 31 };
}

/**
 * Whatever happens to the workspace, a snapshot matches it; and from any moment, any other can be restored
 * byte for byte, with every exception reported.
 */
export async function lawOfSnapshots(everyday: number): Promise<void> {
  const rounds = fc.array(fc.oneof({ weight: 3, arbitrary: quiet }, { weight: 1, arbitrary: disturbed }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(rounds, going, async (story, journeys) => {
      await inTempFolder(async (folder) => {
        const play = new FilesPlay(folder);
        for (const round of story) await play.play(round);
        for (const { pick, before: restart } of journeys) await play.restore(pick, restart);
        await play.end();
      });
    }),
    runs(everyday),
  );
}

/** Changes that other programs make during a capture are in that snapshot or in the next one. */
export async function lawOfMeddling(everyday: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(disturbed, { minLength: 2, maxLength: 6 }), async (story) => {
      await inTempFolder(async (folder) => {
        const play = new FilesPlay(folder);
        for (const round of story) await play.play(round);
        await play.end();
      });
    }),
    runs(everyday),
  );
}
