import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import type { EgressCall, GuardedSocketOptions, Recorder } from "./connector.server";
import { createEgressGuard, type EgressGuard } from "./index.server";
import { parseEgressAllow } from "./policy.server";

let server: Server;
let port: number;
let connections: number;
let guard: EgressGuard;
let calls: Parameters<Recorder>[0][];
beforeEach(async () => {
  setEnv({ LOG_LEVEL: "silent" });
  connections = 0;
  calls = [];
  server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).end("220 ready\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  const names: Record<string, string[]> = {
    "inside.test": ["127.0.0.1"],
    "mixed.test": ["93.184.216.34", "127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "allowed.test": ["127.0.0.1"],
  };
  guard = createEgressGuard({
    allow: () => parseEgressAllow(["allowed.test"]),
    resolve: async (host) => (names[host] ?? []).map((address) => ({ address, family: 4 })),
    record: (call) => void calls.push(call),
  });
});
afterEach(async () => {
  await guard.close();
  server.close();
  setEnv(undefined);
});
const open = (host: string, more: Partial<GuardedSocketOptions> = {}) =>
  guard.openSocket({ purpose: "smtp", host, port, ...more });

describe("a guarded socket", () => {
  it("connects to allowed and named addresses and records the call", async () => {
    for (const socket of [await open("allowed.test"), await open("inside.test", { allowPrivate: true })]) {
      expect(String(await socket.toArray())).toContain("220 ready");
    }
    const verdicts = calls.map(({ host, verdict }) => [host, verdict]);
    expect(verdicts).toEqual([
      ["allowed.test", "allowed" satisfies EgressCall["verdict"]],
      ["inside.test", "allowed"],
    ]);
  });

  it.each(["127.0.0.1", "[::1]", "::ffff:127.0.0.1", "inside.test", "mixed.test", "nowhere.test"])(
    "refuses %s",
    async (host) => {
      await expect(open(host)).rejects.toMatchObject({ code: "egress_refused" });
      expect(connections).toBe(0);
      expect(calls).toMatchObject([{ verdict: "refused", method: "CONNECT" }]);
    },
  );

  it("never reaches metadata services, nor an odd port", async () => {
    const named = { allowPrivate: true };
    await expect(open("metadata.test", named)).rejects.toMatchObject({ code: "egress_refused" });
    await expect(open("allowed.test", { port: 0 })).rejects.toMatchObject({ code: "egress_refused" });
  });

  it("reaches the declared hosts alone, and a declaration opens nothing", async () => {
    const hosts = ["inside.test", `allowed.test:${port}`];
    (await open("allowed.test", { hosts })).destroy();
    await expect(open("allowed.test", { hosts: ["*.allowed.test", "allowed.test:25"] })).rejects.toThrow(
      "not on the list of declared hosts",
    );
    await expect(open("inside.test", { hosts })).rejects.toMatchObject({ code: "egress_refused" });
  });

  it("explains TLS errors and stops with its signal", async () => {
    await expect(open("allowed.test", { tls: true })).rejects.toMatchObject({ code: "provider_unavailable" });
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(open("allowed.test", { signal })).rejects.toThrow("stopped");
  });
});
