import type { Strings } from "../../strings.ts";
import { commands } from "./commands.ts";
import { dialogs } from "./dialogs.ts";
import { editor } from "./editor.ts";
import { screen } from "./screen.ts";
import { station } from "./station.ts";
import { transcript } from "./transcript.ts";

export const terminal: Strings["terminal"] = { commands, dialogs, editor, screen, station, transcript };
