import { pathDocument, pathText } from "../app/files/paths.ts";
import { isSound } from "../app/store.ts";
import { oneLine } from "../record/visible-text.ts";
import type { GcPlan } from "../snapshots/keeping/gc.ts";
import { nameOf, type Ref } from "../snapshots/keeping/ref.ts";
import type { Usage, UsageOf } from "../snapshots/keeping/usage.ts";
import type { SnapshotProblem, VerifiedStore } from "../snapshots/keeping/verify.ts";
import type { Strings } from "../strings/strings.ts";
import { MAX_SHOWN } from "./change-text.ts";
import { table } from "./table.ts";

/** Describes how the space in the snapshot store is used. `limit`: the setting `snapshots.maxBytes`. */
export function usageLines(usage: Usage, limit: number, { store }: Strings): string[] {
  const row = (name: string, { snapshots, ownBytes }: UsageOf) => [
    oneLine(name),
    store.row(snapshots, ownBytes),
  ];
  const indented = (rows: readonly (readonly string[])[]) => table(rows).map((line) => `  ${line}`);
  return [
    store.total(usage.storedBytes, usage.objects),
    store.limit(limit),
    store.unreferenced(usage.unreferencedBytes),
    store.perWorkspace,
    ...indented(usage.workspaces.map((each) => row(each.workspace, each))),
    store.perSession,
    ...indented(usage.sessions.map((each) => row(each.session, each))),
    ...(usage.damaged.length === 0 ? [] : [store.damagedSnapshots(usage.damaged.length)]),
  ];
}

/** Lists the damaged and missing objects in the snapshot store. */
export function verifiedLines(verified: VerifiedStore, { store, files }: Strings): string[] {
  const { damage, snapshots, problems, lacking, refDamage } = verified;
  const lines = [
    ...[...problems, ...lacking].flatMap(({ names, paths, count }) => [
      store.problem(names.join(", "), count),
      ...paths.map(({ path, what }) => store.pathProblem(pathText(path), store.whats[what])),
    ]),
    ...refDamage.map(({ session, lines: count }) => store.refDamage(session, count)),
    ...damage.map((each) => oneLine(store.damage(each.segment, each.offset, store.fault(each.fault)))),
  ];
  if (lines.length === 0) return [store.sound(snapshots)];
  const more = lines.length - MAX_SHOWN;
  return [
    ...lines.slice(0, MAX_SHOWN),
    ...(more > 0 ? [files.more(more)] : []),
    isSound(verified) ? store.soundOtherwise(snapshots) : store.verdict(problems.length, damage.length),
  ];
}

/** Returns the complete verification result as JSON. */
export function verifiedDocument({ problems, lacking, ...rest }: VerifiedStore) {
  return { ...rest, problems: problems.map(problemDocument), lacking: lacking.map(problemDocument) };
}

function problemDocument({ paths, ...problem }: SnapshotProblem) {
  return { ...problem, paths: paths.map(({ path, ...each }) => ({ ...pathDocument(path), ...each })) };
}

/**
 * Lists the snapshots that a collection would release and the objects that it would remove. `limit`: the setting
 * `snapshots.maxBytes`.
 */
export function planLines(plan: GcPlan, limit: number, { store, files }: Strings): string[] {
  const { release, objects, freedBytes, fits, refDamage } = plan;
  const more = release.length - MAX_SHOWN;
  return [
    ...(release.length === 0 ? [store.kept] : [store.willRelease(release.length)]),
    ...release.slice(0, MAX_SHOWN).map((ref) => `  ${oneLine(refText(ref))}`),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
    store.frees(objects, freedBytes),
    ...(fits === "yes" ? [] : [store.doesNotFit(limit)]),
    ...refDamage.map(({ session, lines }) => store.refDamage(session, lines)),
  ];
}

function refText(ref: Ref): string {
  return `${nameOf(ref)}  ${ref.workspace}`;
}
