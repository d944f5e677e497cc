import { exportBundle, type FilesOptions } from "../../machine/exchange/bundle/export-bundle.ts";
import { exportJson } from "../../machine/exchange/export-json.ts";
import { exportMarkdown } from "../../machine/exchange/export-markdown.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";

export const formats = ["markdown", "json", "bundle"] as const;
export type Format = (typeof formats)[number];

export interface Shape {
  readonly format: Format;
  readonly branch: "here" | "all";
  /** Of a bundle: without this, no files are taken along. */
  readonly files?: FilesOptions;
}

/** The export, piece by piece, so that a long session need not be one string. */
export async function* piecesOf(
  view: SessionView,
  store: LogStore,
  { format, branch, files }: Shape,
): AsyncGenerator<string | Uint8Array> {
  switch (format) {
    case "markdown":
      yield await exportMarkdown(view, { branch });
      break;
    case "json":
      yield* jsonPieces(view);
      break;
    case "bundle":
      yield* exportBundle(view, store, files === undefined ? {} : { files });
      break;
    default:
      format satisfies never;
  }
}

/** One JSON document with an entry on each line. */
async function* jsonPieces(view: SessionView): AsyncGenerator<string> {
  const { entries, ...head } = await exportJson(view);
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  for (const [index, entry] of entries.entries()) yield `${index === 0 ? "" : ","}\n${JSON.stringify(entry)}`;
  yield "\n]}\n";
}
