import type { CompactionFailed } from "../../../ports/agent-events.ts";
import type { OutcomeDetail } from "../../../record/files.ts";
import { isJsonObject } from "../../../record/parts.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { errorOnScreen, remarkText, type ToldError } from "../../../strings/wording.ts";
import type { Brush, Look } from "../../look/look.ts";
import { clip, oneLine, spoken, wrap } from "../../look/text.ts";
import type { Happening, HappeningBlock, NoticeBlock, Restored, Tone } from "../block.ts";
import type { Canvas } from "./draw-block.ts";
import { drawMarkdown, indented } from "./text.ts";

interface Notice {
  readonly tone: Tone | "journey";
  readonly line: string;
  /** Text shown below the line, as Markdown or as plain text. */
  readonly details: string;
  readonly form: "markdown" | "plain";
}

/**
 * Maximum number of lines shown when folded: for events on the timeline (`MAX_HAPPENING`), and for other notices
 * (`MAX_NOTICE`).
 */
const MAX_HAPPENING = 3;
const MAX_NOTICE = 4;

export function drawHappening({ happening }: HappeningBlock, canvas: Canvas): readonly string[] {
  const isDropped = happening.what === "warning" && happening.code === "BACKTRACK_DROPPED";
  if (isDropped && canvas.display === "off") return [];
  return draw(noticeOf(happening, canvas.look.strings), canvas, MAX_HAPPENING);
}

export function drawNotice({ tone, line, details }: NoticeBlock, canvas: Canvas): readonly string[] {
  return draw({ tone, line, details, form: "plain" }, canvas, MAX_NOTICE);
}

/** Returns the text of a line in the language that is set when the line is drawn. */
function noticeOf(happening: Happening, strings: Strings): Notice {
  const words = strings.terminal.transcript;
  switch (happening.what) {
    case "rewind":
      return journey(words.rewound(happening.scope, happening.to), happening.restored, strings);
    case "redo":
      return journey(words.redone(happening.scope), happening.restored, strings);
    case "restored":
      return {
        ...plain("quiet", words.restored(happening.restored), outcomeDetails(happening.restored, strings)),
        tone: "journey",
      };
    case "compaction": {
      const line = words.compacted(happening.reason, happening.before, happening.after);
      return { tone: "quiet", line, details: happening.summary, form: "markdown" };
    }
    case "not-compacted":
      return plain(
        happening.failure.outcome === "stopped" ? "quiet" : "warning",
        words.notCompacted(whyNotCompacted(happening.failure, strings)),
      );
    case "interrupt":
      return plain("warning", words.interrupts[happening.by]);
    case "error": {
      const { message, hint } = errorOnScreen(strings, untitled(happening));
      return plain("error", words.times(message, happening.times ?? 1), hint);
    }
    case "warning": {
      const { message, hint } = errorOnScreen(strings, untitled(happening));
      return plain("warning", message, hint);
    }
    case "go-on":
      return plain("warning", words.goOn);
    case "retry":
      return plain(
        "warning",
        words.retry({ ...happening.retry, ...errorOnScreen(strings, untitled(happening.retry)) }),
      );
    case "title":
      return plain("quiet", words.title(happening.title));
    case "label":
      return plain("quiet", words.label(visibleName(happening.label), happening.checkpoint));
    case "reply-cut":
      return plain("warning", words.replyCut);
    default:
      return happening satisfies never;
  }
}

function journey(line: string, restored: Restored | undefined, strings: Strings): Notice {
  if (restored === undefined) return { ...plain("quiet", line), tone: "journey" };
  return {
    ...plain(
      "quiet",
      `${line} · ${strings.terminal.transcript.restored(restored)}`,
      outcomeDetails(restored, strings),
    ),
    tone: "journey",
  };
}

function outcomeDetails({ paths }: Restored, strings: Strings): string {
  return outcomeLines(paths, strings).join("\n");
}

/** Returns a failure in a form that can be translated. An older entry has no code, so its own text is shown. */
function untitled({ message, hint, reason, params }: Omit<ToldError, "code">): ToldError {
  return { message, hint, reason, params };
}

function whyNotCompacted({ why, error }: CompactionFailed, strings: Strings): string {
  return errorOnScreen(strings, { message: why, ...error }).message;
}

function plain(tone: Tone, line: string, details = ""): Notice {
  return { tone, line, details, form: "plain" };
}

/**
 * Draws a notice. Warnings and errors are drawn in full. When folded, other notices are truncated to `mostFolded`
 * lines.
 */
function draw(notice: Notice, canvas: Canvas, mostFolded: number): readonly string[] {
  const { width, folds, look } = canvas;
  const { tone, details } = notice;
  const [mark, brush, text] = markOf(notice, canvas);
  const isWhole = tone === "error" || tone === "warning" || folds === "unfolded";
  const room = Math.max(1, width - 2);
  const lines = wrap(oneLine(notice.line), room);
  const most = isWhole ? lines.length : mostFolded;
  const rest = lines.slice(most - 1).join(" ");
  const shown =
    lines.length <= most ? lines : [...lines.slice(0, most - 1), clip(rest, room, look.glyphs.ellipsis)];
  const first = shown.map((line, index) => `${index === 0 ? brush(mark) : " "} ${text(line)}`);
  return details !== "" && isWhole ? [...first, ...detailLines(notice, canvas)] : first;
}

function detailLines({ details, form }: Notice, { width, look }: Canvas): readonly string[] {
  const room = Math.max(1, width - 2);
  if (form === "markdown") return indented(drawMarkdown({ text: details }, room, look));
  return indented(wrap(spoken(details), room).map(look.paint.dim));
}

function markOf({ tone, details }: Notice, { look, folds }: Canvas): readonly [string, Brush, Brush] {
  const { glyphs, paint } = look;
  const same: Brush = (text) => text;
  switch (tone) {
    case "error":
      return [glyphs.failed, paint.bad, paint.bad];
    case "warning":
      return ["!", paint.warning, paint.warning];
    case "good":
      return [glyphs.done, paint.good, same];
    case "journey":
      return [glyphs.back, paint.accent, same];
    case "quiet":
      return [quietMark(details, look, folds), paint.dim, paint.dim];
    default:
      return tone satisfies never;
  }
}

function quietMark(details: string, { glyphs }: Look, folds: Canvas["folds"]): string {
  if (details === "") return "-";
  return folds === "folded" ? glyphs.folded : glyphs.unfolded;
}

const MAX_PATHS = 200;

/** Returns the outcome for each path, such as `kept src/a.ts: changed outside`. Skips lines without an outcome. */
export function outcomeLines(paths: string, strings: Strings): readonly string[] {
  const words = strings.terminal.transcript;
  return paths
    .split("\n", MAX_PATHS)
    .map(parsed)
    .flatMap((line) => {
      if (!isJsonObject(line)) return [];
      const { path, outcome, detail, why, reason, params } = line;
      if (typeof path !== "string" || !isOutcome(outcome)) return [];
      const known = typeof reason === "string" ? { reason, params } : {};
      const said = typeof why === "string" ? `: ${oneLine(remarkText(strings, { why, ...known }))}` : "";
      return [`${words.outcomes[isDetail(detail) ? detail : outcome]} ${oneLine(path)}${said}`];
    });
}

function isOutcome(value: unknown): value is "restored" | "kept" | "failed" {
  return value === "restored" || value === "kept" || value === "failed";
}

function isDetail(value: unknown): value is OutcomeDetail {
  return (
    value === "created" ||
    value === "removed" ||
    value === "merged" ||
    value === "not-restorable" ||
    value === "parent-changed"
  );
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
