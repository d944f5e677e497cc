import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BlobHash } from "../../record/ids.ts";
import { Story } from "../story.ts";
import { rejectsWith } from "./rejects-with.ts";
import type { ContractGroup } from "./subject.ts";

export const blobs: ContractGroup = {
  title: "blobs",
  cases: [
    {
      title: "keeps bytes under their sha256, after a restart too",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256));
        const hash = await store.putBlob(story.session, bytes);
        assert.equal(hash, createHash("sha256").update(bytes).digest("hex"));
        assert.deepEqual(Buffer.from(await another().getBlob(story.session, hash)), bytes);
        assert.deepEqual(await another().listBlobs(story.session), [hash]);
      },
    },
    {
      title: "keeps the same bytes once, and no bytes at all",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const hashes = [
          await store.putBlob(story.session, Buffer.from("x")),
          await store.putBlob(story.session, Buffer.from("x")),
        ];
        const empty = await store.putBlob(story.session, new Uint8Array());
        assert.equal(hashes[0], hashes[1]);
        assert.equal((await store.getBlob(story.session, empty)).length, 0);
        assert.deepEqual(await store.listBlobs(story.session), [hashes[0], empty].sort());
      },
    },
    {
      title: "is not altered by what happens to the given or the returned bytes",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const given = Buffer.from("unaltered");
        const hash = await store.putBlob(story.session, given);
        given.fill(0);
        (await store.getBlob(story.session, hash)).fill(0);
        assert.equal(Buffer.from(await store.getBlob(story.session, hash)).toString(), "unaltered");
      },
    },
    {
      title: "says which blob is not there, whatever it is asked for",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        for (const hash of ["0".repeat(64), "../../../etc/passwd", ""] as BlobHash[]) {
          await rejectsWith("BLOB_MISSING", store.getBlob(story.session, hash));
        }
      },
    },
  ],
};
