import { expect, test } from "../support/fixtures";
import { type MockServer, startMockServer } from "../support/mock-server";
import type { TestServer } from "../support/server";

// The site around the widget is another origin, and the frame is refused on a third one.
test.use({ serverOf: "widget", expected: /frame-ancestors|a request to http:\/\/127/ });

let site: MockServer;
let snippet = "";
test.beforeEach(async () => {
  site = await startMockServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${snippet}</html>`);
  });
});
test.afterEach(() => site.close());

/** @returns the address of its page */
async function make(server: TestServer, name: string, origins: string[]): Promise<string> {
  const json = { name, greeting: "Welcome aboard!", starters: ["Who are you?"], origins };
  const made = await server.ask("/api/widgets", { as: "admin", json });
  const { token } = (await made.json()) as { token: string };
  snippet = `<script src="${server.baseUrl}/widget.js" data-widget="${token}" data-label="Ask us" async></script>`;
  return `${server.baseUrl}/w/${token}`;
}

test("answers on another site, by keyboard, and remembers what was said", async ({ page, server }) => {
  await make(server, "Shop desk", [site.origin]);
  await page.goto(site.origin);
  const button = page.getByRole("button", { name: "Ask us" });
  await button.focus();
  await page.keyboard.press("Enter");
  const chat = page.frameLocator("iframe[title='Ask us']");
  const field = chat.getByLabel("Your message");
  await expect(field).toBeFocused();
  await chat.getByRole("button", { name: "Who are you?" }).click();
  await expect(chat.getByRole("log")).toContainText("built-in model");
  await field.fill("And <b>now</b>?");
  await field.press("Enter");
  await expect(chat.getByRole("listitem")).toHaveCount(5);
  await expect(chat.getByRole("log")).toHaveAttribute("aria-busy", "false");

  await page.reload();
  await button.click();
  await expect(chat.getByRole("listitem")).toHaveCount(5);
  await chat.getByRole("button", { name: "Close" }).click();
  await expect(button).toBeFocused();
  await button.click();
  await field.press("Escape");
  await expect(button).toBeFocused();
  // The visitor's page knows no session, and the site gets none of its keys.
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
});

test("stops an answer that doesn't come, though nothing is typed", async ({ page, server }) => {
  await make(server, "Slow desk", [site.origin]);
  await page.route("**/w/*", (route) => (route.request().method() === "POST" ? undefined : route.fallback()));
  await page.goto(site.origin);
  await page.getByRole("button", { name: "Ask us" }).click();
  const chat = page.frameLocator("iframe[title='Ask us']");
  await chat.getByRole("button", { name: "Who are you?" }).click();
  await chat.getByRole("button", { name: "Stop" }).click();
  await expect(chat.getByRole("button", { name: "Send" })).toBeVisible();
  await expect(chat.getByRole("log")).toHaveAttribute("aria-busy", "false");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("is framed without its script, and offers no Close that nobody hears", async ({ page, server }) => {
  const address = await make(server, "Framed desk", [site.origin]);
  snippet = `<iframe title="Desk" src="${address}"></iframe>`;
  await page.goto(site.origin);
  const chat = page.frameLocator("iframe[title='Desk']");
  // The script of the page runs: it answers in place.
  await chat.getByRole("button", { name: "Who are you?" }).click();
  await expect(chat.getByRole("log")).toContainText("built-in model");
  await expect(chat.getByRole("button", { name: "Close", includeHidden: true })).toBeHidden();
});

test("isn't shown on a site that isn't allowed", async ({ page, server }) => {
  await make(server, "Closed desk", ["https://www.example.com"]);
  await page.goto(site.origin);
  await page.getByRole("button", { name: "Ask us" }).click();
  await expect(page.frameLocator("iframe").locator("form.ask")).toHaveCount(0);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  await expect.poll(() => frame?.url()).toContain("chrome-error");
  // A frame without a button of its own would cover the site for good.
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.locator("iframe")).toBeHidden();
  await expect(page.getByRole("button", { name: "Ask us" })).toBeFocused();
});
