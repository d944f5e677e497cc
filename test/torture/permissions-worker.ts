import { fuzz } from "../agent/permissions/fuzz/fuzz.ts";

// Runs inside of a sandbox, by node alone: `permissions.test.ts` bundles and starts it.
const [folder = "", count = "0", seed = "0"] = process.argv.slice(2);
const report = await fuzz({ folder, count: Number(count), seed: Number(seed) });
process.stdout.write(JSON.stringify(report));
