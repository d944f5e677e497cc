import type { Desk } from "../../commands/desk.ts";
import { languageMenu, trustQuestion } from "../../dialogs/choices/small-menus.ts";
import { sayingErrors } from "../saying-errors.ts";

/** Asks once whether what the folder brings along may count; nothing where there is nothing to trust. */
export async function trustFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    const untrusted = await desk.station.upkeep.untrusted();
    if (untrusted === undefined) return;
    if ((await desk.ask(trustQuestion(desk.strings, untrusted))) !== "trust") return;
    await desk.station.upkeep.trust();
    desk.say({ tone: "good", line: desk.strings.terminal.dialogs.trust.trusted });
  });
}

/** `/language [en|zh-CN]`. */
export async function languageFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    const typed = words.trim().toLowerCase();
    const named =
      typed.startsWith("zh") || typed === "中文" ? "zh-CN" : typed.startsWith("en") ? "en" : undefined;
    const language = named ?? (await desk.ask(languageMenu(desk.strings)));
    if (language !== undefined) await desk.setLanguage(language);
  });
}
