import { describe, expect, it } from "vitest";
import { routeTo, shownAddress } from "../../src/agent/http-fetch.ts";

const https = new URL("https://api.provider.test/v1");
const proxied = { via: "proxy", proxy: "http://proxy.test:3128", variable: "HTTPS_PROXY" };

describe("the route to a provider", () => {
  it.each([
    ["goes directly without a proxy", https, {}, { via: "direct" }],
    ["goes through HTTPS_PROXY", https, { HTTPS_PROXY: "http://proxy.test:3128" }, proxied],
    ["takes an address without a scheme", https, { HTTPS_PROXY: "proxy.test:3128" }, proxied],
    [
      "prefers the lower-case variable",
      https,
      { HTTPS_PROXY: "http://other.test", https_proxy: "http://proxy.test" },
      { via: "proxy", proxy: "http://proxy.test", variable: "https_proxy" },
    ],
    [
      "takes HTTP_PROXY where it is the only one",
      https,
      { HTTP_PROXY: "http://proxy.test" },
      { via: "proxy", proxy: "http://proxy.test", variable: "HTTP_PROXY" },
    ],
    [
      "leaves a plain address alone when only HTTPS_PROXY is set",
      new URL("http://api.provider.test"),
      { HTTPS_PROXY: "http://proxy.test:3128" },
      { via: "direct" },
    ],
    ["passes over a variable that is set to nothing", https, { HTTPS_PROXY: " " }, { via: "direct" }],
  ])("%s", (...[, url, environment, route]) => {
    expect(routeTo(url, environment)).toEqual(route);
  });

  it.each([
    "http://localhost:1",
    "http://127.0.0.1:1",
    "http://127.8.9.1",
    "http://[::1]:1",
    "http://a.localhost",
  ])("never leads %s through a proxy", (url) => {
    expect(routeTo(new URL(url), { HTTP_PROXY: "http://proxy.test" })).toEqual({ via: "direct" });
  });

  it.each([
    ["*", "direct"],
    ["provider.test", "direct"],
    [".provider.test", "direct"],
    ["*.provider.test", "direct"],
    ["other.test, API.provider.test:443", "direct"],
    ["api.provider.test:8443", "proxy"],
    ["rovider.test", "proxy"],
    ["", "proxy"],
  ])("with NO_PROXY=%s is %s", (list, via) => {
    expect(routeTo(https, { HTTPS_PROXY: "http://proxy.test", NO_PROXY: list }).via).toBe(via);
  });

  it("is shown without the proxy's password", () => {
    const route = routeTo(https, { HTTPS_PROXY: "http://me:secret@proxy.test:3128" });
    expect(route.via === "proxy" && shownAddress(route.proxy)).toBe("http://proxy.test:3128");
  });
});
