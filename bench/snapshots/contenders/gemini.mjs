import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { GitService } from "@google/gemini-cli-core/dist/src/services/gitService.js";

/** Gemini CLI's own class, imported and run: a separate shadow repository, driven through simple-git. */
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
        // The class accepts no settings, so they are written where it reads them.
        appendFileSync(join(history, ".git", "config"), "[gc]\n\tauto = 0\n");
        isReady = true;
      }
      return service.createFileSnapshot("checkpoint");
    }
    return { checkpoint, restore: (target) => service.restoreProjectFromSnapshot(target) };
  },
};
