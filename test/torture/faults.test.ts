// Tries every fault position; `npm test` tries only a sample of them.
import "../demo/prove/prove.test.ts";
import "../crash/cut-anywhere.test.ts";
import "../crash/files/power-cuts.test.ts";
import "../crash/files/store-faults.test.ts";
import "../crash/files/workspace-faults.test.ts";
import "../crash/power-loss.test.ts";
import "../crash/single-faults.test.ts";
import "../snapshots/keeping/gc-faults.test.ts";
import "../snapshots/keeping/gc-full-disk.test.ts";
import "../snapshots/restoring/failing-operations.test.ts";
