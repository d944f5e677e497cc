import type { FilesPreview } from "../../../../machine/files/requests.ts";
import type { Frame } from "../../../command/frame.ts";
import { requireConsent } from "../../../confirm.ts";

/** Asks once more where a journey deletes many paths. */
export async function requireDeletionConsent(
  frame: Frame,
  { deletions }: FilesPreview,
  yes: "given" | "absent",
): Promise<void> {
  const { values } = await frame.settings();
  if (deletions <= values["rewind.confirmDeletes"]) return;
  await requireConsent({ question: frame.strings.files.deleteQuestion(deletions), yes }, frame);
}
