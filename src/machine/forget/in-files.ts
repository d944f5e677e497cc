import type { ErasedContents, ForgettableFiles, FoundInSnapshots } from "../../ports/snapshot-objects.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { TextForms } from "./erasing/text-forms.ts";
import type { ForgetWish } from "./wish.ts";

/** What was found in the files of snapshots. Paths are shown without the text that is to be forgotten. */
export interface FilesFinding {
  /** How many contents there are; each is erased whole, wherever it is. */
  readonly contents: number;
  readonly snapshots: number;
  readonly places: readonly string[];
  /** Files of today that have it: they would be captured again. */
  readonly inWorkspace: readonly string[];
  /** How many paths have it in their name, or as the target of a link. Those cannot be erased. */
  readonly inNames: number;
  /** How many contents and folders could not be read. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed. */
  readonly unlisted: readonly SnapshotId[];
}

export interface FoundInFiles {
  readonly finding: FilesFinding;
  readonly hashes: readonly ObjectHash[];
}

/** What became of them. */
export interface ForgottenFiles extends FilesFinding {
  readonly erased: number;
  readonly left: ErasedContents["left"];
}

const NOTHING: FoundInFiles = {
  finding: {
    contents: 0,
    snapshots: 0,
    places: [],
    inWorkspace: [],
    inNames: 0,
    unreadable: 0,
    unlisted: [],
  },
  hashes: [],
};

export async function findInFiles(
  files: ForgettableFiles | undefined,
  wish: ForgetWish,
): Promise<FoundInFiles> {
  if (files === undefined) return NOTHING;
  if (wish.what === "path")
    return foundIn(await files.find({ what: "path", path: wish.path }), (path) => path);
  const forms = new TextForms(wish.text);
  const found = await files.find({
    what: "content",
    matches: (bytes) => forms.isIn(bytes),
    inName: (name) => forms.isIn(name),
  });
  return foundIn(found, (path) => forms.eraseFrom(path).erased);
}

function foundIn(found: FoundInSnapshots, shown: (path: string) => string): FoundInFiles {
  const { contents, snapshots, places, inWorkspace, inNames, unreadable, unlisted } = found;
  return {
    finding: {
      contents: contents.length,
      snapshots,
      places: places.map(shown),
      inWorkspace: inWorkspace.map(shown),
      inNames: inNames.length,
      unreadable,
      unlisted,
    },
    hashes: contents,
  };
}

export async function forgetInFiles(
  files: ForgettableFiles | undefined,
  { finding, hashes }: FoundInFiles,
): Promise<ForgottenFiles> {
  const { erased, left } = (await files?.erase(hashes)) ?? { erased: 0, left: [] };
  return { ...finding, erased, left };
}
