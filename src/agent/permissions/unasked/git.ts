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
  readonly operands: "any" | "none";
  /**
   * Options inserted after the subcommand, so that git does not run any programs from the repository's configuration.
   */
  readonly guards: readonly string[];
  /** Whether the command reads more than the names and states of files. */
  readonly wide: "yes" | "no";
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
    words: ["-uno", "-unormal", "-uall", "-sb"],
    operands: "any",
    guards: [NO_SUBMODULES],
    wide: "no",
  },
  diff: {
    flags: "puswbRzMW",
    values: "USG",
    long: DIFF,
    operands: "any",
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    wide: "yes",
  },
  log: {
    flags: "puswbRzMWiEFm",
    values: "USGn",
    long: LOG,
    counts: "yes",
    operands: "any",
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    wide: "yes",
  },
  show: {
    flags: "puswbRzMWm",
    values: "USG",
    long: LOG,
    operands: "any",
    guards: [...NO_PROGRAMS, NO_SUBMODULES],
    wide: "yes",
  },
  blame: {
    flags: "wMCeslnft",
    values: "L",
    long: ["porcelain", "line-porcelain", "date="],
    operands: "any",
    guards: ["--no-textconv"],
    wide: "yes",
  },
  "rev-parse": {
    long: "show-toplevel abbrev-ref short short= verify git-dir is-inside-work-tree show-prefix show-cdup quiet".split(
      " ",
    ),
    operands: "any",
    guards: [],
    wide: "no",
  },
  "ls-files": {
    flags: "codmsz",
    long: ["cached", "others", "modified", "deleted", "stage", "exclude-standard", "ignored", "directory"],
    operands: "any",
    guards: [],
    wide: "yes",
  },
  describe: {
    long: ["tags", "all", "always", "long", "abbrev=", "match="],
    operands: "any",
    guards: [],
    wide: "no",
  },
  shortlog: {
    flags: "sne",
    long: ["summary", "numbered", "email", "all", "since=", "until=", "no-merges"],
    operands: "any",
    guards: [],
    wide: "yes",
  },
  branch: {
    flags: "arv",
    long: ["show-current", "list", "all", "remotes", "verbose", "no-color"],
    operands: "none",
    guards: [],
    wide: "no",
  },
  remote: { flags: "v", long: ["verbose"], operands: "none", guards: [], wide: "no" },
  tag: { flags: "ln", long: ["list"], operands: "none", guards: [], wide: "no" },
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
  readonly folder?: string;
  readonly operands: readonly string[];
  readonly wide: "yes" | "no";
  /** All arguments, including the options that prevent git from running other programs. */
  readonly args: readonly string[];
}

/**
 * Returns the part of a repository that a git command would read. Returns undefined unless the command's subcommand and
 * options are known to be read-only.
 */
export function gitLookOf([program, ...words]: readonly string[]): GitLook | undefined {
  if (program !== "git") return undefined;
  const [global, subcommand = "", ...rest] = splitGlobal(words);
  if (global === undefined) return undefined;
  const found = subcommandLook(subcommand, rest);
  if (found === undefined) return undefined;
  const { name, operands, guards, args, wide } = found;
  return {
    ...(global === "" ? {} : { folder: global }),
    operands,
    wide,
    args: ["--no-pager", ...OVERRIDES.flatMap((each) => ["-c", each]), ...name, ...guards, ...args],
  };
}

/**
 * Returns the folder given with `-C` ("" if none), followed by the words after git's own options. Returns undefined as
 * the folder if there is any other option.
 */
function splitGlobal(words: readonly string[]): readonly [string | undefined, ...(readonly string[])] {
  let folder = "";
  let index = 0;
  for (; index < words.length && (words[index] ?? "").startsWith("-"); index += 1) {
    const word = words[index];
    if (word === "--no-pager") continue;
    index += 1;
    const value = words[index];
    if (word !== "-C" || folder !== "" || value === undefined || value === "") return [undefined];
    folder = value;
  }
  return [folder, ...words.slice(index)];
}

interface SubcommandLook extends Pick<KnownSubcommand, "guards" | "wide"> {
  readonly name: readonly string[];
  readonly operands: readonly string[];
  readonly args: readonly string[];
}

function subcommandLook(name: string, words: readonly string[]): SubcommandLook | undefined {
  if (name === "stash") {
    if (words.length !== 1 || words[0] !== "list") return undefined;
    return { name: ["stash", "list"], operands: [], guards: [], args: [], wide: "no" };
  }
  const known = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  if (known === undefined) return undefined;
  const operands = operandsOf(words, known);
  if (operands === undefined || (known.operands === "none" && operands.length > 0)) return undefined;
  // Format placeholders for signatures make git run gpg.
  if (words.some((word) => /%[-+ ]?G/u.test(word))) return undefined;
  const { guards, wide } = known;
  return { name: [name], operands, guards, args: words, wide };
}

/**
 * Returns the environment for a read-only git command. In this environment, git does not read, fetch or write anything
 * that a repository names.
 */
export function gitEnvironment(): Readonly<Record<string, string>> {
  return {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: "false",
    GIT_ASKPASS: "false",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
  };
}
