import { error } from "../texts.ts";

const MOST_LABELS = 10;

interface Session {
  readonly session: string;
}

interface Workspace {
  readonly workspace: string;
}

/** The errors of naming a session, a checkpoint, or a place in a session. */
export const choosing = {
  "two-sessions-named": error(
    "INPUT_INVALID",
    ({ session, other }: Session & { readonly other: string }) =>
      `Two sessions were named: ${session}, and ${other} by --session.`,
    () => "Leave out one of the two.",
  ),
  "checkpoint-of-other-session": error(
    "INPUT_INVALID",
    ({ given, session }: Session & { readonly given: string }) =>
      `"${given}" is not in session ${session}, which --session names.`,
    () => "Leave out one of the two.",
  ),
  "no-checkpoints-yet": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `No checkpoints found: there is no session in ${workspace} yet.`,
    (_, { command }) => `Begin one: ${command('checkpoint "before refactoring"')}`,
  ),
  "no-session-to-go-on": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `There is no session to go on with in ${workspace} yet.`,
    (_, { command }) => `Begin one: worldline, or with a prompt: ${command('-p "..."')}`,
  ),
  "no-session-of-an-agent": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `There is no session of an agent in ${workspace} yet.`,
    (_, { command }) => `Begin one: ${command('-p "why does the build fail?"')}`,
  ),
  "no-session-in-workspace": error(
    "SESSION_UNKNOWN",
    ({ workspace }: Workspace) => `No sessions found: there is none in ${workspace} yet.`,
    (_, { command }) => `See those of other workspaces: ${command("sessions list --all")}`,
  ),
  "which-session": error(
    "USAGE",
    () => "Which session? There is no terminal to choose one from a list.",
    (_, { command }) => `Name it: -r <id>, or take the last one: -c. See them: ${command("sessions list")}`,
  ),
  "which-checkpoint": error(
    "USAGE",
    () => "Which checkpoint? There is no terminal to choose one from a list.",
    (_, { command }) => `Give one: ${command("rewind <number>")}. See them: ${command("checkpoints")}`,
  ),
  "no-checkpoints": error(
    "CHECKPOINT_UNKNOWN",
    () => "No checkpoints found.",
    (_, { command }) => `A session gets one with each prompt, or by: ${command("checkpoint <label>")}`,
  ),
  "session-of-other-folder": error(
    "USAGE",
    ({ session, workspace, here }: Session & Workspace & { readonly here: string }) =>
      `Session ${session} works in ${workspace}, and not in ${here}`,
    ({ here }, { command }) =>
      `Leave out --workspace, or name a session of that folder: ${command(`sessions list --workspace ${here}`)}`,
  ),
  "session-not-here": error(
    "INPUT_INVALID",
    ({ session, workspace }: Session & Workspace) =>
      `Session ${session} works in ${workspace}, and not here.`,
    ({ session }, { command }) => `Go there first: ${command(`--resume ${session}`)}`,
  ),
  "label-unknown-here": error(
    "CHECKPOINT_UNKNOWN",
    ({ label }: { readonly label: string; readonly known: readonly string[] }) =>
      `No checkpoint is called "${label}" here.`,
    ({ known }, { command }) => {
      if (known.length === 0) {
        return `No checkpoint has a label yet. See their numbers: ${command("checkpoints")}`;
      }
      const some = known.slice(0, MOST_LABELS).map((each) => `"${each}"`);
      const more = known.length > MOST_LABELS ? ", …" : "";
      return `Known labels: ${some.join(", ")}${more}. See: ${command("checkpoints --all")}`;
    },
  ),
  "not-a-checkpoint": error(
    "INPUT_INVALID",
    ({ given }: { readonly given: string }) => `"${given}" does not name a checkpoint.`,
    (_, { command }) => `Give a number from 1, session:number, or a label. See: ${command("checkpoints")}`,
  ),
  "label-like-a-number": error(
    "LABEL_INVALID",
    ({ label }: { readonly label: string }) =>
      `"${label}" cannot be a label: it looks like a checkpoint's number.`,
    () => 'Choose a short name with a letter in it, such as "before refactoring".',
  ),
  "not-a-row": error(
    "INPUT_INVALID",
    ({ typed }: { readonly typed: string; readonly last: number }) => `"${typed}" is not a row of the list.`,
    ({ last }) => `Nothing was changed. Type a number from 0 to ${last}.`,
  ),
  "no-entry-of-id": error(
    "ENTRY_UNKNOWN",
    ({ entry }: { readonly entry: string }) => `There is no entry ${entry} in this session.`,
    () => "Choose a row of the tree: /tree",
  ),
  "no-checkpoint-before": error(
    "ENTRY_UNKNOWN",
    ({ entry }: { readonly entry: string }) => `There is no checkpoint at or before ${entry}.`,
    () => "Fork from a later place.",
  ),
};
