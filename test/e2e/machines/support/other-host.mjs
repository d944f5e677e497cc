import { syncBuiltinESMExports } from "node:module";
import os from "node:os";

/**
 * Loaded before the program's own code to give it another host name. Nothing else has to differ: whether the
 * owner of a lease is alive is checked only on the host that the lease names.
 */
const host = process.env["TEST_HOST"];
if (host !== undefined) os.hostname = () => host;
syncBuiltinESMExports();
