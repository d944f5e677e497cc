import { createSession, type Ground } from "../../../machine/open.ts";
import { checkLabel } from "../../../machine/writing/labels.ts";
import type { SessionId } from "../../../record/ids.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { optional } from "../../command/parameters.ts";
import { chooseSession } from "../../timeline/choose-session.ts";
import { provideGround } from "../../timeline/ground.ts";
import { withHeld } from "../../timeline/hold.ts";
import { requireReachable } from "./reachable-label.ts";

const NAME = "worldline checkpoint";

export const checkpoint = defineCommand({
  description:
    "Makes a checkpoint where the session stands now. In a workspace without a session, its own session is begun.",
  arguments: { label: optional("a name for it; not only digits") },
  examples: [
    { command: "worldline checkpoint", meaning: "make a checkpoint; prints its number" },
    { command: 'worldline checkpoint "before refactoring"', meaning: "make one that can be named later" },
  ],
  run: async ({ arguments: { label: given }, frame }) => {
    const { output, strings } = frame;
    const label = given?.trim();
    if (label !== undefined) {
      checkLabel(label);
      requireReachable(label);
    }
    const ground = await provideGround(frame);
    const { id: session, began } = await chosenOrNew(frame, ground);
    const number = await withHeld({ frame, ground, session, name: NAME }, (held) => held.checkpoint(label));
    const document = { session, began, number, label: label ?? null, files: "none" };
    output.answer(document, () =>
      [
        label === undefined
          ? strings.checkpoints.made(number, session)
          : strings.checkpoints.madeWithLabel(number, label, session),
        strings.checkpoints.withoutFiles,
      ].join("\n"),
    );
  },
});

async function chosenOrNew(
  frame: Frame,
  ground: Ground,
): Promise<{ id: SessionId; began: "now" | "before" }> {
  const view = await chooseSession(frame, ground.store);
  if (view !== undefined) return { id: view.id, began: "before" };
  const workspace = await frame.workspace();
  const session = await createSession(ground, { workspace, mode: "workspace" }, { name: NAME });
  await session.close();
  frame.output.notice(frame.strings.sessionsHere.created(session.id));
  return { id: session.id, began: "now" };
}
