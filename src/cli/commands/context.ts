import { type ContextSize, contextAt } from "../../app/queries/context-at.ts";
import type { Part, ReplyPart } from "../../record/parts.ts";
import type { Style } from "../../show/style.ts";
import { type Glyphs, glyphsFor } from "../../show/style.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Context, ContextMessage } from "../../timeline/context/context.ts";
import { defineCommand, text } from "../command.ts";

export const context = defineCommand({
  help: (help) => help.context,
  options: {
    at: text("<cp>"),
  },
  run: async ({ options: { at }, frame }) => {
    const { output, strings, surroundings } = frame;
    const { session, checkpoint = null, context: shown, size } = await contextAt(frame, at);
    const { tokens, window = null } = size;
    output.answer({ session, at: checkpoint, tokens, window, ...shown }, () =>
      contextText(shown, size, {
        strings: strings.looking,
        glyphs: glyphsFor(surroundings.environment),
        style: output.style,
      }),
    );
  },
});

interface ContextLook {
  readonly strings: Strings["looking"];
  readonly glyphs: Glyphs;
  readonly style: Style;
}

/**
 * Formats the context as text for users: a heading for each message, the message's parts word for word, and marks at
 * the cache breakpoints.
 */
function contextText(context: Context, size: ContextSize, look: ContextLook): string {
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
