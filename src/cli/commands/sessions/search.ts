import { namedSession } from "../../../app/sessions/find-session.ts";
import { searchSessions } from "../../../app/sessions/search.ts";
import type { Found } from "../../../machine/queries/search.ts";
import type { SessionView } from "../../../machine/view.ts";
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
    const { output, strings } = frame;
    const printer = hitPrinter(frame, text);
    const { broken, hits } = await searchSessions(frame, {
      text,
      reach: all ? "everywhere" : "here",
      onSession: (at, count) => printer.progress.show(strings.sessions.searching(at, count)),
    });
    for (const { id, ...why } of broken) {
      output.warn(strings.sessionsHere.broken(id, remarkText(strings, why)));
    }
    const found: Found[] = [];
    let more = false;
    for await (const { hit, view } of hits) {
      more = limit > 0 && found.length === limit;
      if (more) break;
      found.push(hit);
      await printer.print(hit, view);
    }
    printer.progress.clear();
    if (output.mode === "json") output.answer({ found, more }, () => "");
    else printer.end(found.length, more ? "more" : "none");
  },
});

interface HitPrinter {
  readonly progress: Progress;
  /** Prints the match immediately, because users may stop a long search as soon as they find what they need. */
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

/**
 * Highlights the text in an excerpt. White space is normalized first, because an excerpt contains a single space
 * wherever the text contains white space.
 */
function highlighted(excerpt: string, text: string, paint: (text: string) => string): string {
  const wanted = oneLine(text.replace(/\s+/gu, " ")).replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return oneLine(excerpt).replace(new RegExp(wanted, "iu"), (hit) => paint(hit));
}
