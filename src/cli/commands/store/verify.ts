import { pathDocument, pathText } from "../../../app/files/path-text.ts";
import { oneLine } from "../../../record/printable.ts";
import { MOST_SHOWN } from "../../../show/files/change-text.ts";
import type { SnapshotProblem, VerifiedStore } from "../../../snapshots/keeping/verify.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { openProgress } from "../../output/progress.ts";
import { withUpkeep } from "./with-upkeep.ts";

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
    const verified = found ?? nothing;
    const sound = isSound(verified);
    output.answer({ sound, ...documentOf(verified) }, () =>
      found === undefined ? strings.store.empty : textOf(verified, frame).join("\n"),
    );
    return sound ? 0 : 1;
  },
});

const nothing: VerifiedStore = { damage: [], snapshots: 0, problems: [], lacking: [], refDamage: [] };

function isSound({ problems, damage, refDamage }: VerifiedStore): boolean {
  return problems.length + damage.length + refDamage.length === 0;
}

function documentOf({ problems, lacking, ...rest }: VerifiedStore) {
  return { ...rest, problems: problems.map(problemDocument), lacking: lacking.map(problemDocument) };
}

function problemDocument({ paths, ...problem }: SnapshotProblem) {
  return { ...problem, paths: paths.map(({ path, ...each }) => ({ ...pathDocument(path), ...each })) };
}

function textOf(verified: VerifiedStore, { strings }: Frame): string[] {
  const { damage, snapshots, problems, lacking, refDamage } = verified;
  const { store, files } = strings;
  const lines = [
    ...[...problems, ...lacking].flatMap(({ names, paths, count }) => [
      store.problem(names.join(", "), count),
      ...paths.map(({ path, what }) => store.pathProblem(pathText(path), store.whats[what])),
    ]),
    ...refDamage.map(({ session, lines: count }) => store.refDamage(session, count)),
    ...damage.map((each) => oneLine(store.damage(each.segment, each.offset, each.why))),
  ];
  if (lines.length === 0) return [store.sound(snapshots)];
  const more = lines.length - MOST_SHOWN;
  return [
    ...lines.slice(0, MOST_SHOWN),
    ...(more > 0 ? [files.more(more)] : []),
    isSound(verified) ? store.soundOtherwise(snapshots) : store.verdict(problems.length, damage.length),
  ];
}
