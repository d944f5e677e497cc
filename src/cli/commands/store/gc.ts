import { retentionOf } from "../../../app/files/tidy-store.ts";
import { heard } from "../../../app/interrupts.ts";
import { oneLine } from "../../../record/printable.ts";
import { MOST_SHOWN } from "../../../show/files/change-text.ts";
import type { GcPlan } from "../../../snapshots/keeping/gc.ts";
import { nameOf, type Ref } from "../../../snapshots/keeping/ref.ts";
import type { CollectedGarbage } from "../../../snapshots/snapshot-upkeep.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag } from "../../command/parameters.ts";
import { requireConsent } from "../../confirm.ts";
import { openProgress } from "../../output/progress.ts";
import { withUpkeep } from "./with-upkeep.ts";

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

interface Wish {
  readonly mode: "dry-run" | "real";
  readonly maxBytes: number;
}

async function confirm(
  frame: Frame,
  plan: GcPlan,
  { mode, yes, maxBytes }: Wish & { readonly yes: "given" | "absent" },
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

function answer(frame: Frame, { plan, done }: Collected, { maxBytes }: Wish): void {
  const { store } = frame.strings;
  if (done?.unswept !== undefined) frame.output.warn(store.notSwept(done.unswept.message));
  const { release, objects, freedBytes, storedBytes, fits, refDamage, damaged } = plan;
  for (const { names, snapshot, why } of damaged)
    frame.output.warn(oneLine(store.damagedKept(names.join(", "), snapshot, why)));
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
