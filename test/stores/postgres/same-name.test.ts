import { expect, it } from "vitest";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { rejectsWith } from "../../../src/testing/log-store/subject.ts";
import { Story } from "../../../src/testing/story.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";

describeWithPostgres("two machines of the same name", () => {
  it("are not taken for one that was restarted: a lease holds until it has expired", async () => {
    const url = await freshPostgres();
    const started = (boot: string) =>
      openPostgresStore({ url, clock: systemClock, processes: { ...realProcesses(), boot } });
    const [one, other] = [started("one"), started("other")];
    try {
      const story = new Story();
      await one.create(story.begin());
      const lease = await one.lease(story.session, { name: "the first", waitMs: 0 });
      await rejectsWith("SESSION_HELD", other.lease(story.session, { name: "the second", waitMs: 0 }));
      expect(await other.holder(story.session)).toMatchObject({ owner: lease.owner, life: "elsewhere" });
      await askPostgres(url, "UPDATE worldline_leases SET expires_at = 0");
      const heir = await other.lease(story.session, { name: "the second", waitMs: 0 });
      expect(heir.takenFrom).toEqual(lease.owner);
    } finally {
      await Promise.all([one.close(), other.close()]);
    }
  });
});
