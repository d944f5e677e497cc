import type { LogStore } from "../../ports/log-store.ts";
import { FORMAT_VERSION } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { checkArguments, option } from "../../record/options.ts";
import { viewSession } from "../open.ts";
import type { SessionView } from "../view.ts";
import { damageProblem } from "./damage-problem.ts";
import type { Problem } from "./problem.ts";

export interface Examination {
  /** How many sessions were looked at. */
  readonly sessions: number;
  readonly problems: readonly Problem[];
}

/** Reads every line and blob of every session, or of those that are named, and says what is wrong. Changes nothing. */
export async function examine(store: LogStore, wanted?: readonly SessionId[]): Promise<Examination> {
  checkArguments("examine", {
    store: [store, option.openStore],
    wanted: [wanted, option.optional(option.listOf(option.text))],
  });
  const sessions = wanted ?? (await store.list());
  const problems: Problem[] = [];
  for (const session of sessions) problems.push(...(await examineSession(store, session)));
  return { sessions: sessions.length, problems };
}

/** One session that cannot be read must not keep the others from being looked at. */
async function examineSession(store: LogStore, session: SessionId): Promise<Problem[]> {
  try {
    const damage = await store.verify(session);
    const view = await viewSession(store, session);
    return [
      ...damage.map((one) =>
        damageProblem(session, one, view.outline.at(1) === undefined ? "lost" : "there"),
      ),
      ...formatProblems(view),
      ...(await unfinishedProblems(view)),
    ];
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [
      {
        session,
        severity: "error",
        what: "unopenable",
        where: "",
        message: error.message,
        hint: error.hint ?? "Nothing here can mend it.",
        fix: "none",
      },
    ];
  }
}

function formatProblems({ id, header, outline }: SessionView): Problem[] {
  const common = { session: id, where: "", fix: "none" } as const;
  const problems: Problem[] = [];
  if (header.version > FORMAT_VERSION) {
    problems.push({
      ...common,
      severity: "warning",
      what: "newer-format",
      message: `It was written by a newer Worldline (format ${header.version}, this one writes ${FORMAT_VERSION}).`,
      hint: "It can be read but not continued here: update Worldline.",
    });
  }
  const foreign = outline.ofKind("foreign").length;
  if (foreign > 0) {
    problems.push({
      ...common,
      severity: "note",
      what: "foreign",
      message: `${foreign} entries are of kinds that this version does not know. They are kept and passed over.`,
      hint: "To see them, update Worldline.",
    });
  }
  return problems;
}

async function unfinishedProblems(view: SessionView): Promise<Problem[]> {
  const unfinished = await view.unfinished();
  if (unfinished === undefined) return [];
  const calls = unfinished.calls.map((call) => call.name).join(", ");
  return [
    {
      session: view.id,
      severity: "note",
      what: "unfinished",
      where: unfinished.step > 0 ? `step ${unfinished.step}` : "",
      message: `Tool calls were started and have not finished: ${calls}. They may or may not have taken effect.`,
      hint: `If nothing works on it now, see how far they came: worldline log --session ${view.id}, or worldline sessions show ${view.id}`,
      fix: "none",
    },
  ];
}
