import { expect, expectAccessible, expectToFit, test } from "../support/fixtures";
import { type MockServer, startMockServer } from "../support/mock-server";

test.use({ role: "member", serverOf: "workflow feeds" });

let site: MockServer;
let titles: string[] = [];
test.beforeAll(async () => {
  site = await startMockServer((_request, response) => {
    const items = titles.map((title) => `<item><guid>${title}</guid><title>${title}</title></item>`);
    response.setHeader("content-type", "application/rss+xml");
    response.end(`<rss><channel><title>News</title>${items.join("")}</channel></rss>`);
  });
});
test.afterAll(() => site.close());

test("a member sees how a feed was checked, and checks it at once", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  titles = ["Old news"];
  const allow = [`127.0.0.1:${site.port}`];
  await server.ask("/api/system/egress/allow", { as: "owner", method: "PUT", json: { allow } });
  const made = await server.ask("/api/workflows", {
    as: "member",
    json: {
      name: "Harbor news",
      triggers: [{ type: "feed", id: "news", config: { url: `${site.origin}/feed` } }],
      steps: [{ type: "return", id: "end", config: { value: "{{ trigger.item.title }}" } }],
    },
  });
  const { id } = (await made.json()) as { id: string };
  const checks = async () =>
    (await (await server.ask(`/api/workflows/${id}/checks`, { as: "member" })).json()) as {
      checkedAt: string | null;
    }[];
  await expect.poll(async () => (await checks())[0]?.checkedAt).not.toBeNull();
  titles = ["Fresh news", "Old news"];
  await page.setViewportSize({ width: 390, height: 844 });
  await open(`/workflows/${id}`);
  await expect(page.getByText(/^Checked .* · next check .+ at \d/)).toBeVisible();
  await expectAccessible(page);
  await expectToFit(page);
  await page.getByRole("button", { name: "Check Feed Trigger now" }).click();
  await expect(page.getByText("Checking now")).toBeVisible();
  const runs = async () =>
    (await (await server.ask(`/api/runs?workflow=${id}`, { as: "member" })).json()) as { state: string }[];
  await expect.poll(async () => (await runs()).map(({ state }) => state)).toEqual(["succeeded"]);
  await open(`/workflows/${id}`);
  await page.getByRole("link", { name: "Feed" }).first().click();
  await expect(page.getByRole("region", { name: "Trigger data" }).first()).toContainText("Fresh news");
});
