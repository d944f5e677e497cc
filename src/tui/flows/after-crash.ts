import type { ModelState } from "../../app/agent/models.ts";
import type { CutOff } from "../../app/queries/query-types.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { type MenuRow, type MenuState, menu } from "../dialogs/dialog.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";
import { rewindTo } from "./rewind.ts";

/** Shows what was open when the turn was cut off, and does what the user chooses. */
export async function afterCrashFlow(context: CommandContext, cut: CutOff): Promise<void> {
  await withErrorsShown(context, async () => {
    let answer: AfterCrashAnswer | undefined;
    do {
      answer = await context.ask(afterCrash(context.strings, cut, context.app.model.state));
    } while (answer === "rewind-files" && (await rewindFiles(context, cut)) === "back");
    if (answer === "continue" || answer === "retry") await context.resumeTurn(answer);
    // The decision is recorded, so that the question is not asked again the next time the session is opened.
    else if (answer !== undefined) await context.app.journeys.leaveCut();
  });
}

async function rewindFiles(context: CommandContext, { before: number }: CutOff): Promise<"made" | "back"> {
  return number === undefined
    ? "back"
    : rewindTo(context, { session: context.app.agent.session, number }, "files");
}

type AfterCrashAnswer = "continue" | "retry" | "rewind-files" | "leave";

/**
 * Creates a menu that shows what a cut-off turn left open, and the user's choices. Without a model, the turn cannot be
 * continued.
 */
export function afterCrash(
  strings: Strings,
  cut: Pick<CutOff, "step" | "openCalls" | "before">,
  model: ModelState["state"],
): Dialog<MenuState, AfterCrashAnswer> {
  const { crash, keys } = strings.terminal.dialogs;
  const calls = cut.openCalls.map(({ name, about }) => crash.call(name, about));
  const files: MenuRow<AfterCrashAnswer>[] =
    cut.before === undefined
      ? []
      : [
          {
            text: crash.rewindFiles(cut.before),
            description: crash.rewindFilesMeans,
            answer: "rewind-files",
          },
        ];
  const resumeRows: MenuRow<AfterCrashAnswer>[] = [
    { text: crash.continue, description: crash.continueMeans, answer: "continue" },
    { text: crash.retry, description: crash.retryMeans, answer: "retry" },
  ];
  return menu({
    title: crash.title(cut.step),
    about: calls.length === 0 ? [crash.noCalls] : [crash.calls, ...calls],
    rows: [
      ...(model === "ready" ? resumeRows : []),
      ...files,
      { text: crash.leave, description: crash.leaveMeans, answer: "leave" },
    ],
    keys: keys.menu,
  });
}
