import { commands } from "./commands.ts";
import { dialogs } from "./dialogs.ts";
import { editor } from "./editor.ts";
import { screen } from "./screen.ts";
import { station } from "./station.ts";
import { transcript } from "./transcript.ts";

/** What the terminal shows. */
export const terminal = { commands, dialogs, editor, screen, station, transcript };
