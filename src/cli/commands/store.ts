import { heard } from "../../app/context.ts";
import { retentionOf } from "../../app/files/files.ts";
import { pathDocument, pathText } from "../../app/files/paths.ts";
import { withUpkeep } from "../../app/files/with-upkeep.ts";
import { oneLine } from "../../record/visible-text.ts";
import { MAX_SHOWN } from "../../show/change-text.ts";
import { table } from "../../show/table.ts";
import type { GcPlan } from "../../snapshots/keeping/gc.ts";
import { nameOf, type Ref } from "../../snapshots/keeping/ref.ts";
import type { Usage, UsageOf } from "../../snapshots/keeping/usage.ts";
import type { SnapshotProblem, VerifiedStore } from "../../snapshots/keeping/verify.ts";
import type { CollectedGarbage } from "../../snapshots/snapshot-upkeep.ts";
import { atAShell, wordingIn } from "../../strings/wording.ts";
import { requireConsent } from "../ask.ts";
import { defineCommand, flag } from "../command.ts";
import type { Frame } from "../frame.ts";
import { openProgress } from "../output.ts";

export const store = defineCommand({
  help: (help) => help.store,
  subcommands: [
    {
      name: "du",
      summary: (help) => help.storeDu.summary,
      load: async () => du,
    },
    {
      name: "verify",
      summary: (help) => help.storeVerify.summary,
      load: async () => verify,
    },
    {
      name: "gc",
      summary: (help) => help.storeGc.summary,
      load: async () => gc,
    },
  ],
});

export const du = defineCommand({
  help: (help) => help.storeDu,
  run: async ({ frame }) => {
    const { values } = await frame.settings();
    const usage = await withUpkeep(frame, "worldline store du", (upkeep) => upkeep.usage());
    const limit = values["snapshots.maxBytes"];
    frame.output.answer({ ...(usage ?? nothingUsed), limit }, () =>
      usage === undefined ? frame.strings.store.empty : usageText(usage, limit, frame).join("\n"),
    );
  },
});

const nothingUsed: Usage = {
  storedBytes: 0,
  objects: 0,
  sessions: [],
  workspaces: [],
  unreferencedBytes: 0,
  damaged: [],
};

function usageText(usage: Usage, limit: number, { strings }: Frame): string[] {
  const { store } = strings;
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

export const verify = defineCommand({
  help: (help) => help.storeVerify,
  run: async ({ frame }) => {
    const { output, strings } = frame;
    const progress = openProgress(frame);
    const found = await withUpkeep(frame, "worldline store verify", (upkeep) =>
      upkeep.verify(({ phase, done, of }) =>
        progress.show(
          phase === "reading" ? strings.store.reading(done, of) : strings.store.walking(done, of),
        ),
      ),
    ).finally(() => progress.clear());
    const verified = found ?? nothingVerified;
    const sound = isSound(verified);
    output.answer({ sound, ...documentOf(verified) }, () =>
      found === undefined ? strings.store.empty : verifiedText(verified, frame).join("\n"),
    );
    return sound ? 0 : 1;
  },
});

const nothingVerified: VerifiedStore = { damage: [], snapshots: 0, problems: [], lacking: [], refDamage: [] };

function isSound({ problems, damage, refDamage }: VerifiedStore): boolean {
  return problems.length + damage.length + refDamage.length === 0;
}

function documentOf({ problems, lacking, ...rest }: VerifiedStore) {
  return { ...rest, problems: problems.map(problemDocument), lacking: lacking.map(problemDocument) };
}

function problemDocument({ paths, ...problem }: SnapshotProblem) {
  return { ...problem, paths: paths.map(({ path, ...each }) => ({ ...pathDocument(path), ...each })) };
}

function verifiedText(verified: VerifiedStore, { strings }: Frame): string[] {
  const { damage, snapshots, problems, lacking, refDamage } = verified;
  const { store, files } = strings;
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

export const gc = defineCommand({
  help: (help) => help.storeGc,
  options: {
    dryRun: flag(),
    releaseDamaged: flag(),
    yes: flag(),
  },
  run: async ({ options, frame }) => {
    const mode = options.dryRun ? "dry-run" : "real";
    const yes = options.yes ? "given" : "absent";
    const settings = await frame.settings();
    const maxBytes = settings.values["snapshots.maxBytes"];
    const progress = openProgress(frame);
    const request = {
      retention: retentionOf(settings),
      maxBytes,
      damaged: options.releaseDamaged ? ("release" as const) : ("keep" as const),
      onProgress: (done: number, of: number) => progress.show(frame.strings.store.walking(done, of)),
    };
    const collected = await withUpkeep(frame, "worldline store gc", (upkeep) =>
      upkeep.collect(request, async (plan) => {
        progress.clear();
        return confirm(frame, plan, { mode, yes, maxBytes });
      }),
    ).finally(() => progress.clear());
    if (collected === undefined) frame.output.answer(emptyDocument(), () => frame.strings.store.empty);
    else answer(frame, collected, { mode, maxBytes });
  },
});

interface GcOptions {
  readonly mode: "dry-run" | "real";
  readonly maxBytes: number;
}

async function confirm(
  frame: Frame,
  plan: GcPlan,
  { mode, yes, maxBytes }: GcOptions & { readonly yes: "given" | "absent" },
): Promise<"yes" | "no"> {
  if (mode === "dry-run") return "no";
  const isNothing = plan.release.length === 0 && plan.objects === 0;
  if (isNothing) return "yes";
  if (frame.output.mode === "text") {
    for (const line of planText(plan, maxBytes, frame)) frame.output.notice(line);
  }
  const question = frame.strings.store.question(plan.release.length, plan.freedBytes);
  await heard(frame, () => requireConsent({ question, yes }, frame));
  return "yes";
}

function planText(plan: GcPlan, maxBytes: number, { strings }: Frame): string[] {
  const { store, files } = strings;
  const { release, objects, freedBytes, fits, refDamage } = plan;
  const more = release.length - MAX_SHOWN;
  return [
    ...(release.length === 0 ? [store.kept] : [store.willRelease(release.length)]),
    ...release.slice(0, MAX_SHOWN).map((ref) => `  ${oneLine(refText(ref))}`),
    ...(more > 0 ? [`  ${files.more(more)}`] : []),
    store.frees(objects, freedBytes),
    ...(fits === "yes" ? [] : [store.doesNotFit(maxBytes)]),
    ...refDamage.map(({ session, lines }) => store.refDamage(session, lines)),
  ];
}

function refText(ref: Ref): string {
  return `${nameOf(ref)}  ${ref.workspace}`;
}

interface Collected {
  readonly plan: GcPlan;
  readonly done: CollectedGarbage | undefined;
}

function answer(frame: Frame, { plan, done }: Collected, { maxBytes }: GcOptions): void {
  const { store } = frame.strings;
  if (done?.unswept !== undefined) frame.output.warn(store.notSwept(done.unswept.message));
  const { release, objects, freedBytes, storedBytes, fits, refDamage, damaged } = plan;
  const { message } = wordingIn(frame.strings.reasons, atAShell);
  for (const { names, snapshot, reason, params } of damaged)
    frame.output.warn(oneLine(store.damagedKept(names.join(", "), snapshot, message({ reason, params }))));
  const document = {
    changed: done !== undefined && (release.length > 0 || done.freedBytes > 0 || done.swept.length > 0),
    released: release.map(({ keptFor, ...ref }) => ({ ...keptFor, ...ref })),
    objects,
    freedBytes: done?.freedBytes ?? freedBytes,
    storedBytes,
    fits: fits === "yes",
    refDamage,
    damaged,
    swept: done?.swept ?? [],
  };
  frame.output.answer(document, () =>
    (done === undefined
      ? [...planText(plan, maxBytes, frame), store.dryRun]
      : [
          ...(release.length === 0 && objects === 0 ? planText(plan, maxBytes, frame) : []),
          ...(done.freedBytes === 0 ? [] : [store.collected(done.freedBytes)]),
          ...done.swept.map((workspace) => oneLine(store.swept(workspace))),
        ]
    ).join("\n"),
  );
}

function emptyDocument() {
  return {
    changed: false,
    released: [],
    objects: 0,
    freedBytes: 0,
    storedBytes: 0,
    fits: true,
    refDamage: [],
    damaged: [],
    swept: [],
  };
}
