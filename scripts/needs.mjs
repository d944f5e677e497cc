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
  if (process.env["WORLDLINE_TEST_INSTALL"] === "0") {
    return console.log(`  not installed, as WORLDLINE_TEST_INSTALL=0 wants it; the package is ${debian}`);
  }
  if (process.getuid?.() !== 0 || !(await isThere("apt-get"))) {
    return console.log(`  not installed from here (that takes root on Debian); the package is ${debian}`);
  }
  console.log(`  installing it: apt-get install ${debian}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const get = async (/** @type {string[]} */ ...words) => (await run("apt-get", words, { env })).code;
  const installing = ["install", "-y", "--no-install-recommends", debian];
  if ((await get(...installing)) === 0) return;
  // A machine that has never asked knows no packages.
  const isKnown = (await get("update")) === 0 && (await get(...installing)) === 0;
  if (!isKnown) console.log(`  apt-get could not install ${debian}`);
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
