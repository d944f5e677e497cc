import { executionsInReach } from "../../../app/executions/list-executions.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { ExecutionSummary, StepCheckpoint } from "../../../executions/execution.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { listedId } from "../../../show/session-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { shortened } from "../../../show/text-width.ts";
import { relativeTime } from "../../../show/time.ts";
import { choice, defineCommand, flag, whole } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";

const DEFAULT_LIMIT = 20;
const MAX_TITLE_COLUMNS = 60;

export const executions = defineCommand({
  help: (help) => help.executions,
  options: {
    all: flag(),
    kind: choice(["program", "turn"]),
    limit: whole("<n>"),
  },
  subcommands: [
    {
      name: "show",
      summary: (help) => help.executionsShow.summary,
      load: async () => (await import("./show.ts")).show,
    },
    {
      name: "restore",
      summary: (help) => help.executionsRestore.summary,
      load: async () => (await import("./restore.ts")).restore,
    },
    {
      name: "delete",
      summary: (help) => help.executionsDelete.summary,
      load: async () => (await import("./delete.ts")).deleteCommand,
    },
  ],
  run: async ({ options, frame }) => listHere(frame, options),
});

interface ListOptions {
  readonly all: boolean;
  readonly kind: ExecutionSummary["kind"] | undefined;
  readonly limit: number | undefined;
}

async function listHere(frame: Frame, { all, kind, limit = DEFAULT_LIMIT }: ListOptions): Promise<void> {
  if (limit === 0) throw noneWanted();
  const reach = all ? "everywhere" : "here";
  const { workspace = null, executions: found } = await executionsInReach(frame, { reach, kind, limit });
  frame.output.answer({ workspace, executions: found.map(documentOf) }, () =>
    listText(frame, found, { limit, reach }),
  );
}

function noneWanted(): WorldlineError {
  return new WorldlineError("none-to-list", { usual: DEFAULT_LIMIT });
}

function documentOf({ last, used, title, ...rest }: ExecutionSummary) {
  return {
    ...rest,
    title: title ?? null,
    last: last === undefined ? null : stepDocument(last),
    used: new Date(used).toISOString(),
  };
}

/** Returns a step as JSON without its value, which may be long. `show` prints the value. */
function stepDocument({ id, name, index, attempt, status, checkpoint, time }: StepCheckpoint) {
  return { id, name, index, attempt, status, checkpoint: checkpoint ?? null, time: time.toISOString() };
}

function statusText({ status, last }: ExecutionSummary, words: Frame["strings"]["executions"]): string {
  return status === "stopped" && last !== undefined ? words.stoppedAfter(last.index) : words.statuses[status];
}

function titleText({ title, last, unconfirmed }: ExecutionSummary, mark: string): string {
  const text = oneLine(title ?? last?.name ?? "");
  return unconfirmed === undefined ? text : `${mark} ${text}`;
}

interface Shown {
  readonly limit: number;
  readonly reach: "here" | "everywhere";
}

function listText(frame: Frame, found: readonly ExecutionSummary[], { limit, reach }: Shown): string {
  const { strings, surroundings } = frame;
  const words = strings.executions;
  if (found.length === 0)
    return [
      words.none,
      ...(reach === "here" ? [words.elsewhere(shellWording(frame.common).command)] : []),
    ].join("\n");
  const { ellipsis } = glyphsFor(surroundings.environment);
  const now = systemClock.now();
  const titleColumns = reach === "here" ? Number.POSITIVE_INFINITY : MAX_TITLE_COLUMNS;
  const lines = table(
    found.map((each) => [
      listedId(each.id, ellipsis),
      relativeTime(each.used, now, strings.time),
      statusText(each, words),
      words.steps(each.steps),
      // The title is shortened, because every column except the last is as wide as its longest cell.
      shortened(titleText(each, strings.sessions.unconfirmed), titleColumns, ellipsis),
      ...(reach === "everywhere" ? [words.inWorkspace(oneLine(each.workspace))] : []),
    ]),
  ).map((line) => shortened(line, columnsOf(surroundings.stdout), ellipsis));
  return [...lines, ...(found.length < limit ? [] : [words.more(limit)])].join("\n");
}
