import type { Strings } from "../../strings/strings.ts";
import type { Completion } from "../editor/completion.ts";
import type { CommandContext } from "../flows/command-context.ts";

/** A command that the user types with a slash. */
export interface SlashCommand {
  /** The name without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** The arguments in the form shown by help, such as "[n]", or "" if there are none. */
  readonly takes: string;
  /** The key of the command's description in the catalogue. */
  readonly description: keyof Strings["terminal"]["commands"]["descriptions"];
  /** "any" means that the command is also available while a turn is running. */
  readonly while: "idle" | "any";
  /** Returns the arguments that can follow, for completion. */
  readonly completions?: (context: CommandContext, typed: string) => Promise<readonly Completion[]>;
  readonly run: (context: CommandContext, words: string) => Promise<void>;
}
