import type { KeptCheckpoint } from "../../../app/watch.ts";
import type { SessionId } from "../../../record/ids.ts";
import type { Frame } from "../../frame.ts";
import { openProgress } from "../../output.ts";
import { changedCounts } from "./changed-counts.ts";

/** What a person, a file or a program sees while files are watched. */
export interface WatchDisplay {
  readonly made: number;
  began(workspace: string): void;
  checkpoint(kept: KeptCheckpoint): void;
  notice(text: string): void;
  /** Said once while it lasts; "again" when it was said before. */
  trouble(why: string): "new" | "again";
  close(): void;
}

const EACH_MS = 1_000;

export function openWatchDisplay(frame: Frame, session: SessionId): WatchDisplay {
  const { output, strings, surroundings } = frame;
  const { watch } = strings;
  const isTerminal = surroundings.stderr.isTTY === true && output.mode === "text";
  const progress = openProgress(frame);
  let made = 0;
  let last: { readonly number: number; readonly at: number; readonly what: string } | undefined;
  let told = "";
  const show = (): void => {
    const since = last === undefined ? "" : watch.ago((performance.now() - last.at) / 1_000);
    progress.show(watch.line(made, last === undefined ? "" : watch.last(last.number, since, last.what)));
  };
  const aside = (say: () => void): void => {
    progress.clear();
    say();
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    get made() {
      return made;
    },
    began(workspace) {
      output.line({ session, watching: workspace });
      if (output.mode === "text") aside(() => output.notice(watch.began(workspace, session)));
      if (isTerminal) timer = setInterval(show, EACH_MS);
    },
    checkpoint(kept) {
      const { number, changes, why } = kept;
      made += 1;
      told = "";
      output.line(documentOf(session, kept));
      const what = changes === undefined ? watch.first : watch.changedFiles(changedCounts(changes));
      last = { number, at: performance.now(), what };
      if (output.mode === "text" && !isTerminal) output.notice(watch.made(number, what));
      if (why !== undefined) aside(() => output.warn(watch.gaps(number, why)));
      if (isTerminal) show();
    },
    notice: (text) => aside(() => output.notice(text)),
    trouble(why) {
      if (why === told) return "again";
      told = why;
      aside(() => output.warn(watch.trouble(why)));
      return "new";
    },
    close() {
      clearInterval(timer);
      progress.clear();
    },
  };
}

function documentOf(session: SessionId, { number, state, snapshot, why, changes }: KeptCheckpoint) {
  return {
    session,
    number,
    at: new Date().toISOString(),
    state,
    snapshot: snapshot ?? null,
    ...(why === undefined ? {} : { why }),
    ...(changes === undefined ? {} : { changes: changedCounts(changes) }),
  };
}
