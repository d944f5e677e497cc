import type { Untrusted } from "../../app/current/upkeep.ts";
import type { ResumedRecap } from "../../app/queries/query-types.ts";
import { isWorldlineError } from "../../record/error.ts";
import { visibleName } from "../../record/visible-text.ts";
import { recapText } from "../../show/recap-text.ts";
import type { Strings } from "../../strings/strings.ts";
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
import { type Desk, sayError, sayingErrors, sayNotice, type Waiting } from "./command-context.ts";
import { connectFlow } from "./connect.ts";
import { resumeFlow } from "./sessions.ts";

interface Beginning {
  /** What the person said on the command line. */
  readonly firstPrompt?: string;
  /** The person is to choose the session first. */
  readonly pick?: "session";
  /** Where the session stood when it was opened: what begins now is not what was cut. */
  readonly recap: ResumedRecap | undefined;
}

/** What happens when the session is there, before the person is asked what to do: warnings, trust, where it stands. */
export async function afterOpening(desk: Desk, { firstPrompt, pick, recap }: Beginning): Promise<void> {
  try {
    tellWarnings(desk);
    await trustFlow(desk);
    if (pick === "session") await resumeFlow(desk);
    await autoFlow(desk);
    if (pick !== "session") await tellRecap(desk, recap);
    if (firstPrompt !== undefined) await desk.send(firstPrompt);
  } catch (error) {
    sayError(desk, error);
  }
}

/** What is to be known of what has come here. */
export function tellWarnings(desk: Desk): void {
  for (const notice of desk.station.warnings) sayNotice(desk, notice);
}

/** Every resume opens with where the session stands; a turn that was cut asks how to go on. */
export async function tellRecap(desk: Desk, recap: ResumedRecap | undefined): Promise<void> {
  if (recap === undefined) return;
  desk.answer({ asked: "", text: recapText(recap.recap, desk.strings), form: "plain" });
  if (recap.cut !== undefined) await afterCrashFlow(desk, recap.cut);
}

/** Whether auto mode may begin: the user is asked once in each session, in words that say what then runs unasked. */
export async function confirmAuto(desk: Pick<Desk, "station" | "strings" | "ask">): Promise<boolean> {
  const { station, strings } = desk;
  if (station.auto.isConfirmed) return true;
  const { title, about, yes, no } = strings.terminal.dialogs.auto;
  const answer = await desk.ask(confirm(strings, { question: title, about, yes, no }));
  if (answer === "yes") station.auto.confirm();
  return answer === "yes";
}

/** Asks where settings, or the session before, want auto mode. Until the user says yes the mode is manual. */
export async function autoFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    const { station } = desk;
    if (!station.auto.takeRequest()) return;
    if (await confirmAuto(desk)) station.agent.setMode("auto");
    const { modeNow, status } = desk.strings.terminal.screen;
    desk.say({ tone: "quiet", line: modeNow(status.modes[station.agent.mode]) });
  });
}

/** One of the things that can be tried without a model; all of them are real. */
export async function takeFirstStep(desk: Desk, number: number): Promise<void> {
  const step = FIRST_STEPS[number - 1];
  if (step === undefined) return;
  try {
    await steps[step](desk);
  } catch (error) {
    sayError(desk, error);
  }
}

const steps: Readonly<Record<(typeof FIRST_STEPS)[number], (desk: Desk) => Promise<void>>> = {
  sample: async (desk) => {
    const { withoutModel } = desk.strings.terminal.screen;
    const tell = desk.growingAnswer("worldline find --sample");
    const find = async ({ signal }: Waiting): Promise<void> =>
      desk.station.firstSteps.findInSample(tell, signal);
    try {
      await desk.wait(withoutModel.finding, find, "stoppable");
    } catch (error) {
      if (!isWorldlineError(error) || error.code !== "CANCELLED") throw error;
      desk.say({ tone: "warning", line: withoutModel.stopped });
    }
    desk.say({ tone: "quiet", line: withoutModel.more });
  },
  playground: async (desk) => {
    const { screen } = desk.strings.terminal;
    const folder = await desk.wait(screen.opening, async () => desk.station.firstSteps.playground());
    // What is said before the new conversation is read would go with the old one.
    await desk.reload();
    desk.say({ tone: "good", line: screen.withoutModel.playgroundOpened(folder) });
  },
  folder: async (desk) => {
    const { screen } = desk.strings.terminal;
    const folder = await desk.ask(
      textQuestion({ title: screen.withoutModel.whichFolder, keys: desk.strings.terminal.dialogs.keys.text }),
    );
    if (folder === undefined || folder.trim() === "") return;
    await desk.wait(screen.opening, async () => desk.station.firstSteps.openFolder(folder.trim()));
    await desk.reload();
    desk.say({ tone: "good", line: screen.withoutModel.folderOpened(desk.station.agent.workspace) });
  },
  sessions: async (desk) => resumeFlow(desk, "all"),
  connect: async (desk) => connectFlow(desk),
};

/** Asks once whether what the folder brings along may count; nothing where there is nothing to trust. */
export async function trustFlow(desk: Desk): Promise<void> {
  const { trust } = desk.strings.terminal.dialogs;
  await sayingErrors(desk, async () => {
    for (;;) {
      const untrusted = await desk.station.upkeep.untrusted();
      if (untrusted === undefined || (await askTrust(desk, untrusted)) !== "trust") return;
      if ((await desk.station.upkeep.trust(untrusted)) === "done") break;
      // It is shown anew, as it is now.
      desk.say({ tone: "warning", line: trust.changed });
    }
    desk.say({ tone: "good", line: trust.trusted });
  });
}

async function askTrust(desk: Desk, untrusted: Untrusted): Promise<"trust" | "ignore" | undefined> {
  const { trust, keys } = desk.strings.terminal.dialogs;
  let read: "yes" | "no" = "no";
  for (;;) {
    const answer = await desk.ask(trustQuestion(desk.strings, untrusted, read));
    if (answer !== "view") return answer;
    const draw = (width: number) => trustLines(untrusted, width);
    const page = pager({ title: trust.title(untrusted.folder), draw, keys: keys.pager });
    if ((await desk.ask(page)) === "read") read = "yes";
  }
}

/** Title, two rows with their descriptions, and the keys. */
const AROUND_TRUST = 8;

/** What a folder brings along, each line of it to its end. */
export function trustLines({ what }: Pick<Untrusted, "what">, width: number): readonly string[] {
  return what.flatMap((one) => wrapped(visibleName(one), Math.max(1, width - 2)).map((line) => `  ${line}`));
}

/**
 * Whether what a folder brings along, settings and servers, may count. Where the screen has no room for all of it, it can be
 * trusted only after it was read to its end.
 */
export function trustQuestion(
  strings: Strings,
  untrusted: Pick<Untrusted, "folder" | "what">,
  read: "yes" | "no" = "no",
): Dialog<MenuState, "trust" | "ignore" | "view"> {
  const { trust, keys, moreLines } = strings.terminal.dialogs;
  const layOut = ({ width, rows }: Space, look: Look) => {
    const lines = [...wrapped(trust.about, width), ...trustLines(untrusted, width)];
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
