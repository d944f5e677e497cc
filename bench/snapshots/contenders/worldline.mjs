import { createSession, openFilesStore, openWorkspaceFiles, systemClock } from "../../../dist/index.js";

const session = "benchbench";

/** Worldline, as built in dist/: the only contender that accepts the paths of changed files. */
export const driver = {
  name: "worldline",
  first: "copies everything",
  keeps: "a store of its own",
  folders: ({ store }) => [store],

  async open({ workspace, store }) {
    const files = await openWorkspaceFiles({ workspace, home: store });
    const logs = openFilesStore({ root: store, clock: systemClock });
    const deps = { store: logs, clock: systemClock, files };
    const conversation = await createSession(deps, { workspace }, { name: "bench" });
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

      /**
       * A prompt does not wait for the files of its checkpoint: they follow as a separate entry, and until
       * then the checkpoint says "pending". So the prompt can continue as soon as it is durable, while the
       * capture runs. Only a tool that may change anything, such as a shell, waits for the complete capture.
       */
      async first() {
        const started = performance.now();
        let lookedMs;
        const capturing = capture("everything", {
          onProgress: ({ phase }) => {
            if (phase === "storing") lookedMs ??= performance.now() - started;
          },
        });
        await conversation.prompt("Find the leak.");
        const promptMs = performance.now() - started;
        await capturing;
        return { promptMs, lookedMs };
      },

      /**
       * Worldline scans everything before a restore, which is the scan phase. Planning, journaling, writing
       * and rereading count as the rest.
       */
      async restore(target) {
        const started = performance.now();
        const keptFor = { session, journey: "left" };
        const { snapshot: left } = await files.capture({ look: "everything", keptFor });
        const scanMs = performance.now() - started;
        const steps = await files.compare(left, target);
        await files.restore({ session, journey: { from: "bench", left }, steps, commit: async () => {} });
        return { scanMs, restMs: performance.now() - started - scanMs };
      },
      close: async () => {
        await conversation.close();
        await logs.close();
        await files.close();
      },
    };
  },
};
