import {
  type ImportableSession,
  type Imported,
  importableSessions,
  importSession,
} from "../../../app/sessions/import.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { BundleImport } from "../../../machine/exchange/bundle/import-bundle.ts";
import type { KimiImport } from "../../../machine/exchange/kimi/import-kimi.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { table } from "../../../show/table.ts";
import { relativeTime } from "../../../show/time.ts";
import type { Strings } from "../../../strings/strings.ts";
import { remarkText } from "../../../strings/wording.ts";
import { choice, defineCommand, flag, optional } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { openProgress } from "../../output.ts";
import { readStandardInput } from "../../standard-input.ts";

export const importCommand = defineCommand({
  help: (help) => help.sessionsImport,
  arguments: {
    path: optional(),
  },
  options: {
    from: choice(["bundle", "kimi"]),
    list: flag(),
  },
  run: async ({ arguments: { path }, options: { from, list }, frame }) => {
    if (list && path !== undefined) throw new WorldlineError("list-takes-no-path", {});
    if (list) return listKimiSessions(frame);
    if (path === undefined) throw new WorldlineError("import-unnamed", {});
    const { strings } = frame;
    const progress = openProgress(frame);
    const imported = await importSession(frame, {
      path,
      from,
      readPiped: async (maxBytes) => readStandardInput(frame, { maxBytes, piped: "bundle" }),
      onBegin: () => progress.show(strings.exchange.importing(path)),
    }).finally(() => progress.clear());
    answerImported(frame, imported);
  },
});

function answerImported({ output, strings, common }: Frame, imported: Imported): void {
  const { warnings: _, remarks, ...document } = imported;
  for (const each of remarks) output.warn(remarkText(strings, each));
  if (imported.from === "kimi" && imported.importedBefore.length > 0) {
    output.warn(strings.exchange.importedBefore(imported.importedBefore.join(", ")));
  }
  const words = { strings, common };
  output.answer(document, () =>
    (imported.from === "kimi" ? kimiText(imported, words) : bundleText(imported, words)).join("\n"),
  );
}

type TextFrame = Pick<Frame, "strings" | "common">;

function bundleText(result: BundleImport, frame: TextFrame): string[] {
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

function kimiText(result: KimiImport, frame: TextFrame): string[] {
  const { exchange } = frame.strings;
  const { session, original, files, workspace, counts, numbers, damaged } = result;
  const again = numbers.filter(({ meaning }) => meaning === "again").length;
  return [
    exchange.imported(session, exchange.kimiName(oneLine(original), files.length)),
    exchange.workspace(oneLine(workspace)),
    exchange.kimiCounts(counts),
    ...(numbers.length === 0 ? [] : [exchange.renumbered(numbers.length, again)]),
    ...damaged.map(({ file, line, imported, ...said }) => {
      const why = remarkText(frame.strings, said);
      return oneLine(
        imported === "nothing"
          ? exchange.damagedLine(file, line, why)
          : exchange.damagedInPart(file, line, why),
      );
    }),
    exchange.untouched,
    lookAt(session, frame),
    exchange.toConfirm(session, shellWording(frame.common).command),
  ];
}

function lookAt(session: string, { strings, common }: TextFrame): string {
  return strings.sessions.lookAt(session, shellWording(common).command);
}

/** Lists the sessions that can be imported, most recently used first, and the ones that were already imported. */
async function listKimiSessions(frame: Frame): Promise<void> {
  const { output, strings } = frame;
  const { folder, sessions } = await importableSessions(frame);
  const document = sessions.map(({ modified, ...rest }) => ({
    ...rest,
    modified: new Date(modified).toISOString(),
  }));
  output.answer({ folder, sessions: document }, () =>
    sessions.length === 0
      ? strings.exchange.noneOfKimi(folder)
      : [
          ...table(sessions.map((session) => rowOf(session, frame))),
          strings.exchange.kimiImport(shellWording(frame.common).command),
        ].join("\n"),
  );
}

/** Builds a row for the list. The path is in the last column and is never truncated, because users copy it. */
function rowOf(
  { modified, title, workspace, files, path, importedAs }: ImportableSession,
  { strings }: Frame,
): string[] {
  const { exchange, sessions, time } = strings;
  const mark = importedAs.length === 0 ? "" : ` ${exchange.kimiImportedAs(importedAs.join(", "))}`;
  return [
    relativeTime(modified, systemClock.now(), time),
    exchange.kimiFiles(files),
    `${oneLine(title ?? "") || sessions.untitled}${mark}`,
    workspace === undefined ? "" : sessions.inWorkspace(oneLine(workspace)),
    path,
  ];
}
