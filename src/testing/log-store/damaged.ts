import assert from "node:assert/strict";
import { toSeq } from "../../record/ids.ts";
import { Story } from "../story.ts";
import { type ContractGroup, damage } from "./subject.ts";

export const damaged: ContractGroup = {
  title: "damaged lines",
  cases: [
    {
      title: "a damaged line in the middle costs that line, and is reported with its number",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        const texts = ["a", "b", "c", "d", "e"].map((text) => story.prompt(text));
        await subject.store.append(story.session, toSeq(2), texts);
        await subject.store.close();
        await damage(subject, story.session, toSeq(4));
        const store = subject.another();
        const readable = story.entries.filter((entry) => entry.seq !== 4);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(6)), readable);
        const opened = await store.open(story.session);
        assert.deepEqual(opened.outline.gaps, [4]);
        assert.equal(opened.outline.length, 6);
        assert.deepEqual(
          opened.damage.map(({ what, line }) => ({ what, line })),
          [{ what: "line", line: 4 }],
        );
        await store.append(story.session, toSeq(7), [story.prompt("goes on")]);
        assert.deepEqual((await subject.another().open(story.session)).outline.gaps, [4]);
      },
    },
    {
      title: "a line that is damaged while the session is open is left out of what is read",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        await subject.store.append(story.session, toSeq(2), [
          story.prompt("a"),
          story.prompt("b"),
          story.prompt("c"),
        ]);
        await subject.store.open(story.session);
        await damage(subject, story.session, toSeq(3));
        const readable = story.entries.filter((entry) => entry.seq !== 3);
        assert.deepEqual(await subject.store.read(story.session, toSeq(1), toSeq(4)), readable);
        assert.equal((await subject.store.verify(story.session)).length, 1);
      },
    },
    {
      title: "a damaged last line keeps its number, which is never given out again",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        await subject.store.append(story.session, toSeq(2), [story.prompt("a"), story.checkpoint()]);
        await subject.store.close();
        await damage(subject, story.session, toSeq(3));
        const store = subject.another();
        await store.read(story.session, toSeq(1), toSeq(3));
        const { outline } = await store.open(story.session);
        assert.equal(outline.nextSeq, 4);
        assert.equal(outline.head?.seq, 2);
        assert.ok(outline.highestNumber >= 1);
        await store.append(story.session, toSeq(4), [story.prompt("goes on")]);
        assert.deepEqual((await subject.another().open(story.session)).outline.gaps, [3]);
      },
    },
  ],
};
