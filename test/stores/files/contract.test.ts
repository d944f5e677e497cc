import { describe, it } from "vitest";
import { logStoreContract } from "../../../src/testing/testing.ts";
import { filesSubject } from "./files-subject.ts";

logStoreContract("the files store", { describe, it, open: () => filesSubject() });
logStoreContract("the files store, with an index and a rotation every few lines", {
  describe,
  it,
  open: () => filesSubject({ rotateBytes: 1 }),
});
