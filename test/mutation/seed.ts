import fc from "fast-check";

// Every mutant gets the same cases. Each property stops after two seconds, because it runs once for every mutant that
// it covers.
fc.configureGlobal({ seed: 20_261_119, interruptAfterTimeLimit: 2_000, endOnFailure: true });
