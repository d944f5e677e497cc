import { heard } from "../../app/context.ts";
import { retentionOf } from "../../app/files/files.ts";
import { pathDocument, pathText } from "../../app/files/paths.ts";
import { withUpkeep } from "../../app/files/with-upkeep.ts";
import { oneLine } from "../../record/visible-text.ts";
import { MOST_SHOWN } from "../../show/change-text.ts";
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
  description: "Looks after the store in which the files of all checkpoints of all workspaces are kept.",
  examples: [
    { command: "worldline store du", meaning: "how much room it takes, and for whom" },
    { command: "worldline store verify", meaning: "read everything, and say what is damaged" },
    { command: "worldline store gc --dry-run", meaning: "what could go" },
  ],
  subcommands: [
    {
      name: "du",
      summary: "how much room the files of checkpoints take",
      load: async () => du,
    },
    {
      name: "verify",
      summary: "read everything that is stored, and say what is damaged",
      load: async () => verify,
    },
    {
      name: "gc",
      summary: "remove what nothing needs, and let old checkpoints' files go where there is too much",
      load: async () => gc,
    },
  ],
});

export const du = defineCommand({
  description:
    "Says how much room the files of all checkpoints take. Most is shared: of each workspace and session it says what nobody " +
    "else needs, which is exactly what letting go of that one alone would free.",
  examples: [
    { command: "worldline store du", meaning: "how much room, and for whom" },
    { command: "worldline store du --json", meaning: "as data" },
  ],
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
  description:
    "Reads everything that is stored, compares it with what was written, and walks every snapshot down to the last file. " +
    "Changes nothing. Exit code 1 when something is damaged: then it says which checkpoints cannot restore which paths. " +
    "What was forgotten on purpose is named, and is no damage.",
  examples: [
    { command: "worldline store verify", meaning: "look, and change nothing" },
    { command: "worldline store verify --json", meaning: "as data" },
  ],
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
  const more = lines.length - MOST_SHOWN;
  return [
    ...lines.slice(0, MOST_SHOWN),
    ...(more > 0 ? [files.more(more)] : []),
    isSound(verified) ? store.soundOtherwise(snapshots) : store.verdict(problems.length, damage.length),
  ];
}

export const gc = defineCommand({
  description:
    "Removes what no checkpoint and no journey needs. Where the store is over snapshots.maxBytes, it also lets go of the " +
    "files of old checkpoints, oldest first; their conversation stays. Kept in any case: the newest checkpointKeepCount " +
    "(10) of each session, every label, and what the last 10 journeys left. Says what goes, and asks. " +
    "What is left of a damaged snapshot stays, with all that may be its own, unless --release-damaged gives it up.",
  options: {
    dryRun: flag("show what would go, and change nothing"),
    releaseDamaged: flag("also let go of the files of checkpoints that cannot be read through"),
    yes: flag("do not ask"),
  },
  examples: [
    { command: "worldline store gc --dry-run", meaning: "what would go" },
    { command: "worldline store gc --yes", meaning: "without being asked" },
    {
      command: "worldline store gc --setting snapshots.maxBytes=1000000000",
      meaning: "down to 1 GB, as far as that can be done",
    },
  ],
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
  const more = release.length - MOST_SHOWN;
  return [
    ...(release.length === 0 ? [store.kept] : [store.willRelease(release.length)]),
    ...release.slice(0, MOST_SHOWN).map((ref) => `  ${oneLine(refText(ref))}`),
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
