import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";
import { readSitemap } from "../support/sitemap";

/** The console under another brand: no page may name the product. */
const APP = "Harbor Desk";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: APP } });
});
afterAll(() => server.close());

/** The model and the variables that have a fixed name, this test's own folder, and the brand's change in the trail. */
const EXPECTED =
  /quarterdeck-offline|QUARTERDECK_KEY_\w*|\/quarterdeck-e2e-|before\W+(?:_\d+\W+\d+\W+|appName\W+)Quarterdeck/g;

/** Where a text names the product. */
const productNamesIn = (text: string) => {
  // A leading .{0,60} would be tried at each character of the page.
  const checked = text.replaceAll(EXPECTED, "");
  return [...checked.matchAll(/quarterdeck/gi)].map(({ index }) =>
    checked.slice(Math.max(0, index - 60), index + 60),
  );
};

const textOf = async (response: Response) =>
  `${JSON.stringify([...response.headers])}\n${await response.text()}`;

type Role = "owner" | "member";

/** @param heading the page's, or a part of it */
async function titleOf(path: string, as?: Role, heading?: string): Promise<string> {
  const ask = (to: string) => server.ask(to, { ...(as ? { as } : {}), headers: { accept: "text/html" } });
  let response = await ask(path);
  const moved = response.headers.get("location");
  if (moved) response = await ask(moved);
  const page = await textOf(response);
  const titles = [...page.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title ?? "");
  const names = productNamesIn(page);
  expect({ path, titles, names }).toEqual({ path, titles: [expect.any(String)], names: [] });
  if (heading) expect(/<h1\b[^>]*>(.*?)<\/h1>/s.exec(page)?.[1]).toContain(heading.replace("&", "&amp;"));
  return titles[0] ?? "";
}

it("lists every screen whose address needs nothing", async () => {
  const tested = new Set([...SCREENS, ...OPEN_SCREENS].map((entry) => String(entry[0]).split("?")[0]));
  // Open until there is an owner (tests/e2e/first-run.spec.ts); every other address, as /nothing is.
  for (const path of ["/setup", "/setup/import", "/*"]) tested.add(path);
  const missing = (await readSitemap())
    .filter(
      ({ path, file, methods }) => methods.includes("GET") && file.endsWith(".tsx") && !path.includes("{"),
    )
    .map(({ path }) => path)
    .filter((path) => !tested.has(path));
  expect(missing, "Add them to tests/support/screens.ts").toEqual([]);
});

describe("under another brand every page's title ends with its name, and no page names the product", () => {
  it.each(SCREENS)("%s", async (path, heading) => {
    expect(await titleOf(path, "owner", heading)).toMatch(new RegExp(`\\S · ${APP}$`));
  });

  it.each(OPEN_SCREENS)("signed out, %s", async (path, heading) => {
    // The landing page has the brand's name.
    expect(await titleOf(path, undefined, heading === "Quarterdeck" ? APP : heading)).toMatch(
      new RegExp(`(^|\\S · )${APP}$`),
    );
  });

  it("a conversation, also where it streams without script, and a comparison", async () => {
    const model = "quarterdeck-offline";
    const messages = [{ role: "user", content: "a long story ".repeat(200) }];
    // Unread, so that the answer is still being written when its page is opened.
    const sent = await server.ask("/api/ai/chat", { as: "member", json: { model, messages } });
    const conversation = sent.headers.get("x-conversation-id");
    const made = await server.ask("/api/ai/comparisons", {
      as: "member",
      json: { prompt: "Which?", models: [model, model] },
    });
    const paths = [`/chat/${conversation}/live`, `/chat/${conversation}`];
    if (made.ok) paths.push(`/compare/${((await made.json()) as { id: string }).id}`);
    for (const path of paths) expect(await titleOf(path, "member")).toMatch(new RegExp(`\\S · ${APP}$`));
  });

  it.each(["/chat/con_none", "/rag/documents/doc_none"])("what isn't there, %s", async (path) => {
    expect(await titleOf(path, "member")).toMatch(new RegExp(`(^|\\S · )${APP}$`));
  });
});

describe("under another brand nothing else names the product", () => {
  it.each([
    "/api/openapi.json",
    "/api/health",
    "/api/branding",
    "/api/plugins",
    "/api/ai/models",
    "/api/audit/export?format=json",
    "/api/usage/export",
    "/settings/branding/export",
    "/api/settings/export",
    "/brand/icon.svg",
    "/icon.svg",
    "/push-worker.js",
  ])("%s", async (path) => {
    const response = await server.ask(path, { as: "owner" });
    expect([response.status, productNamesIn(await textOf(response))]).toEqual([200, []]);
  });

  it("an answer of the gateway, the MCP endpoint and an unknown call", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const pages = await Promise.all([
      server.ask("/v1/chat/completions", { as: "member", json: { model: "quarterdeck-offline", messages } }),
      server.ask("/mcp", { as: "member", json: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } }),
      server.ask("/api/nothing", { as: "member" }),
    ]);
    expect((await Promise.all(pages.map(textOf))).flatMap(productNamesIn)).toEqual([]);
  });

  it("a file of the browser's", () => {
    const files = readdirSync("build/client", { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(js|css|svg|json|webmanifest)$/.test(name))
      .map((name) => join("build/client", name));
    expect(files.length).toBeGreaterThan(50);
    const named = files.flatMap((file) =>
      productNamesIn(readFileSync(file, "utf8")).map((name) => [file, name]),
    );
    expect(named).toEqual([]);
  });
});
