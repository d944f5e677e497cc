import { existsSync } from "node:fs";
import { startOfPrompt } from "../../../machine/checkpoint-list.ts";
import type { SessionView } from "../../../machine/view.ts";
import { gitHeadOf } from "../../../snapshots/workspace/workspace-folder.ts";
import { nearest } from "../../../timeline/outline.ts";
import { isCheckpoint } from "../../../timeline/row.ts";
import { hasWorkSince, redoableCount } from "../../../travel/redo.ts";
import type { CurrentSession } from "../../current/session-access.ts";
import type { FilesHere } from "../../files/files.ts";
import type { SnapshotState, TimelineState } from "../query-types.ts";
import { BranchesLeft } from "./branches-left.ts";
import { Kept } from "./kept.ts";
import { RunningCost } from "./running-cost.ts";
import { SavedTokens } from "./saved-tokens.ts";

/** How long what git says is believed: it is asked for behind every entry. */
const GIT_MS = 1_000;

/** What the status line says, of one session. Asked for behind every entry: each answer costs what is new. */
export class TimelineStates {
  readonly #saved = new SavedTokens();
  readonly #cost = new RunningCost();
  readonly #branches = new BranchesLeft();
  readonly #title = new Kept<string | undefined>();
  readonly #redoable = new Kept<number>();
  readonly #snapshots = new Kept<SnapshotState>();
  readonly #git = new Kept<string | undefined>();

  async now({ context, words, opened }: CurrentSession): Promise<TimelineState> {
    const { session, here } = opened;
    const { outline, header } = session;
    const title = await this.#title.of(titleKey(session), async () => titleOf(session));
    const git = await this.#git.of(Math.floor(performance.now() / GIT_MS), () => branchIn(header.workspace));
    const cost = await this.#cost.of({ view: session, store: opened.ground.store, context });
    return {
      ...(title === undefined ? {} : { title }),
      checkpoint: nearest(outline, outline.head, isCheckpoint)?.number ?? 0,
      contextTokens: session.tokenCount,
      ...this.#branches.of(outline),
      ...(git === undefined ? {} : { gitBranch: git }),
      savedTokens: await this.#saved.of(session),
      ...(cost === undefined ? {} : { cost }),
      snapshots: existsSync(header.workspace)
        ? await this.#snapshotsOf(session, here)
        : { state: "failed", why: words.folderGone(header.workspace) },
      redoable: await this.#redoable.of(redoableKey(session), async () => redoableIn(session)),
    };
  }

  async #snapshotsOf(session: SessionView, here: FilesHere): Promise<SnapshotState> {
    if (here.state !== "on") return { state: "off", why: here.why };
    const { outline } = session;
    const last = outline.linesOf("snapshot").at(-1) ?? 0;
    if (isCapturing(session, outline.at(last)?.number ?? 0)) return { state: "capturing" };
    return this.#snapshots.of(last, async () => stateTold(session, last));
  }
}

function titleKey({ outline }: SessionView): number {
  return outline.linesOf("title").at(-1) ?? -(outline.linesOf("prompt")[0] ?? 0);
}

/** A session without a title goes by how it began. */
async function titleOf(session: SessionView): Promise<string | undefined> {
  const title = await session.title();
  if (title !== undefined) return title;
  const [first] = await session.storedEntries(session.outline.linesOf("prompt").slice(0, 1));
  const start = first === undefined ? "" : startOfPrompt(first);
  return start === "" ? undefined : start;
}

/** `main 1a2b3c4d5e`, or a commit alone. */
function branchIn(folder: string): string | undefined {
  return gitHeadOf(folder)?.split(" ")[0];
}

/** The newest checkpoint is this run's, and nobody has said yet what came of its files. */
function isCapturing({ outline }: SessionView, told: number): boolean {
  const lines = (["checkpoint", "step"] as const).map((kind) => outline.linesOf(kind).at(-1) ?? 0);
  const newest = outline.at(Math.max(...lines));
  return newest !== undefined && newest.number > told && newest.at >= performance.timeOrigin;
}

async function stateTold(session: SessionView, line: number): Promise<SnapshotState> {
  const row = session.outline.at(line);
  const [entry] = row === undefined ? [] : await session.entries([row.seq]);
  if (entry?.kind !== "snapshot" || entry.state === "complete") return { state: "on" };
  return { state: entry.state === "partial" ? "partial" : "failed", why: entry.why ?? "" };
}

/** Changes with each journey, and with the first new work after it. */
function redoableKey({ outline }: SessionView): number {
  const kinds = ["backtrack", "rewind", "redo"] as const;
  const last = Math.max(0, ...kinds.map((kind) => outline.linesOf(kind).at(-1) ?? 0));
  return hasWorkSince(outline, last) ? 0 : last;
}

/** How many redos without a name can be made, one after the other. */
async function redoableIn(session: SessionView): Promise<number> {
  const journeys = (await session.journeys()).map(({ entry }) => entry);
  return redoableCount(session.outline, journeys);
}
