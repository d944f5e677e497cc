import { reachableLabel, warnOfLookalike } from "../../../app/checkpoints/reachable-label.ts";
import { type FilesHere, withFiles } from "../../../app/files/files.ts";
import { patiently } from "../../../app/files/patiently.ts";
import { chooseSession } from "../../../app/sessions/choose-session.ts";
import { provideGround } from "../../../app/sessions/ground.ts";
import { withHeld } from "../../../app/sessions/hold.ts";
import type { FilesProgress } from "../../../machine/files/requests.ts";
import { createSession, type Ground } from "../../../machine/open.ts";
import type { Session } from "../../../machine/session.ts";
import type { SessionId } from "../../../record/ids.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { optional } from "../../command/parameters.ts";
import { capturedDocument, capturedFiles, capturedText } from "./captured-files.ts";

const NAME = "worldline checkpoint";

export const checkpoint = defineCommand({
  description:
    "Makes a checkpoint where the session stands now, and captures the workspace's files. In a workspace without a session, " +
    "its own session is begun. What could not be captured is named; where no file could be, the exit code is 1.",
  arguments: { label: optional("a name for it; not only digits") },
  examples: [
    { command: "worldline checkpoint", meaning: "make a checkpoint; prints its number" },
    { command: 'worldline checkpoint "before refactoring"', meaning: "make one that can be named later" },
  ],
  run: async ({ arguments: { label: given }, frame }) => {
    const label = given === undefined ? undefined : reachableLabel(given);
    const ground = await provideGround(frame);
    const chosen = await chosenOrNew(frame, ground);
    return withFiles(frame, chosen.workspace, async (here) => {
      const hold = { context: frame, ground, session: chosen.id, name: NAME, files: here.files };
      const made = await withHeld(hold, (session) => make(frame, session, { label, here }));
      answer(frame, { ...chosen, label, ...made });
      return made.captured.state === "none" && isExpected(here) ? 1 : 0;
    });
  },
});

/**
 * Whether there should have been files. Then the exit code says that there are none, so that nobody goes on without a way back:
 * `worldline checkpoint && make`. Switched off, or in the home folder, nobody expects any.
 */
function isExpected(here: FilesHere): boolean {
  return here.state === "on" || (here.state === "unusable" && here.error.code !== "WORKSPACE_UNUSABLE");
}

interface Made {
  readonly number: number;
  readonly captured: Awaited<ReturnType<typeof capturedFiles>>;
}

async function make(
  frame: Frame,
  session: Session,
  { label, here }: { readonly label: string | undefined; readonly here: FilesHere },
): Promise<Made> {
  let read = 0;
  if (label !== undefined) warnOfLookalike(frame, await session.labels(), label);
  const number = await patiently(frame, (wish) => {
    const onProgress = (progress: FilesProgress) => {
      wish.onProgress(progress);
      if (progress.doing === "capture") read = progress.ofFiles;
    };
    return session.checkpoint(label, { ...wish, onProgress });
  });
  return { number, captured: await capturedFiles(session, { here, checkpoint: number, read }) };
}

interface Answer extends Made {
  readonly id: SessionId;
  readonly began: "now" | "before";
  readonly label: string | undefined;
}

function answer({ output, strings }: Frame, { id, began, label, number, captured }: Answer): void {
  const document = {
    session: id,
    began,
    number,
    label: label ?? null,
    files: capturedDocument(captured),
  };
  output.answer(document, () =>
    [
      label === undefined
        ? strings.checkpoints.made(number, id)
        : strings.checkpoints.madeWithLabel(number, label, id),
      ...capturedText(captured, strings),
    ].join("\n"),
  );
}

interface Chosen {
  readonly id: SessionId;
  readonly workspace: string;
  readonly began: "now" | "before";
}

async function chosenOrNew(frame: Frame, ground: Ground): Promise<Chosen> {
  const view = await chooseSession(frame, ground.store);
  if (view !== undefined) return { id: view.id, workspace: view.header.workspace, began: "before" };
  const workspace = await frame.workspace();
  const session = await createSession(ground, { workspace, mode: "workspace" }, { name: NAME });
  await session.close();
  frame.output.notice(frame.strings.sessionsHere.created(session.id));
  return { id: session.id, workspace, began: "now" };
}
