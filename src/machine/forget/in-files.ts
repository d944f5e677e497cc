import type { ErasedContents, FilesWish, ForgettableFiles } from "../../ports/snapshot-objects.ts";
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
  /** How many labels beside the snapshots have it. */
  readonly labels: number;
  /** How many contents and folders could not be read. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed. */
  readonly unlisted: readonly SnapshotId[];
}

export interface FoundInFiles {
  readonly finding: FilesFinding;
  readonly hashes: readonly ObjectHash[];
  readonly wish: FilesWish;
}

/** What became of them. */
export interface ForgottenFiles extends FilesFinding {
  readonly erased: number;
  readonly left: ErasedContents["left"];
}

const NOTHING: FilesFinding = {
  ...{ contents: 0, snapshots: 0, places: [], inWorkspace: [] },
  ...{ inNames: 0, labels: 0, unreadable: 0, unlisted: [] },
};

export async function findInFiles(
  files: ForgettableFiles | undefined,
  wish: ForgetWish,
): Promise<FoundInFiles> {
  const wanted = filesWish(wish);
  if (files === undefined) return { finding: NOTHING, hashes: [], wish: wanted };
  const found = await files.find(wanted);
  const { contents, places, inWorkspace, inNames, ...counts } = found;
  const shown = (path: string): string => (wanted.what === "path" ? path : wanted.eraseFrom(path));
  const paths = { places: places.map(shown), inWorkspace: inWorkspace.map(shown), inNames: inNames.length };
  return { finding: { contents: contents.length, ...counts, ...paths }, hashes: contents, wish: wanted };
}

function filesWish(wish: ForgetWish): FilesWish {
  if (wish.what === "path") return { what: "path", path: wish.path };
  const forms = new TextForms(wish.text);
  return {
    what: "content",
    matches: ({ buffer, byteOffset, byteLength }) => forms.isIn(Buffer.from(buffer, byteOffset, byteLength)),
    inName: (name) => forms.isIn(name),
    eraseFrom: (text) => forms.eraseFrom(text).erased,
    inTorn: (text) => forms.isIn(text) || forms.beginningAtEnd(text) > 0,
  };
}

/** `before` is called once nothing can refuse it, and before anything is changed. */
export async function forgetInFiles(
  files: ForgettableFiles | undefined,
  { finding, hashes, wish }: FoundInFiles,
  before: () => Promise<void>,
): Promise<ForgottenFiles> {
  if (files === undefined || hashes.length + finding.labels === 0) {
    await before();
    return { ...finding, erased: 0, left: [] };
  }
  return { ...finding, ...(await files.erase({ contents: hashes, wish, before })) };
}
