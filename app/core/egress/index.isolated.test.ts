import { getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { allowOperatorOrigin, installEgressGuard, openGuardedSocket, recordedCalls } from "./index.server";

const original = getGlobalDispatcher();
let upstream: MockServer;

beforeEach(async () => {
  upstream = await startMockServer((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    else response.end("hello");
  });
});

afterEach(async () => {
  setGlobalDispatcher(original);
  setEnv(undefined);
  await upstream.close();
});

describe("the guard under Node's own fetch", () => {
  it("refuses loopback", async () => {
    setEnv({ LOG_LEVEL: "silent" });
    installEgressGuard();
    await expect(fetch(upstream.origin)).rejects.toMatchObject({ cause: { code: "egress_refused" } });
    expect(upstream.connections()).toBe(0);
  });

  it("allows EGRESS_ALLOW without redirects elsewhere", async () => {
    setEnv({ LOG_LEVEL: "silent", EGRESS_ALLOW: `localhost:${upstream.port},127.0.0.1:${upstream.port}` });
    installEgressGuard();
    expect(await (await fetch(upstream.origin)).text()).toBe("hello");
    await expect(fetch(`${upstream.origin}/away`)).rejects.toMatchObject({
      cause: { code: "egress_refused" },
    });
  });

  it("allows an origin that the operator configured", async () => {
    setEnv({ LOG_LEVEL: "silent" });
    installEgressGuard();
    allowOperatorOrigin(`${upstream.origin}/realms/one`);
    const response = await fetch(upstream.origin, { method: "POST", body: "x" });
    expect(await response.text()).toBe("hello");
    expect(upstream.requests[0]?.body).toBe("x");
  });

  it("stops the start on a malformed list", () => {
    setEnv({ LOG_LEVEL: "silent", EGRESS_ALLOW: "http://intranet" });
    expect(() => installEgressGuard()).toThrow('"http://intranet"');
  });
});

it("opens sockets by the same lists, and records them", async () => {
  setEnv({ LOG_LEVEL: "silent", EGRESS_ALLOW: `127.0.0.1:${upstream.port}` });
  (await openGuardedSocket({ purpose: "database", host: "127.0.0.1", port: upstream.port })).destroy();
  const refused = openGuardedSocket({ purpose: "database", host: "127.0.0.2", port: upstream.port });
  await expect(refused).rejects.toMatchObject({ code: "egress_refused" });
  expect(recordedCalls().slice(0, 2)).toMatchObject([
    { purpose: "database", host: "127.0.0.2", verdict: "refused" },
    { purpose: "database", host: "127.0.0.1", verdict: "allowed" },
  ]);
});
