import { expect, test } from "../support/fixtures";

test.use({ role: "member" });

test("the console can be installed, and says when it can't be reached", async ({ page, open, context }) => {
  await open("/chat");
  const cdp = await context.newCDPSession(page);
  const { errors, data } = await cdp.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? "")).toMatchObject({
    name: "Quarterdeck",
    display: "standalone",
    start_url: "/",
  });
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  // Chromium names what keeps it from installing; a test's window is a private one.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual(
    [],
  );

  // A headless window has no mode of an app.
  await page.addInitScript(() => {
    const match = window.matchMedia.bind(window);
    window.matchMedia = (query) => match(query === "(display-mode: standalone)" ? "all" : query);
  });
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await context.setOffline(true);
  await page.goto("/rag").catch(() => undefined);
  await expect(page.getByRole("heading", { name: "Can't reach the console" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { name: "RAG & Memory", level: 1 })).toBeVisible();
});
