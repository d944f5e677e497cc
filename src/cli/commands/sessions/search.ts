import { namedSession, openNamed, warnOfUnread } from "../../../app/sessions/find-session.ts";
import { type Reach, viewsOf, workspaceWanted } from "../../../app/sessions/session-rows.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { type Found, searchSession } from "../../../machine/queries/search.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { sessionName } from "../../../show/session-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { remarkText } from "../../../strings/wording.ts";
import { defineCommand, flag, required, whole } from "../../command.ts";
import type { Frame } from "../../frame.ts";
import { openProgress, type Progress } from "../../output.ts";

const DEFAULT_LIMIT = 50;

export const search = defineCommand({
  help: (help) => help.sessionsSearch,
  arguments: { text: required() },
  options: {
    all: flag(),
    limit: whole("<n>"),
  },
  run: async ({ arguments: { text }, options: { all, limit = DEFAULT_LIMIT }, frame }) => {
    if (text.trim() === "") {
      throw new WorldlineError("nothing-to-look-for", {});
    }
    const views = await viewsToSearch(frame, openStore(frame), all ? "everywhere" : "here");
    const found: Found[] = [];
    const printer = hitPrinter(frame, text);
    let more = false;
    for await (const { hit, view } of hitsIn(views, text, printer)) {
      more = limit > 0 && found.length === limit;
      if (more) break;
      found.push(hit);
      await printer.print(hit, view);
    }
    printer.progress.clear();
    if (frame.output.mode === "json") frame.output.answer({ found, more }, () => "");
    else printer.end(found.length, more ? "more" : "none");
  },
});

async function viewsToSearch(frame: Frame, store: LogStore, reach: Reach): Promise<readonly SessionView[]> {
  const { output, strings, common } = frame;
  if (common.session !== undefined) return [await openNamed(frame, store, common.session)];
  const { views, broken } = await viewsOf(store, await workspaceWanted(frame, reach));
  for (const { id, ...why } of broken) {
    output.warn(strings.sessionsHere.broken(id, remarkText(strings, why)));
  }
  for (const view of views) warnOfUnread(frame, view);
  return views;
}

interface Hit {
  readonly hit: Found;
  readonly view: SessionView;
}

async function* hitsIn(
  views: readonly SessionView[],
  text: string,
  { progress, searching }: HitPrinter,
): AsyncGenerator<Hit> {
  for (const [index, view] of views.entries()) {
    progress.show(searching(index + 1, views.length));
    for await (const hit of searchSession(view, text)) yield { hit, view };
  }
}

interface HitPrinter {
  readonly progress: Progress;
  readonly searching: (at: number, all: number) => string;
  /** At once: a search through much may be stopped when what was looked for has appeared. */
  print(hit: Found, view: SessionView): Promise<void>;
  end(count: number, rest: "none" | "more"): void;
}

function hitPrinter(frame: Frame, text: string): HitPrinter {
  const { output, strings, surroundings } = frame;
  const { sessions } = strings;
  const glyphs = glyphsFor(surroundings.environment);
  const progress = openProgress(frame);
  let printed = "";
  const say = (line: string) => output.answer({}, () => line);
  return {
    progress,
    searching: sessions.searching,
    async print(hit, view) {
      if (output.mode === "json") return;
      progress.clear();
      if (printed !== hit.session)
        say(output.style.bold(oneLine(sessionName(await namedSession(view), strings))));
      printed = hit.session;
      const { here, left } = glyphs;
      const place = `${String(hit.seq).padStart(6)} ${hit.branch === "here" ? here : left} ${hit.kind}`;
      const marked = hit.branch === "left" ? strings.phrases.aside(place, sessions.branches.left) : place;
      say(`${marked}: ${highlighted(hit.excerpt, text, output.style.yellow)}`);
    },
    end(count, rest) {
      if (count === 0) say(sessions.nothingFound);
      if (rest === "more") say(sessions.more(count));
    },
  };
}

/** Excerpts have single spaces where the text had any. */
function highlighted(excerpt: string, text: string, paint: (text: string) => string): string {
  const wanted = oneLine(text.replace(/\s+/gu, " ")).replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return oneLine(excerpt).replace(new RegExp(wanted, "iu"), (hit) => paint(hit));
}
