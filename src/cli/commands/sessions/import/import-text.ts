import type { BundleImport } from "../../../../machine/exchange/bundle/import-bundle.ts";
import type { KimiImport } from "../../../../machine/exchange/kimi/import-kimi.ts";
import { oneLine } from "../../../../record/printable.ts";
import type { Strings } from "../../../../strings/strings.ts";
import type { Frame } from "../../../command/frame.ts";
import { shellWording } from "../../../places/command-again.ts";

type TextFrame = Pick<Frame, "strings" | "common">;

export function bundleText(result: BundleImport, frame: TextFrame): string[] {
  const { exchange } = frame.strings;
  const { status, session, original, entries, blobs, files } = result;
  if (status === "already-here") return alreadyHere(result, exchange);
  return [
    exchange.imported(session, exchange.bundleName(original)),
    ...(status === "new-id" ? [exchange.newId(original)] : []),
    exchange.bundleCounts(entries, blobs),
    ...filesText(files, exchange),
    lookAt(session, frame),
    exchange.toConfirm(session, shellWording(frame.common).command),
  ];
}

function alreadyHere({ session, files }: BundleImport, exchange: Strings["exchange"]): string[] {
  if (files === undefined || files.added === 0) return [exchange.alreadyHere(session)];
  return [exchange.alreadyHereButFiles(session), exchange.filesAdded(files.added)];
}

function filesText(files: BundleImport["files"], exchange: Strings["exchange"]): string[] {
  if (files === undefined) return [];
  return [
    exchange.importedFiles(files.snapshots),
    ...(files.missing === 0 ? [] : [exchange.snapshotsNotIn(files.missing)]),
    ...(files.absent === 0 ? [] : [exchange.contentsNotIn(files.absent)]),
  ];
}

export function kimiText(result: KimiImport, frame: TextFrame): string[] {
  const { exchange } = frame.strings;
  const { session, original, files, workspace, counts, numbers, damaged } = result;
  const again = numbers.filter(({ meaning }) => meaning === "again").length;
  return [
    exchange.imported(session, exchange.kimiName(oneLine(original), files.length)),
    exchange.workspace(oneLine(workspace)),
    exchange.kimiCounts(counts),
    ...(numbers.length === 0 ? [] : [exchange.renumbered(numbers.length, again)]),
    ...damaged.map(({ file, line, why, imported }) =>
      oneLine(
        imported === "nothing"
          ? exchange.damagedLine(file, line, why)
          : exchange.damagedInPart(file, line, why),
      ),
    ),
    exchange.untouched,
    lookAt(session, frame),
    exchange.toConfirm(session, shellWording(frame.common).command),
  ];
}

function lookAt(session: string, { strings, common }: TextFrame): string {
  return strings.sessions.lookAt(session, shellWording(common).command);
}
