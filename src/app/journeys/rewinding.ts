import { previewFiles } from "../../machine/files/preview.ts";
import type { FilesPreview, FilesWish, JourneyWish, RewindWish } from "../../machine/files/requests.ts";
import type { RewindResult } from "../../machine/journeys/person-journeys.ts";
import { summarise } from "../../machine/queries/sessions.ts";
import type { Session } from "../../machine/session.ts";
import type { Scope } from "../../record/entry.ts";
import { refuseHeld } from "../agent/held-elsewhere.ts";
import { type Effect, effectOf, noEffect } from "../checkpoints/distance.ts";
import { namedPlace } from "../checkpoints/named-place.ts";
import type { CurrentSession, SessionAccess } from "../current/session-access.ts";
import { touchedIn } from "../files/files.ts";
import { withHeld } from "../sessions/hold.ts";
import { byHand } from "./by-hand.ts";
import { filesMade, filesPreviewed } from "./files-told.ts";
import { type FoundRow, findRow } from "./find-row.ts";
import type { FilesChoice, JourneyMade, JourneyPreview, OnProgress, RewindRequest } from "./journey-types.ts";
import { choicesByPath } from "./path-names.ts";
import { patienceOf } from "./patience.ts";
import { requireWayBack } from "./require-way-back.ts";
import { settledScope } from "./scope-offer.ts";

/** What a rewind would do. */
export async function previewRewind(
  parts: SessionAccess,
  wish: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyPreview> {
  const found = await findRow(parts, wish);
  const settled = await settledRewind(found, wish.scope);
  const { view, row } = found;
  const visit = await visitOf(found);
  if (visit.opens !== undefined) {
    const { context, opened } = parts.here();
    await refuseHeld(opened.ground.store, view.id, context.common.takeOver);
  }
  const effect = settled.scope === "files" ? noEffect(view.outline) : effectOf(view.outline, row);
  const files = settled.scope === "conversation" ? {} : await previewed(parts, found, { wish, progress });
  return {
    ...settled,
    place: parts.here().words.place(await namedPlace(found.view, found.row)),
    entries: effect.left,
    ...tokensLeft(effect),
    ...visit,
    ...files,
  };
}

/** A place with more context than here leaves none behind. */
export function tokensLeft({ tokensBefore, tokensAfter }: Effect): Pick<JourneyPreview, "tokens"> {
  return tokensBefore < tokensAfter ? {} : { tokens: tokensBefore - tokensAfter };
}

/** The session that has to be opened for it. One without a conversation is held for the journey alone. */
async function visitOf({ where, view }: FoundRow): Promise<Pick<JourneyPreview, "opens">> {
  if (where === "held" || view.header.mode !== "agent") return {};
  const { title } = await summarise(view);
  return { opens: { session: view.id, ...(title === "" ? {} : { title }) } };
}

interface Settled {
  readonly scope: Scope;
  readonly filesStay?: string;
}

/** Refused before anything is looked at or opened, so that a refusal leaves no trace. */
async function settledRewind(found: FoundRow, wanted: Scope): Promise<Settled> {
  const settled = await settledScope(found, wanted);
  requireWayBack(found.view, found.row, settled.scope);
  return settled;
}

interface Asked {
  readonly wish: FilesChoice;
  readonly progress: OnProgress | undefined;
}

async function previewed(
  parts: SessionAccess,
  found: FoundRow,
  { wish, progress }: Asked,
): Promise<Pick<JourneyPreview, "files">> {
  const { here } = found;
  const look = async (chosen: FilesWish): Promise<FilesPreview> => {
    const asked = { ...chosen, ...byOf(found), to: found.row.number, ...patienceOf(progress) };
    return found.where === "held"
      ? parts.here().opened.session.previewFiles(asked)
      : previewFiles({ view: found.view, files: here.files, ...touchedIn(here) }, asked);
  };
  const chosen = await chosenPaths(wish, async () => look({}));
  return { files: await filesPreviewed(parts.here(), await look(chosen), here.files) };
}

/** Who takes the files back, where it is not our snapshots. */
function byOf({ through }: FoundRow): Pick<RewindWish, "through"> {
  return through === undefined ? {} : { through };
}

/** The choices by path. The names are those of a preview, so one is made to read them. */
export async function chosenPaths(
  { choices }: FilesChoice,
  preview: () => Promise<FilesPreview>,
): Promise<Pick<FilesWish, "choices">> {
  if (choices === undefined || choices.size === 0) return {};
  return { choices: choicesByPath(await preview(), choices) };
}

/** Makes a rewind; the row's session is opened first, where it is another agent's. */
export async function makeRewind(
  parts: SessionAccess,
  wish: RewindRequest,
  progress: OnProgress | undefined,
): Promise<JourneyMade> {
  const left = parts.here().opened.session.id;
  const { found, settled, place, opens } = await byHand(parts, async () => decided(parts, wish));
  const { journey, prompt, files } = await inSession(parts, found, async (session) =>
    travel(session, settled.scope, { to: found.row.number, wish, progress, by: byOf(found) }),
  );
  return {
    journey,
    scope: settled.scope,
    place,
    ...(opens === undefined ? {} : { visit: { left, opened: opens } }),
    ...redoOf(parts.here(), found),
    // A command does not come back into the editor: one Enter too many would do again what was taken back.
    ...(settled.scope === "files" || prompt === undefined ? {} : { prompt }),
    ...(settled.scope === "conversation" ? {} : { files: filesMade(files, parts.here().words) }),
    differ: files.differ.length,
  };
}

/** What is held for the journey alone is not what `/redo` is about. */
function redoOf({ words }: CurrentSession, { where, view }: FoundRow): Pick<JourneyMade, "redo"> {
  const isHeldAlone = where === "elsewhere" && view.header.mode === "execution";
  if (!isHeldAlone) return {};
  return { redo: words.shellCommand(`redo --session ${view.id}`) };
}

interface Decided extends Pick<JourneyPreview, "opens" | "place"> {
  readonly found: FoundRow;
  readonly settled: Settled;
}

async function decided(parts: SessionAccess, wish: RewindRequest): Promise<Decided> {
  const found = await findRow(parts, wish);
  return {
    found,
    settled: await settledRewind(found, wish.scope),
    place: parts.here().words.place(await namedPlace(found.view, found.row)),
    ...(await visitOf(found)),
  };
}

/** A session of a workspace or a program has no conversation to open: it is held for the journey alone. */
async function inSession(
  parts: SessionAccess,
  { where, view, here }: FoundRow,
  work: (session: Session) => Promise<RewindResult>,
): Promise<RewindResult> {
  if (where === "elsewhere" && view.header.mode !== "agent") {
    const { context, opened } = parts.here();
    const { ground } = opened;
    // The person sits in front of it: who has it is said at once.
    const hold = { context, ground, session: view.id, name: "worldline", files: here.files, waitMs: 0 };
    return byHand(parts, async () => withHeld(hold, work));
  }
  await parts.open(view.id);
  return byHand(parts, async () => work(parts.here().opened.session));
}

async function travel(
  session: Session,
  scope: Scope,
  { to, wish, progress, by }: Asked & { readonly to: number; readonly by: Pick<RewindWish, "through"> },
): Promise<RewindResult> {
  const patience: JourneyWish = patienceOf(progress);
  if (scope === "conversation") return session.rewind({ ...patience, to, scope });
  const chosen = await chosenPaths(wish, async () => session.previewFiles({ ...patience, ...by, to }));
  return session.rewind({ ...patience, ...chosen, ...by, to, scope });
}
