import { gzipSync } from "node:zlib";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { expect, test } from "../support/fixtures";

/** Maximum gzip size of a conversation's scripts, in KB of 1,000 bytes; docs/performance.md has the aims. */
const MAX_KILOBYTES = 150;
const MAX_REQUESTS = 20;

const ANSWER =
  "A loop:\n\n```js\nfor (const one of all) await one();\n```\n\nIts time:\n\n$$\\sum_{i=1}^n t_i$$\n";

test.use({ role: "owner", serverOf: "weight" });

test("a conversation with code and a formula loads little by itself", async ({ page, open, server }) => {
  const mock = await startAimock();
  mock.onMessage("loop", { content: ANSWER });
  const config = { baseUrl: `${mock.url}/v1`, models: [AIMOCK_MODEL] };
  const provider = { provider: "custom", displayName: "Mock", enabled: true, config };
  expect((await server.ask("/api/providers", { as: "owner", json: provider })).status).toBe(201);
  const json = { model: AIMOCK_MODEL, messages: [{ role: "user", content: "a loop" }], tools: [] };
  const sent = await server.ask("/api/ai/chat", { as: "owner", json });
  await sent.text();
  const address = `/chat/${sent.headers.get("x-conversation-id")}`;
  // The first visit marks it as read, after which the page would load again.
  await server.ask(address, { as: "owner", headers: { accept: "text/html" } });

  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await open(address);
  await expect(page.locator("math")).toBeVisible();
  await expect(page.locator("pre code span").first()).toBeVisible();
  await page.waitForLoadState("load");

  const scripts = asked.filter((url) => url.endsWith(".js"));
  expect(scripts.some((url) => url.includes("highlight.worker"))).toBe(true);
  let bytes = 0;
  for (const url of scripts) {
    const body = await (await server.ask(new URL(url).pathname)).arrayBuffer();
    bytes += gzipSync(new Uint8Array(body), { level: 9 }).length;
  }
  expect(bytes / 1000).toBeLessThanOrEqual(MAX_KILOBYTES);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_REQUESTS);
  await mock.stop();
});
