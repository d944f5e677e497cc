import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { GitService } from "@google/gemini-cli-core/dist/src/services/gitService.js";

/** Gemini CLI's own class, imported and run. It keeps a separate shadow repository, driven through simple-git. */
export const driver = {
  name: "Gemini CLI 0.61.0",
  first: "copies everything",
  keeps: "a shadow repository",
  folders: ({ store }) => [store],

  async open({ workspace, store }) {
    const history = join(store, "history");
    // The class gets only its storage folders; the rest of its storage is about sessions.
    const service = new GitService(workspace, { initialize: async () => {}, getHistoryDir: () => history });
    let isReady = false;
    async function checkpoint() {
      if (!isReady) {
        await service.initialize();
        // The class does not accept settings, so they are written to the file that it reads.
        appendFileSync(join(history, ".git", "config"), "[gc]\n\tauto = 0\n");
        isReady = true;
      }
      return service.createFileSnapshot("checkpoint");
    }
    return { checkpoint, restore: (target) => service.restoreProjectFromSnapshot(target) };
  },
};
