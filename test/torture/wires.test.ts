// Runs over every wire what `npm test` runs over one wire per test.
import "../e2e/agent/context/compact-model.test.ts";
import "../e2e/agent/context/compaction.test.ts";
import "../e2e/agent/context/going-back.test.ts";
import "../e2e/agent/context/note-to-self.test.ts";
import "../e2e/agent/context/resuming.test.ts";
import "../e2e/agent/output.test.ts";
import "../e2e/agent/trouble/bad-input.test.ts";
import "../e2e/agent/trouble/broken-calls.test.ts";
import "../e2e/agent/trouble/cut-turns.test.ts";
import "../e2e/agent/trouble/interrupts.test.ts";
import "../e2e/agent/trouble/network.test.ts";
