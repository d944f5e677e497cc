import fc from "fast-check";

// The same cases for each mutant, and no more than two seconds of them: a property runs for every mutant that it covers.
fc.configureGlobal({ seed: 20_261_119, interruptAfterTimeLimit: 2_000 });
