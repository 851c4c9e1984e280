import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setEnv } from "~/core/env.server";
import { openTestDatabase } from "../../../../tests/support/database";
import { openScripted } from "../../../../tests/support/mcp-server";
import { type MockServer, startMockServer } from "../../../../tests/support/mock-server";
import { installPlugin } from "../install.service.server";
import { installAny } from "../install-any.server";
import { disconnectServers } from "../mcp/mcp-client.server";
import { refreshMcpServer } from "../mcp/mcp-servers.service.server";
import { listInstalled, listPlugins, readPlugin } from "../plugins.service.server";
import { catalogState, refreshCatalog } from "./listed-plugins.server";
import { checksumOf, readCatalog } from "./read-catalog";

const base = {
  author: "Example",
  description: "Tides of every harbor.",
  tags: ["tides"],
  version: "1.0.0",
  released: "2026-11-01",
  categories: ["data"],
};
const signed = (entry: Record<string, unknown>) => ({ ...entry, sha256: checksumOf(entry) });
const server = signed({
  ...base,
  id: "tides",
  title: "Tides",
  server: { url: "https://mcp.example.com/mcp" },
});
const paid = signed({
  ...base,
  id: "tides-pro",
  title: "Tides Pro",
  pricing: "premium",
  price: 12,
  purchaseUrl: "https://example.com/buy",
});
const file = (...plugins: unknown[]) => JSON.stringify({ format: "plugins/1", plugins });

describe("a catalog", () => {
  const read = (...plugins: unknown[]) => readCatalog(file(...plugins), new Set(["calculator"]));

  it("lists MCP servers and links to paid plugins", () => {
    expect(read(server, paid)).toMatchObject({
      entries: [
        { id: "tides", server: { url: "https://mcp.example.com/mcp" } },
        { id: "tides-pro", price: 12, purchaseUrl: "https://example.com/buy" },
      ],
      skipped: [],
    });
  });

  it.each([
    ["without a checksum", { ...base, id: "x1", title: "X" }, "it has no checksum"],
    ["changed since its checksum", { ...server, title: "Other" }, "its checksum doesn't match"],
    [
      "with a bundled plugin's id",
      signed({ ...base, id: "calculator", title: "C" }),
      "the id calculator is taken",
    ],
    ["with an MCP server's id", signed({ ...base, id: "mcp-x", title: "C" }), "the id mcp-x is taken"],
    [
      "that leads nowhere",
      signed({ ...base, id: "x1", title: "X" }),
      "neither a server nor a purchase address",
    ],
    [
      "with another protocol",
      signed({ ...base, id: "x1", title: "X", server: { url: "file:///etc/passwd" } }),
      "server.url: Use an http or https address",
    ],
    [
      "with a script as its shop",
      signed({ ...base, id: "x1", title: "X", purchaseUrl: "javascript:alert(1)" }),
      "purchaseUrl: Use an https address",
    ],
    ["that isn't an object", 7, "it has no checksum"],
  ])("skips an entry %s and keeps the others", (_, entry, reason) => {
    const { entries, skipped } = read(entry, server);
    expect(entries.map(({ id }) => id)).toEqual(["tides"]);
    expect(skipped).toEqual([expect.stringContaining(reason)]);
  });

  it("lists an id once and rejects other files", () => {
    expect(read(server, server).skipped).toEqual(["tides: the id tides is taken"]);
    for (const text of [
      "",
      "[]",
      '{"format":"other","plugins":[]}',
      file(...Array.from({ length: 501 }, () => server)),
    ])
      expect(() => readCatalog(text, new Set())).toThrow(/catalog/);
  });
});

describe("the marketplace with a catalog", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let host: MockServer;
  let body = "";
  beforeEach(async () => {
    host = await startMockServer((_, response) => void response.end(body));
    test = openTestDatabase({
      PLUGIN_CATALOG_URL: `${host.origin}/catalog.json`,
      EGRESS_ALLOW: `127.0.0.1:${host.port}`,
    });
  });
  afterEach(async () => {
    await host.close();
    test.close();
  });
  const refresh = () => refreshCatalog(AbortSignal.timeout(10_000));
  const catalogIds = () =>
    listPlugins(test.actors.viewer)
      .filter(({ kind }) => kind === "listed")
      .map(({ id }) => id);

  it("ignores claims of being verified or featured and can't install paid plugins", async () => {
    body = file(
      signed({ ...server, verified: true, featured: true, brings: {}, requests: { hosts: ["*"] } }),
      paid,
    );
    await refresh();
    expect(readPlugin(test.actors.viewer, "tides")).toMatchObject({
      kind: "listed",
      verified: false,
      featured: false,
      installed: false,
      listedBy: `127.0.0.1:${host.port}`,
      serverUrl: "https://mcp.example.com/mcp",
      requests: { hosts: ["mcp.example.com"], effects: ["outside"] },
    });
    expect(listPlugins(test.actors.viewer, { price: "premium" })).toMatchObject([
      { id: "tides-pro", price: 12 },
    ]);
    expect(() => installPlugin(test.actors.admin, "tides-pro")).toThrow("Tides Pro is sold by Example.");
    expect(() => installPlugin(test.actors.admin, "tides")).toThrow("Add it by its address.");
  });

  it("shows a newer listed version until its tools are checked", async () => {
    const { admin } = test.actors;
    const lab = await openScripted({ tools: [{ name: "tide" }] });
    setEnv({
      NODE_ENV: "test",
      LOG_LEVEL: "silent",
      DATA_DIR: test.folder,
      PLUGIN_CATALOG_URL: `${host.origin}/catalog.json`,
      EGRESS_ALLOW: `127.0.0.1:${host.port},127.0.0.1:${lab.port}`,
    });
    const entry = { ...base, id: "tides", title: "Tides", server: { url: lab.url } };
    const list = (version: string) => {
      body = file(signed({ ...entry, version }));
      return refresh();
    };
    const update = () => listInstalled(admin).map(({ version, update: newer }) => [version, newer]);
    try {
      await list("1.0.0");
      await installAny(admin, "tides", AbortSignal.timeout(10_000));
      expect(update()).toEqual([["1.0.0", null]]);
      await list("1.1.0");
      expect(update()).toEqual([["1.0.0", "1.1.0"]]);
      await refreshMcpServer(admin, "mcp-tides", AbortSignal.timeout(10_000));
      expect(update()).toEqual([["1.1.0", null]]);
    } finally {
      await disconnectServers();
      await lab.close();
    }
  });

  it("keeps the last catalog while it is unreachable, with a notice", async () => {
    body = file(server);
    await refresh();
    body = "<html>";
    await refresh();
    expect(catalogIds()).toEqual(["tides"]);
    expect(catalogState()).toMatchObject({ problem: "The catalog isn't JSON." });
    body = file(paid);
    await refresh();
    expect(catalogIds()).toEqual(["tides-pro"]);
    expect(catalogState()).toMatchObject({ problem: null, skipped: [] });
    body = "x".repeat(2_100_000);
    await refresh();
    expect(catalogIds()).toEqual(["tides-pro"]);
    expect(catalogState()?.problem).toBeTruthy();
  });
});
