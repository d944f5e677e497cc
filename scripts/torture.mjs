import { build } from "./build.mjs";
import { claudeSdkForTests } from "./claude-sdk.mjs";
import { findPostgres } from "./postgres-server.mjs";
import { runTests } from "./run-tests.mjs";

await build();
const { passed, failed } = await runTests("vitest.torture.config.ts", {
  env: { WORLDLINE_TORTURE: process.env["WORLDLINE_TORTURE"] ?? "1" },
  args: process.argv.slice(2),
});
if (findPostgres() === undefined)
  console.log("left out: sessions in Postgres: no Postgres server is installed");
if (claudeSdkForTests() === undefined)
  console.log("left out: the agent of the Claude Agent SDK: the SDK is not installed");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
