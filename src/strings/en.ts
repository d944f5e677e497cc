import { agent } from "./en/agent/agent.ts";
import { compact } from "./en/agent/compact.ts";
import { hosts } from "./en/agent/hosts.ts";
import { models, setup } from "./en/agent/models.ts";
import { recap } from "./en/agent/recap.ts";
import { resume } from "./en/agent/resume.ts";
import { stats } from "./en/agent/stats.ts";
import { checkpoints } from "./en/checkpoints.ts";
import { doctor } from "./en/doctor.ts";
import { errors } from "./en/errors.ts";
import { files } from "./en/files/files.ts";
import { store } from "./en/files/store.ts";
import { find } from "./en/find.ts";
import { forget } from "./en/forget.ts";
import { journeys } from "./en/journeys.ts";
import { looking } from "./en/looking.ts";
import { time } from "./en/measures/time.ts";
import { prove } from "./en/prove.ts";
import { run } from "./en/run.ts";
import { exchange } from "./en/sessions/exchange.ts";
import { executions } from "./en/sessions/executions.ts";
import { sessions } from "./en/sessions/sessions.ts";
import { sessionsHere } from "./en/sessions/sessions-here.ts";
import { story } from "./en/story.ts";
import { terminal } from "./en/terminal/terminal.ts";
import { watch } from "./en/watch.ts";
import { errorsInEnglish } from "./errors/en/errors.ts";
import type { ErrorCatalogue } from "./errors/wording.ts";

/**
 * What the command line says to a person, in English: the source that other catalogues are checked against.
 *
 * Two kinds of text live elsewhere. Messages and hints of errors stand where they are thrown, because models
 * and scripts read the same words; `--help` stands with the options that it describes.
 */
export const en = {
  output: {
    error: "error:",
    hint: "hint:",
    warning: "warning:",
    /** English messages say it all; other languages begin with the name of what went wrong. */
    failure: (_name: string, message: string) => message,
    unwritable: (why: string) => `Could not write to standard output: ${why}`,
    /** An error that is none of ours, in its own words. */
    unexpected: (message: string) => message,
    unexpectedHint:
      "This should not have happened. Run it again with WORLDLINE_DEBUG=1 to see where it came from, and report that.",
  },
  /** How parts of a line are put together. */
  phrases: {
    aside: (what: string, about: string) => (what === "" ? `(${about})` : `${what} (${about})`),
    listed: (parts: readonly string[]) => parts.join(", "),
  },
  confirm: {
    question: (question: string) => `${question} [y/N] `,
  },
  settings: {
    unknownKey: (key: string, place: string) =>
      `${place}: ${key} is not a setting of this version; passed over.`,
    didYouMean: (key: string) => `Did you mean ${key}?`,
    ignoredUntilTrusted: (keys: string) =>
      `This workspace's settings are not trusted yet, so these are ignored: ${keys}. ` +
      "See them with: worldline config --explain. Trust them with: worldline config trust",
    notTheWorkspaces: (keys: string) =>
      `A workspace cannot set what is about all of them, trusted or not, so these are ignored: ${keys}. ` +
      "Set them for yourself: worldline config set",
    contradiction: (variable: string, key: string, place: string) =>
      `${variable} overrides ${key}, which ${place} sets to the opposite.`,
    trustUnreadable: (file: string, why: string) =>
      `Nothing is trusted, because ${file} cannot be read: ${why}. Delete it and trust again: worldline config trust`,
    trustForeign: "it is not what Worldline writes",
  },
  config: {
    fromDefault: "default",
    fromEnvironment: (variable: string) => `environment ${variable}`,
    fromFlag: "flag --setting",
    overrode: (value: string, source: string) => `overrode ${value} (${source})`,
    ignored: (value: string, source: string) => `ignored until trusted: ${value} (${source})`,
    ignoredAlways: (value: string, source: string) => `ignored, being in a workspace: ${value} (${source})`,
    file: (layer: string, path: string, state: string) => `${layer} settings: ${path} (${state})`,
    fileStates: { read: "read", missing: "not there" },
    layers: { user: "user", workspace: "workspace", local: "local" },
    trust: (state: string) => `trust: ${state}`,
    trustStates: {
      trusted: "the workspace's settings are trusted",
      untrusted: "the workspace's settings are not trusted yet",
      "nothing-to-trust": "not needed, the workspace has no settings of its own",
    },
    written: (key: string, value: string, file: string) => `Set ${key} = ${value} in ${file}`,
    alreadySet: (key: string, value: string, file: string) => `${key} is ${value} in ${file} already.`,
    overriddenBy: (key: string, value: string, source: string) =>
      `${key} is still ${value} here, because of: ${source}`,
    stillIgnored: (key: string) =>
      `${key} is ignored here until you trust this workspace's settings: worldline config trust`,
    notChecked: (why: string) => `Written, but it does not count until this is mended: ${why}`,
    trusted: (workspace: string, files: string) =>
      `Trusted the settings of ${workspace} as they are now: ${files}`,
    untrusted: (workspace: string) => `The settings of ${workspace} are not trusted any more.`,
    wasNotTrusted: (workspace: string) => `The settings of ${workspace} were not trusted.`,
    nothingToTrust: (workspace: string) =>
      `${workspace} has no settings of its own; there is nothing to trust.`,
  },
  errors,
  /** What each error says, by its reason; `errors` are short names by code. */
  reasons: errorsInEnglish as ErrorCatalogue,
  agent,
  recap,
  stats,
  compact,
  resume,
  hosts,
  models,
  setup,
  time,
  sessionsHere,
  checkpoints,
  journeys,
  files,
  looking,
  sessions,
  exchange,
  executions,
  doctor,
  forget,
  store,
  story,
  watch,
  run,
  prove,
  find,
  terminal,
};
