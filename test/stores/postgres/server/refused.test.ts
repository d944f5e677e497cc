import { createServer } from "node:net";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { WorldlineError } from "../../../../src/record/error.ts";
import { openPostgresStore } from "../../../../src/stores/postgres/postgres-store.ts";
import { rejectsWith, Story, sessionNumber } from "../../../../src/testing/testing.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../../support/postgres/postgres.ts";

/** The error for an address, with everything that it holds and the time that it took. */
async function refusal(
  url: string,
  patienceMs = 10_000,
): Promise<{ error: WorldlineError; whole: string; ms: number }> {
  const began = performance.now();
  const store = openPostgresStore({ url, clock: systemClock, patienceMs });
  const error = await store.create(new Story().begin()).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await store.close();
  if (!(error instanceof WorldlineError)) throw new Error("It was not refused.", { cause: error });
  const whole = [error, store].map((each) => inspect(each, { depth: 20, showHidden: true })).join("\n");
  return { error, whole: `${whole}\n${store.place.name}`, ms: performance.now() - began };
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}

describeWithPostgres("a server that does not let us in", () => {
  it("is quoted at once about a wrong password, which is shown nowhere", async () => {
    const { error, whole, ms } = await refusal(withPassword(await freshPostgres(), "hunter2%40home"));
    expect(error).toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining('password authentication failed for user "worldline"'),
      hint: expect.stringContaining("Check the user worldline and the password"),
    });
    expect(whole).not.toMatch(/hunter2/u);
    expect(ms).toBeLessThan(5000);
  });

  it("is quoted at once when no password is given", async () => {
    const { error } = await refusal(withPassword(await freshPostgres(), ""));
    expect(error.code).toBe("STORE_UNREACHABLE");
    expect(error.hint).toContain("PGPASSWORD");
  });

  it("is quoted at once about a database that it has not, with how to make it", async () => {
    const url = new URL(await freshPostgres());
    const { password } = url;
    url.pathname = "/nowhere";
    const { error, whole, ms } = await refusal(url.href);
    expect(error).toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining('database "nowhere" does not exist'),
      hint: expect.stringContaining("createdb nowhere"),
    });
    expect(whole).not.toContain(password);
    expect(ms).toBeLessThan(5000);
  });

  it("is quoted about tables that the user may not make", async () => {
    const url = new URL(await freshPostgres());
    await askPostgres(url.href, "CREATE ROLE guest LOGIN PASSWORD 'hunter2'").catch(() => undefined);
    url.username = "guest";
    url.password = "hunter2";
    url.search = "";
    const { error, whole } = await refusal(url.href);
    expect(error).toMatchObject({ code: "STORE_UNWRITABLE", hint: expect.stringContaining("GRANT CREATE") });
    expect(whole).not.toMatch(/hunter2/u);
  });

  it("is quoted about being read only", async () => {
    const url = await freshPostgres();
    const readOnly = url.replace(
      /options=/u,
      `options=${encodeURIComponent("-c default_transaction_read_only=on ")}`,
    );
    const { error } = await refusal(readOnly);
    expect(error).toMatchObject({ code: "STORE_UNWRITABLE", hint: expect.stringContaining("is a standby") });
  });

  it("is quoted when it has no TLS, which was asked for", async () => {
    const { error, ms } = await refusal(`${await freshPostgres()}&sslmode=require`);
    expect(error).toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining("does not support SSL"),
      hint: expect.stringContaining("sslmode=disable"),
    });
    expect(ms).toBeLessThan(5000);
  });
});

it("a port that nothing listens on is named once the patience is over, without the password", async () => {
  const { error, whole, ms } = await refusal(
    "postgres://ann:hunter2@127.0.0.1:1/work?password=hunter22",
    150,
  );
  expect(error.message).toBe(
    "The Postgres server for postgres://ann@127.0.0.1:1/work cannot be reached: connect ECONNREFUSED 127.0.0.1:1",
  );
  expect(whole).not.toMatch(/hunter2/u);
  expect(ms).toBeLessThan(5000);
});

it("a host that there is not is named", async () => {
  const { error } = await refusal("postgres://ann@nowhere.invalid/work", 100);
  expect(error).toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringContaining("nowhere.invalid"),
  });
});

it("a server that accepts and says nothing is not waited for without end", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { error } = await refusal(`postgres://ann:hunter2@127.0.0.1:${port}/work`, 100);
  expect(error.code).toBe("STORE_UNREACHABLE");
  silent.close();
});

it("a store that was closed says so", async () => {
  const store = openPostgresStore({ url: "postgres://ann@127.0.0.1:1/work", clock: systemClock });
  await store.close();
  await store.close();
  await rejectsWith("STORE_UNREACHABLE", store.open(sessionNumber(1)));
});
