import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../support/server";
import { type Address, readSitemap } from "../support/sitemap";
import { ASKERS, TABLE } from "./route-roles";

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
}

let server: TestServer;
let addresses: Address[];
beforeAll(async () => {
  server = await startServer();
  addresses = await readSitemap();
});
afterAll(() => server.close());

describe("who gets what from each route", () => {
  it("is laid down for every address of routes.ts and every call of the API, and for nothing else", async () => {
    const { paths } = (await (await server.ask("/api/openapi.json")).json()) as OpenApi;
    const calls = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((name) => name !== "parameters")
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const documented = new Set(Object.keys(paths));
    for (const { path, methods } of addresses) {
      // An endpoint of the builder is in the OpenAPI document, method by method.
      if (!documented.has(path)) calls.push(...methods.map((method) => `${method} ${path}`));
    }
    expect(
      Object.keys(TABLE).sort(),
      "In tests/integration/route-roles.ts add the rows marked - and remove those marked +",
    ).toEqual(calls.sort());
  });

  it("is laid down for every file among the routes: none is dead", () => {
    const files = readdirSync("app/routes", { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => `routes/${file}`);
    const layouts = files.filter((file) => file.endsWith("/layout.tsx"));
    const listed = new Set([...addresses.map(({ file }) => file), ...layouts]);
    expect(files.sort()).toEqual([...listed].sort());
  });

  /** A page's data has the rights of the page, and isn't rendered. */
  const withoutPage = (path: string) =>
    path.replace(/^([^?]*)/, (name) => `${name === "/" ? "/_root" : name}.data`);

  // All askers in one test: two thousand tests cost more than their requests.
  it.each(Object.entries(TABLE))("%s", async (call, row) => {
    const [method = "", path = ""] = call.split(" ");
    const responses: unknown[] = [];
    const expected = row.expect.map((status, at) => ({
      asker: ASKERS[at],
      status,
      body: expect.any(String),
    }));
    const isScreen =
      method === "GET" &&
      !path.includes("*") &&
      addresses.some((one) => one.path === path && one.file.endsWith(".tsx"));
    const address = (row.path ?? path).replace(/\{\w+\}/g, "unknown");
    for (const [at, asker] of ASKERS.entries()) {
      // A redirect looks otherwise there.
      const isPage = !isScreen || asker === "owner" || String(row.expect[at]).startsWith("3");
      const response = await server.ask(isPage ? address : withoutPage(address), {
        method,
        ...(asker === "anonymous" ? {} : { as: asker }),
        ...(row.json === undefined ? {} : { json: row.json }),
        ...(row.form === undefined ? {} : { form: row.form }),
        headers: { origin: server.baseUrl },
      });
      const endless = row.endless && response.ok;
      const body = endless ? "" : await response.text();
      if (endless) await response.body?.cancel();
      responses.push({ asker, status: response.status, body: body.slice(0, 300) });
    }
    expect(responses).toEqual(expected);
  });
});
