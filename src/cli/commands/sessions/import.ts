import { type BundleFrom, openSource, type Source } from "../../../app/sessions/import-source.ts";
import { openSessionDeps, openStore, sessionHeaders } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { type BundleImport, importBundle } from "../../../machine/exchange/bundle/import-bundle.ts";
import { importKimi, type KimiImport } from "../../../machine/exchange/kimi/import-kimi.ts";
import { findKimiSessions, type KimiSession, kimiHome } from "../../../machine/exchange/kimi/kimi-files.ts";
import type { SessionContext } from "../../../machine/open.ts";
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

export const importSession = defineCommand({
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
    const options = frame.common.workspace === undefined ? {} : { workspace: await frame.workspace() };
    const deps = await openSessionDeps(frame);
    const source = await openSource(frame, path, {
      from,
      readPiped: async (maxBytes) =>
        readStandardInput(frame, {
          maxBytes,
          piped: "bundle",
        }),
    });
    const progress = openProgress(frame);
    progress.show(frame.strings.exchange.importing(path));
    await importSource({ frame, deps, source, options }).finally(() => progress.clear());
  },
});

interface Importing<From extends Source = Source> {
  readonly frame: Frame;
  readonly deps: SessionContext;
  readonly source: From;
  readonly options: { readonly workspace?: string };
}

async function importSource({ frame, deps, source, options }: Importing): Promise<void> {
  const { output, strings } = frame;
  if (source.from === "bundle") {
    const result = await importWithFiles({ frame, deps, source, options });
    for (const warning of result.warnings) output.warn(warning);
    const { warnings: _warnings, ...document } = result;
    output.answer({ from: "bundle", ...document }, () => bundleText(result, frame).join("\n"));
    return;
  }
  const result = await importKimi(deps, source.path, options);
  for (const warning of result.warnings) output.warn(warning);
  const before = (await sessionHeaders(deps.store))
    .filter(({ id, header }) => id !== result.session && header?.imported?.name === result.original)
    .map(({ id }) => id);
  if (before.length > 0) output.warn(strings.exchange.importedBefore(before.join(", ")));
  const { warnings: _warnings, ...document } = result;
  output.answer({ from: "kimi", ...document, importedBefore: before }, () =>
    kimiText(result, frame).join("\n"),
  );
}

async function importWithFiles(importing: Importing<BundleFrom>): Promise<BundleImport> {
  const { frame, deps, source, options } = importing;
  // Loaded here: most commands need no files, and start faster without.
  const { openSnapshotObjects } = await import("../../../open-files.ts");
  const objects = openSnapshotObjects({
    home: frame.home,
    sessionsIn: deps.store.place,
    name: "worldline sessions import",
    takeOver: frame.common.takeOver,
  });
  try {
    return await importBundle(deps, source.bundle, { ...options, objects });
  } finally {
    objects.close();
  }
}

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

/** Lists what could be imported, last used first, and says what was. */
export async function listKimiSessions(frame: Frame): Promise<void> {
  const { output, strings, surroundings } = frame;
  const folder = kimiHome(surroundings.environment);
  const importedBy = await importedByName(frame);
  const found = (await findKimiSessions(folder)).map((session) => ({
    ...session,
    importedAs: importedBy.get(session.name) ?? [],
  }));
  const document = found.map(({ modified, ...rest }) => ({
    ...rest,
    modified: new Date(modified).toISOString(),
  }));
  output.answer({ folder, sessions: document }, () =>
    found.length === 0
      ? strings.exchange.noneOfKimi(folder)
      : [
          ...table(found.map((session) => rowOf(session, frame))),
          strings.exchange.kimiImport(shellWording(frame.common).command),
        ].join("\n"),
  );
}

async function importedByName(frame: Frame): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, string[]>();
  for (const { id, header } of await sessionHeaders(openStore(frame))) {
    if (header?.imported?.from !== "kimi-cli") continue;
    const { name } = header.imported;
    names.set(name, [...(names.get(name) ?? []), id]);
  }
  return names;
}

/** The path comes last and is never cut: users copy it. */
function rowOf(
  session: KimiSession & { readonly importedAs: readonly string[] },
  { strings }: Frame,
): string[] {
  const { modified, title, workspace, files, path, importedAs } = session;
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
