import { requireSession } from "../../../app/sessions/choose-session.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { programSteps } from "../../../machine/looking/naming/program-steps.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { Entry, EntryKind } from "../../../record/entry.ts";
import { shapes } from "../../../record/shape.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { choice, flag, whole } from "../../command/parameters.ts";
import { shellWording } from "../../places/command-again.ts";
import { itemsOf, type LogItem, linesOf } from "./log-items.ts";
import { itemText } from "./log-text.ts";

const DEFAULT_LIMIT = 50;
const kinds = Object.keys(shapes) as EntryKind[];

export const log = defineCommand({
  description:
    "Shows the entries of a session in the order they were written, branches that were left included. Lines that " +
    "cannot be read are shown at their place.",
  options: {
    branch: flag("only the branch of the head"),
    kind: choice(kinds, "only entries of this kind"),
    limit: whole("<n>", `only the last n; 0 for all (default: ${DEFAULT_LIMIT}, with --json all)`),
    full: flag("the whole text of each entry, not only how it begins"),
  },
  examples: [
    { command: "worldline log", meaning: `the last ${DEFAULT_LIMIT} entries` },
    {
      command: "worldline log --branch --kind prompt --limit 0 --full",
      meaning: "all prompts that led here",
    },
    { command: "worldline log --json | jq '.entries[].kind'", meaning: "the entries as data" },
  ],
  run: async ({ options, frame }) => {
    const view = await requireSession(frame, openStore(frame));
    const lines = linesOf(view, { branch: options.branch ? "here" : "all", kind: options.kind });
    const limit = options.limit ?? (frame.output.mode === "json" ? 0 : DEFAULT_LIMIT);
    const shown = limit === 0 ? lines : lines.slice(-limit);
    const earlier = lines.length - shown.length;
    const items = itemsOf(view, shown, earlier === 0 ? "all" : "these");
    if (frame.output.mode === "json") return answerData(frame, view, { items, earlier });
    const steps = await programSteps(view);
    const text = itemText({ frame, view, steps, length: options.full ? "full" : "line" });
    return answerText(frame, text, { items, earlier });
  },
});

interface Shown {
  readonly items: AsyncIterable<LogItem>;
  readonly earlier: number;
}

async function answerData({ output }: Frame, view: SessionView, { items, earlier }: Shown): Promise<void> {
  const entries: Entry[] = [];
  for await (const { entry } of items) if (entry !== undefined) entries.push(entry);
  output.answer({ session: view.id, earlier, entries, damage: view.damage }, () => "");
}

async function answerText(
  { common, output, strings }: Frame,
  text: (item: LogItem) => string[],
  { items, earlier }: Shown,
): Promise<void> {
  const printed =
    earlier === 0 ? [] : [strings.looking.earlier(earlier, shellWording(common).command)];
  for await (const item of items) printed.push(...text(item));
  output.answer({}, () => (printed.length === 0 ? strings.looking.noEntries : printed.join("\n")));
}
