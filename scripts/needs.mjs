import { run } from "./run-command.mjs";

/**
 * Programs that tests use and npm cannot bring: the command looked for, the Debian package that has it, what for.
 * @type {readonly { command: string, debian: string, why: string }[]}
 */
const needs = [];

/** @param {string} command */
async function isThere(command) {
  const { code } = await run("sh", ["-c", `command -v ${command}`], { show: "collect" });
  return code === 0;
}

/** Says what the tests need, and installs what is missing where that is plainly allowed: root on Debian. */
export async function provideNeeds() {
  if (needs.length === 0) console.log("needs nothing beyond npm ci");
  for (const { command, debian, why } of needs) {
    const there = await isThere(command);
    console.log(`needs ${command} for ${why}: ${there ? "there" : "missing"}`);
    if (there) continue;
    if (process.getuid?.() === 0 && (await isThere("apt-get"))) {
      await run("apt-get", ["install", "-y", "--no-install-recommends", debian]);
    } else {
      console.log(
        `  not installed from here (not root on Debian); install ${debian}, or these tests are skipped`,
      );
    }
  }
}
