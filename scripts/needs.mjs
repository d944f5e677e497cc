import { run } from "./run-command.mjs";

/**
 * Programs that tests use and npm cannot bring: the command looked for, the Debian package that has it, which tests.
 * @type {readonly { command: string, debian: string, tests: string }[]}
 */
const needs = [{ command: "tmux", debian: "tmux", tests: "the terminal inside tmux" }];

/** @param {string} command */
async function isThere(command) {
  const { code } = await run("sh", ["-c", `command -v ${command}`], { show: "collect" });
  return code === 0;
}

/**
 * Where that is plainly allowed: as root on Debian.
 * @param {string} debian
 */
async function install(debian) {
  if (process.getuid?.() !== 0 || !(await isThere("apt-get"))) {
    return console.log(`  not installed from here (that takes root on Debian); the package is ${debian}`);
  }
  console.log(`  installing it: apt-get install ${debian}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { code } = await run("apt-get", ["install", "-y", "--no-install-recommends", debian], { env });
  if (code !== 0) console.log(`  apt-get could not install ${debian}`);
}

/**
 * Says what the tests need, and installs what is missing where it may.
 * @returns {Promise<readonly string[]>} What is left out of this run, and why.
 */
export async function provideNeeds() {
  const leftOut = [];
  for (const { command, debian, tests } of needs) {
    const there = await isThere(command);
    console.log(`needs ${command} for tests of ${tests}: ${there ? "there" : "missing"}`);
    if (there) continue;
    await install(debian);
    if (!(await isThere(command))) leftOut.push(`tests of ${tests}: there is no ${command}`);
  }
  return leftOut;
}
