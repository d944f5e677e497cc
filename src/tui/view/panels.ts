import type { TodoItem } from "../../record/parts.ts";
import { clip } from "../look/clip.ts";
import type { Look, Space } from "../look/look.ts";
import { oneLine } from "../look/printable.ts";
import type { ViewState } from "./view-state.ts";

/** The todos, those that are open first in view; nothing while the panel is closed. */
export function todoLines({ todos }: ViewState, { width, rows }: Space, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.screen.todos;
  if (todos.length === 0) return [paint.dim(words.none)];
  const done = todos.filter(({ status }) => status === "done").length;
  const room = Math.max(1, rows - 1);
  const first = Math.max(
    0,
    Math.min(
      todos.findIndex(({ status }) => status !== "done"),
      todos.length - room,
    ),
  );
  const shown = todos.slice(first, first + room);
  return [paint.strong(words.title(done, todos.length)), ...shown.map((item) => todoLine(item, look))].map(
    (line) => clip(line, width, glyphs.ellipsis),
  );
}

function todoLine({ text, status }: TodoItem, { paint, glyphs }: Look): string {
  const clean = oneLine(text);
  switch (status) {
    case "done":
      return paint.dim(`  ${glyphs.done} ${clean}`);
    case "doing":
      return paint.accent(`  ${glyphs.doing} ${clean}`);
    case "open":
      return `  ${glyphs.open} ${clean}`;
  }
}

const MOST_QUEUED = 3;

/** What was said while the agent works, and waits for its turn. */
export function queuedLines({ queued }: ViewState, width: number, look: Look): readonly string[] {
  const { paint, strings, glyphs } = look;
  return queued
    .slice(-MOST_QUEUED)
    .map((text) => strings.terminal.screen.queued(oneLine(text)))
    .map((line) => clip(paint.dim(line), width, glyphs.ellipsis));
}
