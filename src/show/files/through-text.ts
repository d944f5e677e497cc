import type { FilesOutcome, FilesPreview, ThroughOutcome } from "../../machine/files/requests.ts";
import type { Strings } from "../../strings/strings.ts";

/** Who takes the files back where it is not our snapshots, and what that one cannot do. */
export function throughLines({ through }: FilesPreview, { files }: Strings): string[] {
  if (through === undefined) return [];
  const { by, limits, noUndo } = files.through;
  return [
    by(through.name),
    ...through.limits.map((limit) => `  ${limits[limit]}`),
    ...(through.undo === "captured" ? [] : [noUndo]),
  ];
}

/** Why it failed, how the rest can be had, and that there is no way back where there is none. */
export function throughEnd({ through, kept }: FilesOutcome, { files }: Strings): string[] {
  if (through === undefined) return [];
  const { trouble, undo } = through;
  return [
    ...(trouble === undefined ? [] : [[trouble.message, trouble.hint ?? ""].join(" ").trim()]),
    ...(kept === 0 ? [] : [files.through.rest]),
    ...(undo === "captured" ? [] : [files.through.noUndo]),
  ];
}

export function throughDocument({ name, undo, trouble }: ThroughOutcome) {
  return {
    name,
    undo,
    ...(trouble === undefined
      ? {}
      : { trouble: { code: trouble.code, message: trouble.message, hint: trouble.hint ?? null } }),
  };
}
