import { closest } from "../../record/closest.ts";
import type { MeantCommand } from "../../strings/errors/en/commands.ts";

/** Words that users bring from git, npm and other agents, and the command here that does it. */
const MEANT: Readonly<Record<string, MeantCommand>> = Object.fromEntries(
  [
    ["rewind", "undo back revert rollback reset checkout"],
    ["redo", "forward"],
    ["checkpoint", "commit save snapshot mark stash"],
    ["tree", "branch branches graph"],
    ["fork", "copy duplicate clone"],
    ["log", "history entries"],
    ["resume", "status state recap"],
    ["why", "blame"],
    ["show", "cat"],
    ["find", "bisect"],
    ["stats", "usage cost costs"],
    ["setup", "login auth connect key keys logout"],
    ["config", "settings set get preferences"],
    ["config trust", "trust"],
    ["compact", "summary"],
    ["sessions list", "list ls"],
    ["sessions search", "search grep"],
    ["sessions delete", "delete rm remove"],
    ["sessions rename", "rename title"],
    ["sessions export", "export"],
    ["sessions import", "import"],
    ["store gc", "gc clean prune"],
    ["store du", "du size"],
    ["store verify", "verify fsck"],
    ["doctor", "check health repair"],
    ["-c", "continue"],
    ["-r", "switch open load"],
    ["--version", "version"],
    ["", "chat start new agent tui"],
  ].flatMap(([command = "", words = ""]) => words.split(" ").map((word) => [word, { command }] as const)),
);

/** Those that no command does. */
const ELSEWHERE: Readonly<Record<string, MeantCommand>> = {
  init: "init",
  mcp: "mcp",
  update: "update",
  upgrade: "update",
};

/** What was probably meant by a word that is no command; undefined where nothing is near. */
export function suggestionFor(word: string, names: readonly string[]): MeantCommand | undefined {
  const key = word.toLowerCase();
  const known = [ELSEWHERE, MEANT].find((table) => Object.hasOwn(table, key))?.[key];
  if (known !== undefined) return known;
  const meant = closest(word, names);
  return meant === undefined ? undefined : { command: meant };
}

/** Other words for the commands under `sessions`, `store`, `config` and `executions`. */
const SAME: readonly (readonly string[])[] = [
  ["list", "ls"],
  ["delete", "rm", "remove"],
  ["show", "cat", "view", "info"],
  ["rename", "mv", "title"],
  ["search", "grep", "find"],
  ["restore", "rewind", "back"],
  ["gc", "clean", "prune"],
  ["verify", "check", "fsck"],
  ["set", "add"],
];

/** The command of a group that was probably meant. */
export function closestIn(word: string, names: readonly string[]): string | undefined {
  const same = SAME.find((words) => words.includes(word)) ?? [];
  return names.find((name) => same.includes(name)) ?? closest(word, names);
}
