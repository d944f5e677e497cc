import { heard } from "../../app/context.ts";
import { type CollectedStore, collectStore, isSound, storeUsage, verifyStore } from "../../app/store.ts";
import { oneLine } from "../../record/visible-text.ts";
import { planLines, usageLines, verifiedDocument, verifiedLines } from "../../show/store-text.ts";
import type { GcPlan } from "../../snapshots/keeping/gc.ts";
import type { Usage } from "../../snapshots/keeping/usage.ts";
import type { VerifiedStore } from "../../snapshots/keeping/verify.ts";
import { atAShell, wordingIn } from "../../strings/wording.ts";
import { requireConsent } from "../ask.ts";
import { defineCommand, flag } from "../command.ts";
import type { Frame } from "../frame.ts";

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

const du = defineCommand({
  help: (help) => help.storeDu,
  run: async ({ frame }) => {
    const { output, strings } = frame;
    const { usage, limit } = await storeUsage(frame);
    output.answer({ ...(usage ?? nothingUsed), limit }, () =>
      usage === undefined ? strings.store.empty : usageLines(usage, limit, strings).join("\n"),
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

const verify = defineCommand({
  help: (help) => help.storeVerify,
  run: async ({ frame }) => {
    const { output, strings } = frame;
    const found = await verifyStore(frame);
    const verified = found ?? nothingVerified;
    const sound = isSound(verified);
    output.answer({ sound, ...verifiedDocument(verified) }, () =>
      found === undefined ? strings.store.empty : verifiedLines(verified, strings).join("\n"),
    );
    return sound ? 0 : 1;
  },
});

const nothingVerified: VerifiedStore = { damage: [], snapshots: 0, problems: [], lacking: [], refDamage: [] };

const gc = defineCommand({
  help: (help) => help.storeGc,
  options: {
    dryRun: flag(),
    releaseDamaged: flag(),
    yes: flag(),
  },
  run: async ({ options, frame }) => {
    const collected = await collectStore(frame, {
      damaged: options.releaseDamaged ? "release" : "keep",
      confirm: async (plan, limit) => (options.dryRun ? "no" : confirm(frame, plan, { limit, ...options })),
    });
    if (collected === undefined) frame.output.answer(nothingCollected, () => frame.strings.store.empty);
    else answer(frame, collected);
  },
});

async function confirm(
  frame: Frame,
  plan: GcPlan,
  { limit, yes }: { readonly limit: number; readonly yes: boolean },
): Promise<"yes"> {
  if (plan.release.length === 0 && plan.objects === 0) return "yes";
  const { output, strings } = frame;
  if (output.mode === "text") {
    for (const line of planLines(plan, limit, strings)) output.notice(line);
  }
  const question = strings.store.question(plan.release.length, plan.freedBytes);
  await heard(frame, () => requireConsent({ question, yes: yes ? "given" : "absent" }, frame));
  return "yes";
}

function answer({ output, strings }: Frame, { plan, done, limit }: CollectedStore): void {
  const { store } = strings;
  const { release, objects, freedBytes, storedBytes, fits, refDamage, damaged } = plan;
  const { message } = wordingIn(strings.reasons, atAShell);
  if (done?.unswept !== undefined) output.warn(store.notSwept(message(done.unswept)));
  for (const { names, snapshot, reason, params } of damaged)
    output.warn(oneLine(store.damagedKept(names.join(", "), snapshot, message({ reason, params }))));
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
  output.answer(document, () =>
    (done === undefined
      ? [...planLines(plan, limit, strings), store.dryRun]
      : [
          ...(release.length === 0 && objects === 0 ? planLines(plan, limit, strings) : []),
          ...(done.freedBytes === 0 ? [] : [store.collected(done.freedBytes)]),
          ...done.swept.map((workspace) => oneLine(store.swept(workspace))),
        ]
    ).join("\n"),
  );
}

const nothingCollected = {
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
