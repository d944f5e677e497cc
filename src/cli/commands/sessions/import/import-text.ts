import type { BundleImport } from "../../../../machine/exchange/bundle/import-bundle.ts";
import type { KimiImport } from "../../../../machine/exchange/kimi/import-kimi.ts";
import type { Strings } from "../../../../strings/strings.ts";
import { oneLine } from "../../../output/printable.ts";

export function bundleText(result: BundleImport, { exchange, sessions }: Strings): string[] {
  const { status, session, original, entries, blobs } = result;
  if (status === "already-here") return [exchange.alreadyHere(session)];
  return [
    exchange.imported(session, exchange.bundleName(original)),
    ...(status === "new-id" ? [exchange.newId(original)] : []),
    exchange.bundleCounts(entries, blobs),
    sessions.lookAt(session),
  ];
}

export function kimiText(result: KimiImport, { exchange, sessions }: Strings): string[] {
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
    sessions.lookAt(session),
  ];
}
