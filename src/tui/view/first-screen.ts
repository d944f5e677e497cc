import { truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { ModelState } from "../../app/agent/models.ts";
import { visibleName } from "../../record/visible-text.ts";
import { lookedForTexts } from "../../show/settings-text.ts";
import type { Look, Space } from "../look/look.ts";
import { printable } from "../look/printable.ts";
import type { ViewState } from "./view-state.ts";

/** The steps that can be taken without a model, in the order of their numbers. */
export const FIRST_STEPS = ["sample", "playground", "folder", "sessions", "connect"] as const;

/** What stands above an empty conversation: where one is; and, without a model, what can be done all the same. */
export function headingLines(view: ViewState, { width, rows }: Space, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  const { screen } = strings.terminal;
  const title = view.timeline?.title;
  const host = view.host === undefined ? "" : ` · ${screen.status.host(printable(view.host))}`;
  const lines = [
    `${paint.strong(paint.accent(screen.heading))} ${paint.dim(`${shownFolder(view)}${host}`)}`,
    ...(title === undefined ? [] : [paint.dim(screen.resumed(visibleName(title)))]),
    "",
  ].map((line) => truncateToWidth(line, width, glyphs.ellipsis));
  if (view.model?.state !== "none" || !isUnspoken(view))
    return lines.slice(lines.length - Math.min(rows, lines.length));
  const whole = [...lines, ...withoutModel(view.model, width, look)];
  if (whole.length <= rows) return whole;
  // On a small screen what can be done comes first, and what was looked for is left to `/model`.
  const words = wrapTextWithAnsi(paint.strong(screen.withoutModel.title), width);
  return [...words, ...stepLines(width, look)].slice(0, rows);
}

function shownFolder({ workspace, home }: ViewState): string {
  const isBelow = home !== "" && (workspace === home || workspace.startsWith(`${home}/`));
  return printable(isBelow ? `~${workspace.slice(home.length)}` : workspace);
}

/** Whether digits choose a step: there is no model, and nothing has been said yet. */
export function isFirstScreen(view: ViewState): boolean {
  return view.phase === "idle" && view.model?.state === "none" && isUnspoken(view);
}

/** What stands in the empty editor: where digits act at once, Enter behind one would already be an answer. */
export function placeholderIn(
  view: ViewState,
): "placeholder" | "placeholderFirst" | "placeholderWithoutModel" {
  if (view.model?.state !== "none") return "placeholder";
  return isFirstScreen(view) ? "placeholderFirst" : "placeholderWithoutModel";
}

function isUnspoken({ transcript }: ViewState): boolean {
  return (
    transcript.earlier === "no" &&
    [...transcript.settled, ...transcript.live].every(({ kind }) => kind === "notice")
  );
}

function withoutModel(
  model: Extract<ModelState, { state: "none" }>,
  width: number,
  look: Look,
): readonly string[] {
  const { paint, strings } = look;
  const words = strings.terminal.screen.withoutModel;
  const text = [
    paint.strong(words.title),
    paint.dim(words.lookedFor(lookedForTexts(model.lookedFor, strings).join(", "))),
    "",
  ];
  return [
    ...text.flatMap((line) => (line === "" ? [""] : wrapTextWithAnsi(line, width))),
    ...stepLines(width, look),
    "",
    ...wrapTextWithAnsi(paint.dim(words.working), width),
    "",
  ];
}

function stepLines(width: number, { paint, strings }: Look): readonly string[] {
  const { steps } = strings.terminal.screen.withoutModel;
  return FIRST_STEPS.flatMap((step, index) =>
    wrapTextWithAnsi(`  ${paint.accent(String(index + 1))}  ${steps[step]}`, width),
  );
}
