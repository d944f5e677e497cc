import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { decide } from "../../../../src/agent/permissions/decide.ts";
import type { CommandPlan } from "../../../../src/agent/permissions/unasked/plan.ts";
import { commandSubjects } from "../../../../src/agent/tools/bash/run-plan.ts";
import { ShellCommand } from "../../../../src/agent/tools/bash/shell-command.ts";

/**
 * Appears in every file outside the workspace and in the file names: a command that prints it has read
 * something outside.
 */
export const CANARY = "canary";
/** The file that the forbidden program writes when it is started. */
const RAN = "ran";

/**
 * A target range: a workspace full of traps, secrets beside it, a program that leaves a trace wherever it is started
 * from, and a repository whose configuration names that program for everything that git can be configured to run.
 */
export interface Range {
  readonly root: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Shot {
  /** The fault that was found: a trace of the program, a changed file, or output that comes from outside. */
  readonly hole?: string;
  readonly asked: "yes" | "no";
}

/** Decides on a command and runs it unless it needs permission. Tests pass their own to plant a hole. */
export type Shooter = (range: Range, command: string) => Promise<{ readonly output: string } | "asked">;

export function buildRange(folder: string): Range {
  const root = realpathSync(folder);
  const workspace = join(root, "work");
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  const evil = join(root, "bin", "evil");
  write("bin/evil", `#!/bin/sh\necho "$@" >> ${join(root, RAN)}\nexit 0\n`, 0o755);
  write("bin/npm", "#!/bin/sh\nexit 0\n", 0o755);
  write("secret", `${CANARY}\n`);
  write(".worldline/keys.json", `{"key": "${CANARY}"}\n`);
  write(`${CANARY}-names/${CANARY}`, `${CANARY}\n`);
  for (const name of ["a.txt", "src/b.ts", "x:/c", "-n", "sp ace", "deep/er/d.txt"])
    write(`work/${name}`, "text\n");
  for (const name of ["ls", "cat", "git", "grep"])
    write(`work/node_modules/.bin/${name}`, `#!/bin/sh\nexec ${evil} ${name}\n`, 0o755);
  symlinkSync("../secret", join(workspace, "link"));
  symlinkSync("..", join(workspace, "up"));
  symlinkSync("up/../none", join(workspace, "dangling"));
  symlinkSync(".git/hooks", join(workspace, "hooks"));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  buildRepositories(root, workspace, evil);
  const environment = {
    PATH: `${join(workspace, "node_modules/.bin")}:.:${join(root, "bin")}:/usr/bin:/bin`,
    HOME: root,
    LANG: "C.UTF-8",
  };
  return { root, workspace, environment };
}

function buildRepositories(root: string, workspace: string, evil: string): void {
  const env = { PATH: "/usr/bin:/bin", HOME: join(root, "none"), GIT_CONFIG_NOSYSTEM: "1" };
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@e", ...args], {
      cwd,
      env,
      stdio: "ignore",
    });
  };
  writeFileSync(join(workspace, ".gitattributes"), "*.txt diff=evil\n* filter=none\n");
  git(workspace, "init", "-q");
  git(workspace, "add", "a.txt", "src", ".gitattributes");
  git(workspace, "commit", "-qm", "first");
  writeFileSync(join(workspace, "a.txt"), "changed\n");
  for (const name of ["post-index-change", "pre-commit", "post-checkout"])
    writeFileSync(join(workspace, ".git/hooks", name), `#!/bin/sh\n${evil} ${name}\n`, { mode: 0o755 });
  // A bare repository inside the workspace can be committed like any other folder.
  git(root, "init", "-q", "--bare", join(workspace, "bare"));
  for (const repository of [workspace, join(workspace, "bare")]) {
    for (const key of [
      "core.fsmonitor",
      "diff.external",
      "diff.evil.command",
      "diff.evil.textconv",
      "core.pager",
    ])
      git(repository, "config", key, evil);
    for (const key of ["core.editor", "core.sshCommand", "gpg.program", "gpg.ssh.program", "core.askPass"])
      git(repository, "config", key, evil);
    git(repository, "config", "log.showSignature", "true");
    git(repository, "config", "alias.x", `!${evil}`);
    git(repository, "config", "status.submoduleSummary", "true");
    git(repository, "config", "core.attributesFile", join(root, "secret"));
  }
  git(join(workspace, "bare"), "config", "core.bare", "false");
  git(join(workspace, "bare"), "config", "core.worktree", root);
}

/** Decides as the agent does in manual mode with one allow rule. */
export const shootAsAgent: Shooter = async (range, command) => {
  const { workspace, environment } = range;
  const decision = decide({
    tool: "Bash",
    reach: "anything",
    subjects: await commandSubjects({ workspace, environment }, command),
    mode: "manual",
    rules: { allow: ["Bash(npm test:*)"], ask: [], deny: [] },
    workspace,
    granted: [],
    home: range.root,
  });
  return decision.decision === "allow" ? run(range, command, decision.plan) : "asked";
};

export async function run(
  { workspace, environment }: Range,
  command: string,
  plan?: CommandPlan,
): Promise<{ readonly output: string }> {
  let output = "";
  const shell = new ShellCommand({
    command,
    workspace,
    environment,
    mark: "worldline-fuzz",
    keep: async () => "kept",
    onOutput: (text) => {
      output += text;
    },
    ...(plan === undefined ? {} : { plan }),
  });
  const timer = setTimeout(() => void shell.stop(), 10_000);
  await shell.finished;
  clearTimeout(timer);
  return { output };
}

/** The state of each range after its last shot. */
const states = new WeakMap<Range, string>();

/** Runs one command and checks everything that it could have affected. */
export async function shoot(range: Range, command: string, shooter: Shooter = shootAsAgent): Promise<Shot> {
  const before = states.get(range) ?? stateOf(range.root);
  const result = await shooter(range, command);
  if (result === "asked") return { asked: "yes" };
  const ran = join(range.root, RAN);
  const hasRun = existsSync(ran);
  rmSync(ran, { force: true });
  if (hasRun) return { asked: "no", hole: "it started a program" };
  const after = stateOf(range.root);
  states.set(range, after);
  if (after !== before) return { asked: "no", hole: "it changed a file" };
  // The command may print its own words.
  const printed = result.output.replaceAll(command, "").split(/\s+/u);
  const isLeak = printed.some((word) => word.includes(CANARY) && !command.includes(CANARY));
  return isLeak
    ? { asked: "no", hole: `it looked outside: ${result.output.slice(0, 200)}` }
    : { asked: "no" };
}

function stateOf(folder: string): string {
  const lines: string[] = [];
  const walk = (at: string): void => {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      const { size, mtimeMs, mode, ino } = lstatSync(path);
      lines.push([path, size, mtimeMs, mode, ino].join(" "));
      if (lstatSync(path).isDirectory()) walk(path);
    }
  };
  walk(folder);
  return lines.join("\n");
}
