import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

/**
 * Loaded into the program before its own code: it is then on a machine of another name. Nothing else has to differ, as
 * whoever owns a lease is asked whether it lives only on the host that it names.
 */
const host = process.env["TEST_HOST"];
if (host !== undefined) os.hostname = () => host;
syncBuiltinESMExports();
