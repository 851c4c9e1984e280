import { expect, test } from "../support/fixtures";

test.use({ role: "member", serverOf: "the document list's tests" });

const NAME =
  "Mooring rules for the northern quay, with everything that the harbour office asks of a ship's master";

test("document names are readable at every width, and nothing overflows its card", async ({
  page,
  open,
  server,
  hubs,
}) => {
  const ask = (json: object) => server.ask("/api/rag/ingest", { as: "member", json });
  expect((await ask({ title: NAME, text: "A ship is moored with two ropes." })).status).toBe(201);
  // Missing, so that it shows why.
  await ask({ url: new URL("/missing/handbook-of-the-northern-quay", hubs.page).href });
  await open("/rag");
  await expect(page.locator("main li[data-row]")).toHaveCount(2);
  await expect(page.locator("main li[data-row]").filter({ hasText: "Failed" })).toHaveCount(1);
  for (const width of [390, 768, 800, 860, 1024, 1100, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const seen = await page.evaluate(() => ({
      beyond:
        document.documentElement.scrollWidth > document.documentElement.clientWidth
          ? [...document.querySelectorAll("main *")]
              .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth)
              .map(({ outerHTML }) => outerHTML.slice(0, 120))
          : [],
      // A label that is cut off.
      stats: [...document.querySelectorAll("[aria-labelledby=stats] a")].flatMap((label) =>
        label.scrollWidth > label.clientWidth ? (label.textContent ?? "") : [],
      ),
      names: [...document.querySelectorAll("main li[data-row] a[title]")].map(
        (name) => name.getBoundingClientRect().width,
      ),
      cut: [...document.querySelectorAll("main li[data-row]")].flatMap((card) => {
        const { right } = card.getBoundingClientRect();
        const out = [...card.querySelectorAll("*")].filter(
          (element) => element.getBoundingClientRect().right > right + 0.5,
        );
        return out.map(({ outerHTML }) => outerHTML.slice(0, 80));
      }),
    }));
    expect([width, seen.beyond, seen.cut, seen.stats]).toEqual([width, [], [], []]);
    expect(Math.min(...seen.names), `the narrowest name at ${width}`).toBeGreaterThanOrEqual(120);
  }
});

test("several documents are sorted, moved, deleted and restored at once", async ({ page, open, server }) => {
  const names = ["Harbor", "Lantern"];
  for (const title of names)
    await server.ask("/api/rag/ingest", { as: "member", json: { text: `About ${title}`, title } });
  const bar = page.getByRole("form", { name: "Selected documents" });
  const select = async () => {
    for (const name of names)
      await page.getByRole("checkbox", { name: `Select ${name}` }).check({ force: true });
  };
  await open("/rag");
  await select();
  await bar.getByRole("combobox").selectOption("Finance");
  await bar.getByRole("button", { name: "Move" }).click();
  await expect(page.getByText("2 documents moved to Finance")).toBeVisible();
  const rows = page.getByRole("listitem").filter({ hasText: /Harbor|Lantern/ });
  for (const [order, first] of [
    ["newest", "Lantern"],
    ["name", "Harbor"],
  ] as const) {
    await page.getByRole("combobox", { name: "Order" }).selectOption(order);
    await expect(rows.first()).toContainText(first);
  }
  await select();
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("2 documents deleted")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("2 documents restored")).toBeVisible();
});
