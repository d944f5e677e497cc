import type { ModelState } from "../../../app/agent/models/model-types.ts";
import type { CutTurn } from "../../../app/queries/query-types.ts";
import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { type MenuRow, type MenuState, menu } from "../pieces/menu.ts";

export type AfterCrashAnswer = "continue" | "retry" | "rewind-files" | "leave";

/** What a turn that was cut left open, and what can be done about it. Only a model can go on with it. */
export function afterCrash(
  strings: Strings,
  cut: CutTurn,
  model: ModelState["state"],
): Dialog<MenuState, AfterCrashAnswer> {
  const { crash, keys } = strings.terminal.dialogs;
  const calls = cut.calls.map(({ name, about }) => crash.call(name, about));
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
  const goingOn: MenuRow<AfterCrashAnswer>[] = [
    { text: crash.continue, description: crash.continueMeans, answer: "continue" },
    { text: crash.retry, description: crash.retryMeans, answer: "retry" },
  ];
  return menu({
    title: crash.title(cut.step),
    about: calls.length === 0 ? [crash.noCalls] : [crash.calls, ...calls],
    rows: [
      ...(model === "ready" ? goingOn : []),
      ...files,
      { text: crash.leave, description: crash.leaveMeans, answer: "leave" },
    ],
    keys: keys.menu,
  });
}
