import { remark } from "../../errors/texts.ts";

export interface Counted {
  readonly count: number;
}

export interface File {
  readonly path: string;
}

/** The parts of a bundle or of another program's session that the import changed or left out. */
export const importWarnings = {
  "bundle-snapshots-skipped": remark(({ count }: Counted) =>
    count === 1
      ? "The files in 1 snapshot were not imported."
      : `The files in ${count} snapshots were not imported.`,
  ),
  "bundle-line-lost": remark(
    ({ line }: { readonly line: number }) =>
      `Line ${line} was lost before the export; an error entry takes its place.`,
  ),
  "bundle-blob-lost": remark(
    ({ hash }: { readonly hash: string }) => `Some long text was lost before the export (blob ${hash}).`,
  ),
  "bundle-records-unknown": remark(
    ({ count, record }: Counted & { readonly record: string }) =>
      `${count === 1 ? "1 record" : `${count} records`} of type "${record}" ${count === 1 ? "was" : "were"} skipped, because this version does not recognize ${count === 1 ? "it" : "them"}.`,
  ),
  "bundle-id-in-trash": remark(
    ({ session }: { readonly session: string }) =>
      `Session ${session} is in the trash, so the imported session was given a new id.`,
  ),
  "kimi-live-file-missing": remark(
    ({ path }: File) => `${path} does not exist; the newest of the numbered files was used instead.`,
  ),
  "kimi-times-equal": remark(
    ({ path }: File) =>
      `Some of the files ${path}.<n> have the same modification time; the file with the higher number was treated as newer.`,
  ),
  "kimi-systems-differ": remark(() => "The files have different system prompts; the newest prompt was kept."),
  "kimi-media-missing": remark(
    () => "Audio, video, and images that the files do not contain are imported by name only.",
  ),
  "kimi-results-unmatched": remark(
    () => "Some tool results do not match any call; they are kept but not shown.",
  ),
  "kimi-file-unreadable": remark(({ path }: File) => `${path} could not be read.`),
  "kimi-file-not-an-object": remark(({ path }: File) => `${path} is not a JSON object; it was skipped.`),
};
