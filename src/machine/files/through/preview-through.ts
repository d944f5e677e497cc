import { type FileState, type PathChange, pathOfText } from "../../../record/files.ts";
import type { KeptPath } from "../../../travel/files/kept.ts";
import type { PreviewGround } from "../look.ts";
import type { FilesPreview } from "../requests.ts";
import { lookThrough, type ThroughLook, type ThroughWish } from "./look-through.ts";

/** What a rewind through another agent's file checkpoints would do. Changes nothing. */
export async function previewThrough(ground: PreviewGround, wish: ThroughWish): Promise<FilesPreview> {
  const { through } = wish;
  const look = await lookThrough(ground, wish);
  const { present, target, untracked } = look;
  const steps = await stepsOf(ground, look);
  return {
    ...(target === undefined ? {} : { target: target.snapshot }),
    ...(present === undefined ? {} : { present: present.snapshot }),
    changes: [...steps, ...untracked],
    steps,
    kept: untracked.map(({ path }): KeptPath => ({ path, why: "untracked" })),
    conflicts: [],
    during: [],
    deletions: steps.filter(({ after }) => after === undefined).length,
    gitHead: {
      ...(target?.gitHead === undefined ? {} : { target: target.gitHead }),
      ...(present?.gitHead === undefined ? {} : { present: present.gitHead }),
    },
    through: {
      name: through.name,
      limits: through.limits,
      undo: present === undefined && ground.touchedFiles === undefined ? "not-captured" : "captured",
    },
  };
}

/** What it will make of a path, it does not say; our snapshot of the checkpoint does, where there is one. */
const UNKNOWN: FileState = { kind: "left-out", why: "unreadable" };

async function stepsOf(
  { files }: PreviewGround,
  { inside, beside, present, target }: ThroughLook,
): Promise<readonly PathChange[]> {
  const steps: PathChange[] = [];
  for (const path of inside) {
    const before = present && (await files?.stateAt(present.snapshot, path));
    const after = target === undefined ? UNKNOWN : await files?.stateAt(target.snapshot, path);
    steps.push({ path, before, after });
  }
  return [...steps, ...beside.map((path) => ({ path: pathOfText(path), before: UNKNOWN, after: UNKNOWN }))];
}
