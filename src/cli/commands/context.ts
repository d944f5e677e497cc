import { lastHost } from "../../app/agent/agent-request.ts";
import { findCheckpoint } from "../../app/checkpoints/find-checkpoint.ts";
import { requireSession } from "../../app/sessions/find-session.ts";
import { openStore } from "../../app/sessions/store.ts";
import { knownModel } from "../../hosts/claude-agent-sdk/models.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { Part, ReplyPart } from "../../record/parts.ts";
import type { Style } from "../../show/style.ts";
import { type Glyphs, glyphsFor } from "../../show/style.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Context, ContextMessage } from "../../timeline/context/context.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { contextTokens } from "../../timeline/token-count.ts";
import { defineCommand, text } from "../command.ts";
import { wordingOf } from "../command-again.ts";
import type { Frame } from "../frame.ts";

export const context = defineCommand({
  help: (help) => help.context,
  options: {
    at: text("<cp>"),
  },
  run: async ({ options: { at }, frame }) => {
    const { output, strings, surroundings } = frame;
    const { view, row } = await placeOf(frame, openStore(frame), at);
    const shown = await view.context(at === undefined ? undefined : row?.number);
    const tokens = contextTokens(view.outline, row);
    const window = await windowOf(frame, view);
    const place = { session: view.id, at: at === undefined ? null : (row?.number ?? null) };
    output.answer({ ...place, tokens, window: window ?? null, ...shown }, () =>
      contextText(
        shown,
        { tokens, basis: basisOf(view.outline), window },
        {
          strings: strings.looking,
          glyphs: glyphsFor(surroundings.environment),
          style: output.style,
        },
      ),
    );
  },
});

/** A count on any branch is learnt from, so it is part of every number. */
function basisOf(outline: Outline): "counted" | "estimated" {
  const isCounted = outline.linesOf("reply").some((line) => (outline.at(line)?.input ?? 0) > 0);
  return isCounted ? "counted" : "estimated";
}

/** Settings that cannot be read cost the percentage, not the answer: looking at a session needs none. */
async function windowOf(frame: Frame, view: SessionView): Promise<number | undefined> {
  const { output, strings, settings } = frame;
  try {
    // 0 is the model's own, and no model is asked here; another agent's is in the log.
    const window = (await settings()).values["context.window"];
    if (window > 0 || (await lastHost(view)) !== "claude") return window || undefined;
    return (await knownModel(view))?.window;
  } catch (error) {
    if (!isWorldlineError(error, "SETTINGS_INVALID")) throw error;
    output.warn(strings.looking.windowUnknown(wordingOf(frame).message(error)));
    return undefined;
  }
}

async function placeOf(
  frame: Frame,
  store: LogStore,
  at: string | undefined,
): Promise<{ readonly view: SessionView; readonly row: Row | undefined }> {
  if (at !== undefined) return findCheckpoint(frame, store, at);
  const view = await requireSession(frame, store);
  return { view, row: view.outline.head };
}

interface ContextLook {
  readonly strings: Strings["looking"];
  readonly glyphs: Glyphs;
  readonly style: Style;
}

interface ContextSize {
  readonly tokens: number;
  /** "counted": a provider's counts are in it. */
  readonly basis: "counted" | "estimated";
  /** How many there is room for; undefined where that is not known. */
  readonly window: number | undefined;
}

/** The context for a person: a heading for each message, its parts word for word, and where caches are marked. */
export function contextText(context: Context, size: ContextSize, look: ContextLook): string {
  const { strings } = look;
  const breakpoints = new Set(context.breakpoints);
  const lines = [heading(strings.roles.system, look), context.system || strings.empty, breakpoint(look)];
  context.messages.forEach((message, index) => {
    lines.push(heading(titleOf(message, look), look), ...message.parts.map((part) => partText(part, look)));
    if (breakpoints.has(index)) lines.push(breakpoint(look));
  });
  const { tokens, basis, window } = size;
  const said = strings.contextSize(context.messages.length, tokens, strings.tokenBasis[basis]);
  const fill = window === undefined ? said : strings.windowFill(said, percentOf(tokens, window), window);
  lines.push(look.style.dim(fill));
  return lines.join("\n");
}

function percentOf(part: number, whole: number): number {
  return Math.round((100 * part) / whole);
}

function heading(title: string, { glyphs, style }: ContextLook): string {
  return style.bold(`${glyphs.dash}${glyphs.dash} ${title} ${glyphs.dash}${glyphs.dash}`);
}

function breakpoint({ glyphs, style, strings }: ContextLook): string {
  return style.dim(`${glyphs.dash.repeat(8)} ${strings.breakpoint} ${glyphs.dash.repeat(8)}`);
}

function titleOf(message: ContextMessage, { strings: { roles } }: ContextLook): string {
  switch (message.role) {
    case "user":
      return roles.user;
    case "assistant":
      return `${roles.assistant} (${message.model})`;
    case "tool":
      return `${roles.tool} ${message.name} ${message.call}: ${message.outcome}`;
    default:
      return message satisfies never;
  }
}

function partText(part: Part | ReplyPart, { strings }: ContextLook): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "thinking":
      return `${strings.thinking} ${part.text}`;
    case "image":
      return strings.image(part.mediaType);
    case "tool-call": {
      const input =
        part.malformed === undefined ? JSON.stringify(part.input) : strings.malformedCall(part.malformed);
      return `${strings.toolCall(part.name, part.call)} ${input}`;
    }
    default:
      return part satisfies never;
  }
}
