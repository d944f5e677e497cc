import { fuzz } from "../agent/permissions/fuzz/fuzz.ts";

// Runs inside a sandbox with nothing but Node.js: `permissions.test.ts` bundles and starts it.
const [folder = "", count = "0", seed = "0"] = process.argv.slice(2);
const report = await fuzz({ folder, count: Number(count), seed: Number(seed) });
process.stdout.write(JSON.stringify(report));
