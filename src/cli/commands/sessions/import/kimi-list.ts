import { openStore } from "../../../../app/sessions/ground.ts";
import { sessionHeaders } from "../../../../app/sessions/session-headers.ts";
import { systemClock } from "../../../../disk/system-clock.ts";
import {
  findKimiSessions,
  type KimiSession,
  kimiHome,
} from "../../../../machine/exchange/kimi/find-kimi-sessions.ts";
import { oneLine } from "../../../../record/printable.ts";
import { table } from "../../../../show/table.ts";
import { relativeTime } from "../../../../show/time.ts";
import type { Frame } from "../../../command/frame.ts";
import { shellWording } from "../../../places/command-again.ts";

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

/** The path stands last and is never cut: it is what one copies. */
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
