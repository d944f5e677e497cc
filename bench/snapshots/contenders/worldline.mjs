import { openWorkspaceFiles } from "../../../dist/index.js";

const session = "benchbench";

/** Ours, as built in dist/. The only contender that can also be told what was changed. */
export const driver = {
  name: "worldline",
  first: "copies everything",
  keeps: "a store of its own",
  folders: ({ store }) => [store],

  async open({ workspace, store }) {
    const files = await openWorkspaceFiles({ workspace, home: store });
    let checkpoints = 0;

    async function capture(look, extra = {}) {
      checkpoints += 1;
      const keptFor = { session, checkpoint: checkpoints, on: "manual" };
      const { snapshot } = await files.capture({ look, keptFor, ...extra });
      return snapshot;
    }

    return {
      checkpoint: () => capture("everything"),
      checkpointKnown: (paths) => capture(paths),

      /** The prompt may go on when everything has been looked at; the rest is copying. */
      async first() {
        const started = performance.now();
        let promptMs;
        await capture("everything", {
          onProgress: ({ phase }) => {
            if (phase === "storing") promptMs ??= performance.now() - started;
          },
        });
        return { promptMs };
      },

      /** Everything is looked at before a restore: that is the scan. Deciding, journal, writing, re-reading: the rest. */
      async restore(target) {
        const started = performance.now();
        const keptFor = { session, journey: "left" };
        const { snapshot: left } = await files.capture({ look: "everything", keptFor });
        const scanMs = performance.now() - started;
        const steps = await files.compare(left, target);
        await files.restore({ session, journey: { from: "bench", left }, steps, commit: async () => {} });
        return { scanMs, restMs: performance.now() - started - scanMs };
      },
      close: () => files.close(),
    };
  },
};
