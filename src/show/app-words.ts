import type { Source } from "../app/settings/table.ts";
import type { AppWords, NamedPlace } from "../app/words.ts";
import type { Strings } from "../strings/strings.ts";
import { checkpointText } from "./checkpoint-text.ts";
import { keptReason, throughEnd } from "./files/journey-text.ts";
import { patchOf } from "./files/patch.ts";
import { recapText } from "./recap-text.ts";
import { claimsText } from "./session-text.ts";

/** The words of the language that `strings` gives, asked for each time: the user may choose another one. */
export function appWords(
  strings: () => Strings,
  shellCommand: AppWords["shellCommand"] = (words) => `worldline ${words}`,
): AppWords {
  return {
    place: (place) => placeText(place, strings()),
    recap: (recap) => recapText(recap, strings()),
    patch: (changes, files) => patchOf(changes, files, strings()),
    kept: (kept, preview) => keptReason(kept, preview, strings()),
    restoredThrough: (outcome) => throughEnd(outcome, strings()),
    get noHead() {
      return strings().files.nothing;
    },
    sessionTitle: (title, { isFork, mode, id }) => {
      const { sessionsHere, terminal } = strings();
      // Never without a name: whoever is asked whether to delete one must see which.
      const name = title || (mode === "workspace" ? sessionsHere.workspacesOwn : id);
      return isFork ? terminal.station.forkOf(name) : name;
    },
    holder: (owner) => {
      const { sessions, sessionsHere } = strings();
      if (owner === undefined) return sessions.holders.unreadable;
      return sessionsHere.owner(owner.name, owner.pid, owner.host);
    },
    claims: (claims) => claimsText(claims, strings()),
    lookedFor: ({ variables, setting }) => {
      const { lookedFor } = strings().terminal.station;
      return [
        ...variables.map((variable) => lookedFor.variable(variable)),
        setting === "" ? lookedFor.setting : lookedFor.settingNamed(setting),
        lookedFor.kept,
      ];
    },
    source: (source) => sourceText(source, strings()),
    shellCommand,
    folderGone: (folder) => strings().terminal.station.folderGone(folder),
  };
}

/** `#12 find the leak`, or `exec-123, step data_processing`. */
export function placeText(place: NamedPlace | undefined, strings: Strings): string {
  if (place === undefined) return strings.terminal.dialogs.tree.beginning;
  if ("execution" in place) return strings.executions.stepOf(place.execution, place.step);
  const { number, at, label, text, on } = place;
  const { after } = strings.terminal.dialogs.checkpoints;
  const prompt = text !== undefined && on === "after" ? after(text) : text;
  const known = {
    at,
    ...(label === undefined ? {} : { label }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  return `#${number} ${checkpointText(known, strings)}`;
}

/** Where a value stands, so that users find it. */
export function sourceText(source: Source, { config }: Strings): string {
  if ("file" in source) return `${source.file}:${source.line}`;
  if (source.layer === "environment") return config.fromEnvironment(source.variable);
  return source.layer === "flag" ? config.fromFlag : config.fromDefault;
}
