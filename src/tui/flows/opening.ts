import type { SampleProgress } from "../../app/find.ts";
import type { ResumedRecap } from "../../app/queries/query-types.ts";
import type { Untrusted } from "../../app/settings/trust.ts";
import { isWorldlineError } from "../../record/error.ts";
import { visibleName } from "../../record/visible-text.ts";
import { answerLines, findProgressText } from "../../show/find-text.ts";
import { recapText } from "../../show/recap-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { screenWording } from "../../strings/wording.ts";
import {
  confirm,
  type Dialog,
  framed,
  type MenuRow,
  type MenuState,
  menuRows,
  pressMenu,
} from "../dialogs/dialog.ts";
import { textQuestion } from "../dialogs/list.ts";
import { pager } from "../dialogs/pager.ts";
import type { Look, Space } from "../look/look.ts";
import { cut, wrapped } from "../look/text.ts";
import { FIRST_STEPS } from "../view/conversation.ts";
import { afterCrashFlow } from "./after-crash.ts";
import {
  type CommandContext,
  showError,
  showNotice,
  type WorkContext,
  withErrorsShown,
} from "./command-context.ts";
import { connectFlow } from "./connect.ts";
import { resumeFlow } from "./sessions.ts";

interface OpeningOptions {
  /** The prompt from the command line. It is sent as the first input. */
  readonly firstPrompt?: string;
  /** Present if the user wants to choose the session first. */
  readonly pick?: "session";
  /** The recap of the session at the time it was opened. A turn that begins later is not the one that was cut off. */
  readonly recap: ResumedRecap | undefined;
}

/**
 * Runs the dialogs after a session has been opened and before the user types: warnings, trust, auto mode, and the
 * recap.
 */
export async function afterOpening(
  context: CommandContext,
  { firstPrompt, pick, recap }: OpeningOptions,
): Promise<void> {
  try {
    showWarnings(context);
    await trustFlow(context);
    if (pick === "session") await resumeFlow(context);
    await autoFlow(context);
    if (pick !== "session") await showRecap(context, recap);
    if (firstPrompt !== undefined) await context.send(firstPrompt);
  } catch (error) {
    showError(context, error);
  }
}

/** Shows warnings about a session that was copied or imported here. */
export function showWarnings(context: CommandContext): void {
  for (const notice of context.app.warnings) showNotice(context, notice);
}

/** Shows the recap that every resume starts with. If a turn was cut off, asks how to continue. */
export async function showRecap(context: CommandContext, recap: ResumedRecap | undefined): Promise<void> {
  if (recap === undefined) return;
  context.answer({ asked: "", text: recapText(recap.recap, context.strings), form: "plain" });
  if (recap.cut !== undefined) await afterCrashFlow(context, recap.cut);
}

/**
 * Asks whether auto mode may begin. The user is asked once in each session. The question says what will run without
 * asking.
 */
export async function confirmAuto(
  context: Pick<CommandContext, "app" | "strings" | "ask">,
): Promise<boolean> {
  const { app, strings } = context;
  if (app.auto.isConfirmed) return true;
  const { title, about, yes, no } = strings.terminal.dialogs.auto;
  const answer = await context.ask(confirm(strings, { question: title, about, yes, no }));
  if (answer === "yes") app.auto.confirm();
  return answer === "yes";
}

/**
 * Asks the user about auto mode if the settings or the session's last mode request it. Until the user agrees, the mode
 * is manual.
 */
export async function autoFlow(context: CommandContext): Promise<void> {
  await withErrorsShown(context, async () => {
    const { app } = context;
    if (!app.auto.takeRequest()) return;
    if (await confirmAuto(context)) app.agent.setMode("auto");
    const { modeNow, status } = context.strings.terminal.screen;
    context.say({ tone: "quiet", line: modeNow(status.modes[app.agent.mode]) });
  });
}

/** Runs one of the steps that can be tried without a model. The steps are real, not simulated. */
export async function takeFirstStep(context: CommandContext, number: number): Promise<void> {
  const step = FIRST_STEPS[number - 1];
  if (step === undefined) return;
  try {
    await steps[step](context);
  } catch (error) {
    showError(context, error);
  }
}

const steps: Readonly<Record<(typeof FIRST_STEPS)[number], (context: CommandContext) => Promise<void>>> = {
  sample: async (context) => {
    const { strings } = context;
    const { withoutModel } = strings.terminal.screen;
    const words = strings.terminal.app.sample;
    const findWords = { strings, wording: screenWording(strings) };
    const addLine = context.growingAnswer("worldline find --sample");
    const showProgress = (progress: SampleProgress): void => {
      const lines =
        progress.doing === "break"
          ? [words.made(progress.folder), words.broken(progress.steps), words.asked]
          : [findProgressText(progress, findWords)];
      for (const line of lines) addLine(line);
    };
    const find = async ({ signal }: WorkContext): Promise<void> => {
      const { answer, verdict } = await context.demonstrations.findInSample(showProgress, signal);
      const lines = answerLines(answer, findWords).flatMap((text) => text.split("\n"));
      for (const line of [...lines, words[verdict], words.gone]) addLine(line);
    };
    try {
      await context.wait(withoutModel.finding, find, "cancellable");
    } catch (error) {
      if (!isWorldlineError(error) || error.code !== "CANCELLED") throw error;
      context.say({ tone: "warning", line: withoutModel.stopped });
    }
    context.say({ tone: "quiet", line: withoutModel.more });
  },
  playground: async (context) => {
    const { screen } = context.strings.terminal;
    const folder = await context.wait(screen.opening, async () => {
      const made = await context.demonstrations.makePlayground();
      await context.app.sessions.openFolder(made);
      return made;
    });
    // Reloads first, because anything shown before the new conversation is read would disappear with the old one.
    await context.reload();
    context.say({ tone: "good", line: screen.withoutModel.playgroundOpened(folder) });
  },
  folder: async (context) => {
    const { screen } = context.strings.terminal;
    const folder = await context.ask(
      textQuestion({
        title: screen.withoutModel.whichFolder,
        keys: context.strings.terminal.dialogs.keys.text,
      }),
    );
    if (folder === undefined || folder.trim() === "") return;
    await context.wait(screen.opening, async () => context.app.sessions.openFolder(folder.trim()));
    await context.reload();
    context.say({ tone: "good", line: screen.withoutModel.folderOpened(context.app.agent.workspace) });
  },
  sessions: async (context) => resumeFlow(context, "all"),
  connect: async (context) => connectFlow(context),
};

/**
 * Asks once whether the folder's own configuration may be used. Does nothing if the folder has no such configuration.
 */
export async function trustFlow(context: CommandContext): Promise<void> {
  const { trust } = context.strings.terminal.dialogs;
  await withErrorsShown(context, async () => {
    for (;;) {
      const untrusted = await context.app.upkeep.untrusted();
      if (untrusted === undefined || (await askTrust(context, untrusted)) !== "trust") return;
      if ((await context.app.upkeep.trust(untrusted)) === "done") break;
      // The configuration changed while the question was open, so it is shown again.
      context.say({ tone: "warning", line: trust.changed });
    }
    context.say({ tone: "good", line: trust.trusted });
  });
}

async function askTrust(
  context: CommandContext,
  untrusted: Untrusted,
): Promise<"trust" | "ignore" | undefined> {
  const { trust, keys } = context.strings.terminal.dialogs;
  let read: "yes" | "no" = "no";
  for (;;) {
    const answer = await context.ask(trustQuestion(context.strings, untrusted, read));
    if (answer !== "view") return answer;
    const draw = (width: number) => trustLines(untrusted, context.strings, width);
    const page = pager({ title: trust.title(untrusted.folder), draw, keys: keys.pager });
    if ((await context.ask(page)) === "read") read = "yes";
  }
}

/** Number of rows for the title, two answers with their descriptions, and the keys. */
const AROUND_TRUST = 8;

/** Returns the configuration that the folder contains, with each line in full. */
export function trustLines(
  { what }: Pick<Untrusted, "what">,
  strings: Strings,
  width: number,
): readonly string[] {
  const { message } = screenWording(strings);
  return what.flatMap((one) =>
    wrapped(visibleName(message(one)), Math.max(1, width - 2)).map((line) => `  ${line}`),
  );
}

/**
 * Asks whether the folder's own configuration, such as settings and servers, may be used. If the screen is too small to
 * show the whole configuration, the user can trust it only after reading it to its end.
 */
export function trustQuestion(
  strings: Strings,
  untrusted: Pick<Untrusted, "folder" | "what">,
  read: "yes" | "no" = "no",
): Dialog<MenuState, "trust" | "ignore" | "view"> {
  const { trust, keys, moreLines } = strings.terminal.dialogs;
  const layOut = ({ width, rows }: Space, look: Look) => {
    const lines = [...wrapped(trust.about, width), ...trustLines(untrusted, strings, width)];
    const most = Math.max(0, rows - AROUND_TRUST);
    const isWhole = lines.length <= most;
    const more = look.paint.dim(cut(`${moreLines(lines.length - most + 1)}: Ctrl+E`, width, look));
    const choices: MenuRow<"trust" | "ignore" | "view">[] = [
      { text: trust.no, description: trust.noMeans, answer: "ignore" },
      isWhole || read === "yes"
        ? { text: trust.yes, description: trust.yesMeans, answer: "trust" }
        : { text: trust.unread, description: "", answer: "view" },
    ];
    return {
      choices,
      head: isWhole ? lines : [...lines.slice(0, Math.max(0, most - 1)), more].slice(0, most),
    };
  };
  return {
    start: { chosen: 0 },
    extent: "part",
    press: (state, key, room) =>
      key.key === "ctrl+e" ? { answer: "view" } : pressMenu(state, key, layOut(room, room.look).choices),
    draw: (state, space, look) => {
      const { choices, head } = layOut(space, look);
      const body = (height: number): readonly string[] =>
        menuRows({ rows: choices, chosen: state.chosen, height }, space.width, look);
      const title = visibleName(trust.title(untrusted.folder));
      return framed({ title, head, body, keys: keys.menu }, space, look);
    },
  };
}
