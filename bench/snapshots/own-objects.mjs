import { mkdirSync } from "node:fs";
import { join } from "node:path";

/**
 * For contenders that write into the user's repository: their new objects go to a separate folder, and the user's
 * objects are read in place. Otherwise, two contenders in one repository would find each other's objects, write
 * nothing, and appear fast and small.
 */
export function ownObjects(workspace, store) {
  const objects = join(store, "objects");
  mkdirSync(objects, { recursive: true });
  return {
    ...process.env,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(workspace, ".git", "objects"),
  };
}
