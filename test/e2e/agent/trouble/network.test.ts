import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { scripted } from "../../../../src/testing/testing.ts";
import { agentMachine, overEveryWire, refusedOf } from "../support.ts";

const never = scripted({ text: "Nobody should have got through." });

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port that was free a moment ago, so nothing listens on it. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A proxy that connects every address to one server, or answers "forbidden". */
async function openProxy(target: number | "forbidden") {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(403).end("Not allowed here");
  });
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    if (target === "forbidden") {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const through = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(through).pipe(socket);
    });
    for (const end of [through, socket])
      end.on("error", () => [through, socket].map((each) => each.destroy()));
    onTestFinished(() => {
      through.destroy();
    });
  });
  return { asked, url: `http://somebody:secret@127.0.0.1:${await portOf(proxy)}` };
}

const elsewhere = { ANTHROPIC_BASE_URL: "http://model.test", OPENAI_BASE_URL: "http://model.test/v1" };

describe("a model over every wire", () => {
  overEveryWire("that does not answer is reported as unreachable, with what was tried", async (wire) => {
    const port = await closedPort();
    const base = `http://127.0.0.1:${port}`;
    const here = await agentMachine(never, {
      wire,
      environment: { ANTHROPIC_BASE_URL: base, OPENAI_BASE_URL: `${base}/v1` },
    });
    expect(await here.ask("hello", "--setting", "recovery.maxRetries=1")).toMatchObject({
      code: 1,
      outcome: "failed",
      error: {
        code: "MODEL_UNREACHABLE",
        message: expect.stringMatching(new RegExp(`ECONNREFUSED.*${base}.* directly`, "u")),
        hint: expect.stringContaining("worldline models"),
      },
    });
  });

  overEveryWire("is reached through the proxy of the environment", async (wire) => {
    const here = await agentMachine(scripted({ text: "Got through." }), { wire });
    const { asked, url } = await openProxy(Number(new URL(here.server.url).port));
    Object.assign(here.environment, elsewhere, { HTTP_PROXY: url });
    const said = await here.worldline(["-p", "hello"]);
    expect(said).toMatchObject({ code: 0, stdout: "Got through.\n" });
    expect(asked).toEqual(["model.test:80"]);
    expect(refusedOf(here)).toEqual([]);
  });
});

describe("a proxy", () => {
  it("that is not running is named, without its password", async () => {
    const proxy = `http://somebody:secret@127.0.0.1:${await closedPort()}`;
    const here = await agentMachine(never, { environment: { ...elsewhere, HTTP_PROXY: proxy } });
    const answer = await here.ask("hello", "--setting", "recovery.maxRetries=0");
    expect(answer).toMatchObject({ code: 1, error: { code: "MODEL_UNREACHABLE" } });
    expect(answer.error?.message).toContain(
      `through the proxy ${proxy.replace("somebody:secret@", "")} (HTTP_PROXY)`,
    );
    expect(JSON.stringify([answer, await here.log()])).not.toContain("secret");
  });

  it("that refuses is named as the one that refused", async () => {
    const { url, asked } = await openProxy("forbidden");
    const here = await agentMachine(never, { environment: { ...elsewhere, HTTP_PROXY: url } });
    const answer = await here.ask("hello", "--setting", "recovery.maxRetries=0");
    expect(answer).toMatchObject({ code: 1, error: { code: "MODEL_UNREACHABLE" } });
    expect(answer.error?.message).toMatch(/proxy.*403/iu);
    expect(asked).toEqual(["model.test:80"]);
  });

  it("is not used for this machine, nor where NO_PROXY names the address", async () => {
    const proxy = `http://127.0.0.1:${await closedPort()}`;
    const here = await agentMachine(scripted({ text: "Directly." }, { text: "Directly again." }), {
      environment: { HTTP_PROXY: proxy },
    });
    expect(await here.ask("hello")).toMatchObject({ code: 0, answer: "Directly." });
    // Another spelling of a local address.
    const port = new URL(here.server.url).port;
    Object.assign(here.environment, {
      ANTHROPIC_BASE_URL: `http://[::ffff:127.0.0.1]:${port}`,
      NO_PROXY: "",
    });
    expect(await here.ask("hello", "--setting", "recovery.maxRetries=0")).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining("through the proxy") },
    });
    Object.assign(here.environment, { NO_PROXY: "example.com, [::ffff:7f00:1]" });
    expect(await here.ask("hello")).toMatchObject({ code: 0, answer: "Directly again." });
  });
});
