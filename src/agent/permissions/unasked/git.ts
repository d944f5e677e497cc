import { type KnownOptions, operandsOf } from "./programs.ts";

const DIFF: readonly string[] = [
  ..."patch no-patch stat stat= shortstat numstat dirstat summary name-only name-status cached staged check".split(
    " ",
  ),
  ..."color color= no-color word-diff word-diff= color-words ignore-all-space ignore-space-change".split(" "),
  ..."ignore-blank-lines unified= find-renames no-renames diff-filter= minimal patience histogram quiet".split(
    " ",
  ),
  ..."exit-code merge-base full-index abbrev abbrev= function-context no-prefix raw".split(" "),
];
const LOG: readonly string[] = [
  ...DIFF,
  ..."oneline graph all branches tags remotes decorate decorate= no-decorate reverse author= committer=".split(
    " ",
  ),
  ..."grep= since= until= after= before= max-count= skip= no-merges merges first-parent format= pretty=".split(
    " ",
  ),
  ..."pretty date= follow abbrev-commit no-abbrev-commit topo-order date-order left-right name-only".split(
    " ",
  ),
  ..."relative-date full-history invert-grep regexp-ignore-case pickaxe-regex no-notes".split(" "),
];

interface KnownSubcommand extends KnownOptions {
  /** Options inserted after the subcommand so that git runs nothing that the repository's configuration names. */
  readonly guards: readonly string[];
  /** "wide": the command reads more than the names and states of files. */
  readonly looks: "named" | "wide";
}

const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv"];
/** Without this option, git would start another git process in each submodule, with that submodule's configuration. */
const NO_SUBMODULES = "--ignore-submodules=dirty";

const SUBCOMMANDS: Readonly<Record<string, KnownSubcommand>> = {
  status: {
    flags: "sbuz",
    long: "short branch long porcelain porcelain= untracked-files untracked-files= ignored show-stash renames no-renames".split(
      " ",
    ),
    words: ["-uno", "-unormal", "-uall"],
    guards: [NO_SUBMODULES],
    looks: "named",
  },
  diff: {
    flags: "puswbRzMW",
    values: "USG",
    long: DIFF,
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    looks: "wide",
  },
  log: {
    flags: "puswbRzMWiEFm",
    values: "USGn",
    long: LOG,
    counts: "yes",
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    looks: "wide",
  },
  show: {
    flags: "puswbRzMWm",
    values: "USG",
    long: LOG,
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    looks: "wide",
  },
  blame: {
    flags: "wMCeslnft",
    values: "L",
    long: ["porcelain", "line-porcelain", "date="],
    guards: ["--no-textconv"],
    looks: "wide",
  },
  "rev-parse": {
    long: "show-toplevel abbrev-ref short short= verify git-dir is-inside-work-tree show-prefix show-cdup quiet".split(
      " ",
    ),
    guards: [],
    looks: "named",
  },
  "ls-files": {
    flags: "codmsz",
    long: ["cached", "others", "modified", "deleted", "stage", "exclude-standard", "ignored", "directory"],
    guards: [],
    looks: "wide",
  },
  describe: {
    long: ["tags", "all", "always", "long", "abbrev=", "match="],
    guards: [],
    looks: "named",
  },
  shortlog: {
    flags: "sne",
    long: ["summary", "numbered", "email", "all", "since=", "until=", "no-merges"],
    guards: [],
    looks: "wide",
  },
  branch: {
    flags: "arv",
    long: ["show-current", "list", "all", "remotes", "verbose", "no-color"],
    maxOperands: 0,
    guards: [],
    looks: "named",
  },
  remote: { flags: "v", long: ["verbose"], maxOperands: 0, guards: [], looks: "named" },
  tag: { flags: "ln", long: ["list"], maxOperands: 0, guards: [], looks: "named" },
};

/**
 * Overrides for all configuration values that a repository can use to make git run a program, read other files or use
 * the network.
 */
const OVERRIDES: readonly string[] = [
  "core.fsmonitor=",
  "core.virtualFilesystem=",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false",
  "core.askPass=false",
  "core.gitProxy=",
  "core.alternateRefsCommand=false",
  "core.attributesFile=/dev/null",
  "credential.helper=",
  "diff.external=",
  "diff.ignoreSubmodules=dirty",
  "diff.submodule=short",
  "diff.orderFile=/dev/null",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
  "mailmap.file=/dev/null",
  "log.showSignature=false",
  "gpg.program=false",
  "gpg.openpgp.program=false",
  "gpg.x509.program=false",
  "gpg.ssh.program=false",
  "gpg.ssh.defaultKeyCommand=",
  "protocol.allow=never",
  "safe.bareRepository=explicit",
];

export interface GitLook {
  /** The folder given with `-C`, exactly as written. */
  readonly folder: string | undefined;
  readonly looks: "named" | "wide";
  /** All arguments, including the options that prevent git from running other programs. */
  readonly args: readonly string[];
}

/**
 * Returns what a git command reads, and how to run it safely. Returns undefined unless the command's subcommand and
 * options are known to be read-only.
 */
export function gitLookOf([program, ...words]: readonly string[]): GitLook | undefined {
  if (program !== "git") return undefined;
  const { folder, rest } = splitGlobal(words);
  const look = subcommandLook(rest);
  if (look === undefined) return undefined;
  const args = ["--no-pager", ...OVERRIDES.flatMap((each) => ["-c", each]), ...look.args];
  return { folder, looks: look.looks, args };
}

/**
 * Returns the folder given with `-C` and the words after git's own options. An option that is not known remains the
 * first word, and is not a subcommand.
 */
function splitGlobal(words: readonly string[]): {
  readonly folder: string | undefined;
  readonly rest: readonly string[];
} {
  const rest = [...words];
  let folder: string | undefined;
  for (;;) {
    if (rest[0] === "--no-pager") rest.shift();
    else if (rest[0] === "-C" && folder === undefined) [, folder] = rest.splice(0, 2);
    else return { folder, rest };
  }
}

function subcommandLook([name = "", ...words]: readonly string[]):
  | Pick<GitLook, "args" | "looks">
  | undefined {
  if (name === "stash") {
    if (words.length !== 1 || words[0] !== "list") return undefined;
    return { args: ["stash", "list"], looks: "named" };
  }
  const known = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (known === undefined || operandsOf(words, known) === undefined) return undefined;
  // Format placeholders for signatures make git run gpg.
  if (words.some((word) => /%[-+ ]?G/u.test(word))) return undefined;
  const { guards, looks } = known;
  return { args: [name, ...guards, ...words], looks };
}

/**
 * The environment for a read-only git command. In this environment, git does not read, fetch or write anything that a
 * repository names.
 */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "false",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
};
