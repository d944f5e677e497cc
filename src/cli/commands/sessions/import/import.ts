import { openGround } from "../../../../app/sessions/ground.ts";
import { type BundleFrom, openSource, type Source } from "../../../../app/sessions/import-source.ts";
import { sessionHeaders } from "../../../../app/sessions/session-headers.ts";
import { type BundleImport, importBundle } from "../../../../machine/exchange/bundle/import-bundle.ts";
import { importKimi } from "../../../../machine/exchange/kimi/import-kimi.ts";
import type { Ground } from "../../../../machine/open.ts";
import { WorldlineError } from "../../../../record/error.ts";
import { defineCommand } from "../../../command/command.ts";
import type { Frame } from "../../../command/frame.ts";
import { choice, flag, optional } from "../../../command/parameters.ts";
import { openProgress } from "../../../output/progress.ts";
import { readStandardInput } from "../../../standard-input.ts";
import { bundleText, kimiText } from "./import-text.ts";
import { listKimiSessions } from "./kimi-list.ts";

export const importSession = defineCommand({
  description:
    "Brings in a bundle that `sessions export` made, or a session of kimi-cli with all its earlier files. Everything " +
    "is checked before anything is written, and the source is only read. The files of a bundle go to the store of " +
    "snapshots: no workspace is touched. --workspace says which folder the session is to work in (default: the one that it worked in).",
  arguments: {
    path: optional("a bundle, a kimi-cli session's folder or its context.jsonl; - is standard input"),
  },
  options: {
    from: choice(["bundle", "kimi"], "what it is (default: seen from its content)"),
    list: flag("list the sessions of kimi-cli on this machine"),
  },
  examples: [
    { command: "worldline sessions import leak.bundle", meaning: "a session from another machine" },
    {
      command: "worldline sessions import leak.bundle --workspace .",
      meaning: "to go on with it in this folder",
    },
    { command: "worldline sessions import --list", meaning: "what kimi-cli has here" },
    {
      command: "worldline sessions import ~/.kimi/sessions/5a3c/0b1d",
      meaning: "one of them, branches that were left included",
    },
  ],
  run: async ({ arguments: { path }, options: { from, list }, frame }) => {
    if (list && path !== undefined) throw new WorldlineError("list-takes-no-path", {});
    if (list) return listKimiSessions(frame);
    if (path === undefined) throw new WorldlineError("import-unnamed", {});
    const options = frame.common.workspace === undefined ? {} : { workspace: await frame.workspace() };
    const ground = await openGround(frame);
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
    await importSource({ frame, ground, source, options }).finally(() => progress.clear());
  },
});

interface Importing<From extends Source = Source> {
  readonly frame: Frame;
  readonly ground: Ground;
  readonly source: From;
  readonly options: { readonly workspace?: string };
}

async function importSource({ frame, ground, source, options }: Importing): Promise<void> {
  const { output, strings } = frame;
  if (source.from === "bundle") {
    const result = await importWithFiles({ frame, ground, source, options });
    for (const warning of result.warnings) output.warn(warning);
    const { warnings: _warnings, ...document } = result;
    output.answer({ from: "bundle", ...document }, () => bundleText(result, frame).join("\n"));
    return;
  }
  const result = await importKimi(ground, source.path, options);
  for (const warning of result.warnings) output.warn(warning);
  const before = (await sessionHeaders(ground.store))
    .filter(({ id, header }) => id !== result.session && header?.imported?.name === result.original)
    .map(({ id }) => id);
  if (before.length > 0) output.warn(strings.exchange.importedBefore(before.join(", ")));
  const { warnings: _warnings, ...document } = result;
  output.answer({ from: "kimi", ...document, importedBefore: before }, () =>
    kimiText(result, frame).join("\n"),
  );
}

async function importWithFiles(importing: Importing<BundleFrom>): Promise<BundleImport> {
  const { frame, ground, source, options } = importing;
  // Loaded here: most commands need no files, and start faster without.
  const { openSnapshotObjects } = await import("../../../../open-files.ts");
  const objects = openSnapshotObjects({
    home: frame.home,
    sessionsIn: ground.store.place,
    name: "worldline sessions import",
    takeOver: frame.common.takeOver,
  });
  try {
    return await importBundle(ground, source.bundle, { ...options, objects });
  } finally {
    objects.close();
  }
}
