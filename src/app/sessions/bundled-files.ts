import type { ExportedFiles, FilesOptions } from "../../machine/exchange/bundle/export-bundle.ts";
import type { AppContext } from "../context.ts";

/** What a bundle takes along of files, and, when it is made, what came of that. */
export interface BundledFiles {
  readonly options: { readonly files?: FilesOptions };
  readonly exported: () => ExportedFiles | undefined;
}

/** Does `work` with the store of snapshots, where files are wanted, and lets go of it whatever happens. */
export async function withBundledFiles(
  context: AppContext,
  ignored: FilesOptions["ignored"] | "none",
  work: (files: BundledFiles) => Promise<void>,
): Promise<void> {
  if (ignored === "none") return work({ options: {}, exported: () => undefined });
  // Loaded here: most commands need no files, and start faster without.
  const { openSnapshotObjects } = await import("../../open-files.ts");
  const objects = openSnapshotObjects({
    home: context.home,
    name: "worldline sessions export",
    takeOver: context.common.takeOver,
  });
  let exported: ExportedFiles | undefined;
  const onDone = (files: ExportedFiles): void => {
    exported = files;
  };
  try {
    await work({ options: { files: { objects, ignored, onDone } }, exported: () => exported });
  } finally {
    objects.close();
  }
}
