import { describe, expect, it } from "vitest";
import { FailingDisk, SimulatedDisk, systemError } from "../../../src/testing/testing.ts";
import { codeOf, FOLDER, noise, putText, SegmentScene, textOf } from "./segment-scene.ts";

/** While `isDying` is set, a writer can neither sync nor cut back what it has written. */
class LastWords extends SimulatedDisk {
  isDying = false;

  override sync(file: number): void {
    if (this.isDying) throw systemError("EIO", "sync");
    super.sync(file);
  }

  override truncate(file: number, size: number): void {
    if (this.isDying) throw systemError("EIO", "truncate");
    super.truncate(file, size);
  }
}

describe("two stores that write at once", () => {
  it("write to a segment each, and read what the other has written", () => {
    const scene = new SegmentScene();
    const [one, other] = [scene.open(), scene.open()];
    for (let round = 0; round < 5; round += 1) {
      const [mine, theirs] = [putText(one, `mine ${round}`), putText(other, `theirs ${round}`)];
      one.sync();
      other.sync();
      expect([textOf(one, theirs), textOf(other, mine)]).toEqual([`theirs ${round}`, `mine ${round}`]);
    }
    expect(scene.names().filter((name) => name.endsWith(".seg")).length).toBe(2);
    one.close();
    other.close();
    expect(scene.open().verify()).toEqual([]);
    expect(scene.names().filter((name) => !name.endsWith(".seg"))).toEqual([]);
  });

  it("in two threads of one process do so too", () => {
    const scene = new SegmentScene();
    const { store, process } = scene.start();
    const thread = scene.open({ processes: process });
    putText(store, "one");
    store.sync();
    putText(thread, "two");
    thread.sync();
    expect(scene.names().filter((name) => name.endsWith(".lock")).length).toBe(2);
  });

  it("count on what the other has acknowledged, not on what it may still take back", () => {
    const scene = new SegmentScene();
    const [one, other] = [scene.open(), scene.open()];
    const first = putText(one, "first");
    one.sync();
    const second = putText(one, "second");
    one.sync();
    other.refresh();
    expect([other.has(first), other.has(second)]).toEqual([true, false]);
    expect(textOf(other, second)).toBe("second");
    one.close();
    other.refresh();
    expect(other.has(second)).toBe(true);
  });

  it("keep in their memory nothing that the other took back", () => {
    const failing = new FailingDisk(new SimulatedDisk());
    const scene = new SegmentScene(failing);
    const [one, other] = [scene.open(), scene.open()];
    putText(one, "first");
    one.sync();
    const gone = one.put("content", noise(400));
    let seen: boolean | undefined;
    failing.faults = ({ name }) => {
      if (name !== "sync") return undefined;
      // The other store reads at the moment when the bytes are written but not yet durable.
      failing.faults = () => undefined;
      seen = other.get(gone, "content").equals(noise(400));
      return { errno: "EIO" };
    };
    expect(codeOf(() => one.sync())).toBe("STORE_UNWRITABLE");
    expect(seen).toBe(true);
    expect(codeOf(() => other.get(gone, "content"))).toBe("SNAPSHOT_MISSING");
    one.sync();
    expect(other.get(gone, "content").equals(noise(400))).toBe(true);
  });
});

describe("the segment of a writer", () => {
  it("that is dead is continued, and its lock taken", () => {
    const scene = new SegmentScene();
    const { store, process } = scene.start();
    const one = putText(store, "one");
    store.sync();
    scene.processes.kill(process.pid);
    const next = scene.open();
    const two = putText(next, "two");
    next.sync();
    expect(next.segments().length).toBe(1);
    expect([next.has(one), textOf(next, one), textOf(next, two)]).toEqual([true, "one", "two"]);
    next.close();
    expect(scene.names().filter((name) => !name.endsWith(".seg"))).toEqual([]);
  });

  it("that lives is left alone, and so is one on another machine", () => {
    const scene = new SegmentScene();
    const far = scene.processes.start("another-machine");
    const [store, elsewhere] = [scene.open(), scene.open({ processes: far })];
    for (const each of [store, elsewhere]) {
      putText(each, `of ${each === store ? "here" : "there"}`);
      each.sync();
    }
    scene.processes.kill(far.pid);
    const next = scene.open();
    putText(next, "next");
    next.sync();
    expect(next.segments().map(({ records }) => records)).toEqual([1, 1, 1]);
  });

  it("that died over a full segment gets its index from the next process", () => {
    const scene = new SegmentScene();
    const { store, process } = scene.start({ segmentBytes: 10_000 });
    const hash = store.put("content", noise(6000));
    store.sync();
    scene.processes.kill(process.pid);
    const next = scene.open({ segmentBytes: 5000 });
    putText(next, "next");
    next.sync();
    expect(scene.names().map((name) => name.slice(name.indexOf(".")))).toEqual([
      ".idx",
      ".seg",
      ".lock",
      ".seg",
    ]);
    expect(next.has(hash)).toBe(true);
  });

  it("that died before it synced is made durable before any process relies on it", () => {
    const disk = new LastWords();
    disk.makeFolder("/home");
    disk.syncFolder("/");
    const scene = new SegmentScene(disk);
    const { store, process } = scene.start({ segmentBytes: 10_000 });
    const hash = store.put("content", noise(6000));
    disk.isDying = true;
    expect(codeOf(() => store.sync())).toBe("STORE_UNWRITABLE");
    scene.processes.kill(process.pid);
    disk.isDying = false;
    const next = scene.open({ segmentBytes: 5000 });
    next.refresh();
    expect([next.has(hash), next.get(hash, "content").length]).toEqual([false, 6000]);
    putText(next, "next");
    next.sync();
    expect(next.has(hash)).toBe(true);
    const after = scene.restarted(disk.losePower("nothing")).open();
    expect(after.get(hash, "content").equals(noise(6000))).toBe(true);
  });

  it("that died before it wrote anything does not leave files for long", () => {
    const disk = new FailingDisk(new SimulatedDisk(), ({ number }) =>
      number >= 6 ? { errno: "EIO" } : undefined,
    );
    const scene = new SegmentScene(disk);
    disk.makeFolder("/home");
    const { store, process } = scene.start();
    putText(store, "one");
    expect(codeOf(() => store.sync())).toBe("STORE_UNWRITABLE");
    scene.processes.kill(process.pid);
    disk.faults = () => undefined;
    const next = scene.open({ segmentBytes: 1 });
    putText(next, "two");
    next.close();
    expect(
      disk
        .list(FOLDER)
        .map((name) => name.slice(name.indexOf(".")))
        .sort(),
    ).toEqual([".idx", ".seg"]);
  });
});
