import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";
import { readSitemap } from "../support/sitemap";

const APP = "Quarterdeck";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

type Role = "owner" | "member";

async function titleOf(path: string, as?: Role): Promise<string> {
  const ask = (to: string) => server.ask(to, { ...(as ? { as } : {}), headers: { accept: "text/html" } });
  let response = await ask(path);
  const moved = response.headers.get("location");
  if (moved) response = await ask(moved);
  const page = await response.text();
  const titles = [...page.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title ?? "");
  expect({ path, titles }).toEqual({ path, titles: [expect.any(String)] });
  return titles[0] ?? "";
}

it("lists every screen whose address needs nothing", async () => {
  const listed = new Set([...SCREENS, ...OPEN_SCREENS].map((entry) => String(entry[0]).split("?")[0]));
  // Open until there is an owner (tests/e2e/first-run.spec.ts); every other address, as /nothing is.
  for (const path of ["/setup", "/setup/import", "/*"]) listed.add(path);
  const missing = (await readSitemap())
    .filter(
      ({ path, file, methods }) => methods.includes("GET") && file.endsWith(".tsx") && !path.includes("{"),
    )
    .map(({ path }) => path)
    .filter((path) => !listed.has(path));
  expect(missing, "Add them to tests/support/screens.ts").toEqual([]);
});

describe("every page's title ends with the application's name", () => {
  it.each(SCREENS)("%s", async (path) => {
    expect(await titleOf(path, "owner")).toMatch(new RegExp(`\\S · ${APP}$`));
  });

  it.each(OPEN_SCREENS)("signed out, %s", async (path) => {
    expect(await titleOf(path)).toMatch(new RegExp(`(^|\\S · )${APP}$`));
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
