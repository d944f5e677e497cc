import { join } from "node:path";
import { realDisk } from "../../../src/disk/disk.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { type FilesStoreOptions, openFilesStore } from "../../../src/stores/files/files.ts";
import { FailingDisk, type LogStoreSubject, ManualClock, tempFolder } from "../../../src/testing/testing.ts";
import { abandonLock } from "./abandon-lock.ts";
import { damageLine, folderOf } from "./damage.ts";

/** A files store in its own folder, on the real disk. */
export function filesSubject(
  options: Partial<FilesStoreOptions> = {},
): LogStoreSubject & { readonly root: string } {
  const folder = tempFolder();
  const root = join(folder.path, "home");
  const disk = new FailingDisk(realDisk);
  const clock = new ManualClock();
  const opened: LogStore[] = [];
  const open = () => {
    const store = openFilesStore({ root, disk, clock, ...options });
    opened.push(store);
    return store;
  };
  return {
    root,
    store: open(),
    another: open,
    damageLine: (session, seq) => damageLine(root, session, seq),
    fillUp: () => {
      disk.faults = ({ name }) => (name === "write" ? { errno: "ENOSPC", partial: 7 } : undefined);
      return () => {
        disk.faults = () => undefined;
      };
    },
    abandonLease: async (session) => abandonLock(folderOf(root, session)),
    remove: async () => {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
}
