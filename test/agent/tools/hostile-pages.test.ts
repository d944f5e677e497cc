import { describe, expect, it } from "vitest";
import { httpFetch } from "../../../src/agent/http-fetch.ts";
import { markdownOf } from "../../../src/agent/tools/web-fetch.ts";
import { type AttackName, attacks, hostileServer, underEveryAttack } from "../../support/hostile-server.ts";
import { toolshed } from "./support/toolshed.ts";

const { signal } = new AbortController();
/** Attacks that still deliver readable text: bytes beyond the announced length are ignored. */
const READABLE = new Set<AttackName>(["more than its length"]);

async function fetchAttack(type: string, name: AttackName) {
  const server = await hostileServer(type, attacks[name]);
  const fetch = httpFetch({}, { connectMs: 2_000, silenceMs: 300 });
  const said = await toolshed({ fetch }).call("WebFetch", { url: `${server.url}/page` });
  await expect.poll(server.allClosed).toBe(true);
  return { said, sent: server.sent() };
}

describe("WebFetch of a page that attacks", () => {
  it("says what is wrong, or shows what is there, whatever is done to HTTP", async () => {
    await underEveryAttack(async (name) => {
      const { said, sent } = await fetchAttack(name.length % 2 === 0 ? "text/html" : "text/plain", name);
      expect(said.outcome, said.text).toBe(READABLE.has(name) ? "ok" : "error");
      expect(said.text.length).toBeLessThan(2_000);
      expect(sent).toBeLessThan(80_000_000);
      if (!READABLE.has(name))
        expect(said.text).toMatch(/could not be fetched: .*[^.]\.$|is larger than 10 MB\./mu);
    });
  });

  it("shows the words of one that cannot be converted in time", async () => {
    const page = `<script>evil()</script><p>top ${"<div>".repeat(50_000)}bottom`;
    const text = await markdownOf(page, { signal, maxMs: 300 });
    expect(text).toMatch(/^\[The page is too complex .*\n\ntop bottom$/su);
  });

  it("finds the words of any page in one pass", async () => {
    for (const piece of ["<script", "<style>", "<", "</", "\f", "<!--"]) {
      const text = await markdownOf(`words ${piece.repeat(2_000_000 / piece.length)}`, { signal, maxMs: 1 });
      expect(text).toContain("words");
    }
  });

  it("stops converting when it is interrupted", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const text = await markdownOf(`${"<div>".repeat(50_000)}bottom`, {
      signal: stop.signal,
      maxMs: 3_600_000,
    });
    expect(text).toContain("bottom");
  });
});
