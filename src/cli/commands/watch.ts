import { changedCounts } from "../../app/files/changes.ts";
import type { KeptCheckpoint } from "../../app/watch.ts";
import { type WatchEvent, watchWorkspace } from "../../app/watch-workspace.ts";
import { reasonFields } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { remarkText } from "../../strings/wording.ts";
import { defineCommand } from "../command.ts";
import { wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";
import { openProgress } from "../output.ts";

export const watch = defineCommand({
  help: (help) => help.watch,
  run: async ({ frame }) => {
    const { output, strings } = frame;
    const display = openWatchDisplay(frame);
    try {
      const { session, ended, checkpoints } = await watchWorkspace(frame, display.show);
      display.close();
      output.answer({ session, ended, checkpoints }, () =>
        ended === "asked" ? strings.watch.ended(checkpoints) : strings.watch[ended],
      );
      return ended === "uncaptured" ? 1 : 0;
    } finally {
      display.close();
    }
  },
});

/** The output of `watch` for a terminal, a file or a program. */
interface WatchDisplay {
  show(event: WatchEvent): void;
  close(): void;
}

const EACH_MS = 1_000;

function openWatchDisplay(frame: Frame): WatchDisplay {
  const { output, strings, surroundings } = frame;
  const { watch } = strings;
  const isTerminal = surroundings.stderr.isTTY === true && output.mode === "text";
  const progress = openProgress(frame);
  let made = 0;
  let last: { readonly number: number; readonly at: number; readonly what: string } | undefined;
  const showLine = (): void => {
    const since = last === undefined ? "" : watch.ago((performance.now() - last.at) / 1_000);
    progress.show(watch.line(made, last === undefined ? "" : watch.last(last.number, since, last.what)));
  };
  const aside = (say: () => void): void => {
    progress.clear();
    say();
  };
  const showCheckpoint = (session: SessionId, kept: KeptCheckpoint): void => {
    const { number, changes, why, reason, params } = kept;
    made += 1;
    output.line(documentOf(session, kept));
    const what = changes === undefined ? watch.first : watch.changedFiles(changedCounts(changes));
    last = { number, at: performance.now(), what };
    if (output.mode === "text" && !isTerminal) output.notice(watch.made(number, what));
    if (why !== undefined) {
      const because = remarkText(strings, { why, reason, params }, wordingOf(frame));
      aside(() => output.warn(watch.gaps(number, because)));
    }
    if (isTerminal) showLine();
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    show(event) {
      switch (event.code) {
        case "watching":
          output.line({ session: event.session, watching: event.workspace });
          if (output.mode === "text") aside(() => output.notice(watch.began(event.workspace, event.session)));
          if (isTerminal) timer = setInterval(showLine, EACH_MS);
          return;
        case "polling":
          aside(() => output.notice(watch.polling(Math.ceil(event.everyMs / 1_000))));
          return;
        case "known":
          aside(() => output.notice(watch.known));
          return;
        case "checkpoint":
          showCheckpoint(event.session, event.checkpoint);
          return;
        case "trouble": {
          const { message } = wordingOf(frame);
          aside(() => output.warn(watch.trouble(message(event.problem))));
          return;
        }
        default:
          event satisfies never;
      }
    },
    close() {
      clearInterval(timer);
      progress.clear();
    },
  };
}

function documentOf(session: SessionId, { number, state, snapshot, why, changes, ...known }: KeptCheckpoint) {
  return {
    session,
    number,
    at: new Date().toISOString(),
    state,
    snapshot: snapshot ?? null,
    ...(why === undefined ? {} : { why, ...reasonFields(known) }),
    ...(changes === undefined ? {} : { changes: changedCounts(changes) }),
  };
}
