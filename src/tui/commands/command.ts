import type { Strings } from "../../strings/strings.ts";
import type { Completion } from "../editor/completion.ts";
import type { CommandContext } from "../flows/command-context.ts";

/** A command that is typed with a slash. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Such as "[n]"; "" for none. */
  readonly takes: string;
  /** Which of the catalogue's descriptions is its own. */
  readonly description: keyof Strings["terminal"]["commands"]["descriptions"];
  /** Whether it may be given while a turn runs. */
  readonly while: "idle" | "any";
  /** What can stand behind it, for completion. */
  readonly completions?: (context: CommandContext, typed: string) => Promise<readonly Completion[]>;
  readonly run: (context: CommandContext, words: string) => Promise<void>;
}
