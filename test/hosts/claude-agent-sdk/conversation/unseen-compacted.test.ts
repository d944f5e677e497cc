import { describe, expect, it } from "vitest";
import { begin, openSessionDeps, step } from "../../../machine/deps.ts";
import { host, hostTurn, ours, record, told, unseen } from "./support.ts";

const SUMMARY = ours(
  "What happened before this point, in short. The full record is kept but no longer shown to you. This is a model's report of it, quoted:\n\n> In short.",
);

describe("what the host has not seen of a session that was compacted", () => {
  it("is the summary and what it left, where the host knows nothing", async () => {
    const session = await begin(openSessionDeps({ window: 0 }));
    await hostTurn(session, "one");
    await session.prompt("two");
    await step(session, "done two");
    await session.compact({ summary: "In short.", keep: 1 });
    await session.prompt("three");
    await step(session, "done three");
    expect(await unseen(session, "nowhere")).toEqual([
      record(
        "all",
        SUMMARY,
        told("person", "two"),
        told('reply by "m"', "done two"),
        told("person", "three"),
        ours("Checkpoint 7"),
        told('reply by "m"', "done three"),
      ),
    ]);
  });

  it("is the same after a place whose summary covers more than the host knows", async () => {
    const session = await begin(openSessionDeps({ window: 0 }));
    await hostTurn(session, "one");
    await session.prompt("two");
    await step(session, "done two", "a");
    await step(session, "done more", "b");
    await session.compact({ summary: "In short.", keep: 1 });
    expect(await unseen(session)).toEqual([
      record(
        "since",
        SUMMARY,
        told("person", "two"),
        told('reply by "m"', "done more"),
        told('call of "read"', "{}"),
        told('result of "read", ok', "b done"),
      ),
    ]);
  });

  it("has no summary of what the host knows", async () => {
    const session = await begin(openSessionDeps({ window: 0 }));
    await hostTurn(session, "one");
    await session.prompt("two");
    await step(session, "done two");
    await session.compact({ summary: "In short.", keep: 2 });
    await session.step();
    expect(await unseen(session)).toEqual([
      record("since", told("person", "two"), told('reply by "m"', "done two")),
      ours("Checkpoint 6"),
    ]);
  });

  it("is nothing where the host was there after it", async () => {
    const session = await begin(openSessionDeps());
    await hostTurn(session, "one");
    await hostTurn(session, "two");
    await session.compact({ summary: "In short.", keep: 1 });
    await session.append(host("compacted"));
    expect(await unseen(session)).toEqual([]);
  });
});
