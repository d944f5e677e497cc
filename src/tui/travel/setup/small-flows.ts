import type { Untrusted } from "../../../app/upkeep/upkeep-types.ts";
import type { Desk } from "../../commands/desk.ts";
import { languageMenu, trustLines, trustQuestion } from "../../dialogs/choices/small-menus.ts";
import { pager } from "../../dialogs/pieces/pager.ts";
import { sayingErrors } from "../saying-errors.ts";

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
