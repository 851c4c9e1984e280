import { test as base, expect } from "../support/fixtures";
import { people } from "../support/people";
import { type FrontProxy, freePort, type ProxyKind, startProxy } from "../support/proxy";
import { startServer } from "../support/server";

// The console below a path of a host, whose other addresses are another program's.

const BASE = "/ai";
const { email, password } = people.admin;

const test = base.extend<{ kind: ProxyKind; front: FrontProxy }>({
  // A kind for each way of browsing: base-path.test.ts goes through every screen behind both.
  kind: ({ javaScriptEnabled }, use) => use(javaScriptEnabled === false ? "strips" : "keeps"),
  front: async ({ kind }, use) => {
    let target = "";
    const proxy = await startProxy(BASE, kind, () => target);
    const env = { PUBLIC_URL: proxy.address, PORT: await freePort() };
    const server = await startServer({ env });
    target = server.baseUrl;
    await use(proxy);
    await proxy.close();
    await server.close();
  },
  // Any other request of a page fails the test.
  expected: /^a request to http:\/\/127\.0\.0\.1:\d+\/ai(?:[/?#]|$)/,
});

test("one signs in, chats, uploads, follows changes and signs out", { tag: "@no-javascript" }, async ({
  page,
  front,
  javaScriptEnabled,
}) => {
  const scripted = javaScriptEnabled !== false;
  const menu = page.getByRole("navigation", { name: "Main" });
  // Opening its dialog, the script moves the focus.
  const ready = async () => {
    if (scripted) await page.locator("html[data-scripted]").waitFor({ state: "attached" });
  };
  const heading = (name: string) => page.getByRole("heading", { level: 1, name });

  await test.step("the page that was asked for comes after the sign-in", async () => {
    await page.goto(`${front.address}/personas?dialog=new`);
    await page.getByLabel("Email").fill(email);
    await page.getByLabel(/^Password/).fill(password);
    await page.getByRole("button", { name: "Sign In", exact: true }).click();
    await expect(page).toHaveURL(`${front.address}/personas?dialog=new`);
    await ready();
    const cookies = await page.context().cookies(front.address);
    expect(cookies.filter(({ path }) => path !== BASE)).toEqual([]);
    const dialog = page.getByRole("dialog", { name: "New Persona" });
    await dialog.getByLabel("Name").fill("Clerk");
    await dialog.getByLabel("System prompt").fill("Be brief.");
    await dialog.getByRole("button", { name: "Create Persona" }).click();
    await expect(page.getByText("Persona created successfully")).toBeVisible();
  });

  await test.step("an answer comes in pieces", async () => {
    await menu.getByRole("link", { name: "AI Chat" }).click();
    await expect(heading("AI Chat")).toBeAttached();
    await page.getByRole("textbox", { name: "Message", exact: true }).fill("Tide tables");
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByText("Tide tables").filter({ visible: true }).first()).toBeVisible();
    if (!scripted) await page.getByRole("link", { name: "Back to the console" }).click();
    await expect(page).toHaveURL(/\/ai\/chat\/\w+$/);
    await expect(page.getByRole("article", { name: "Assistant" }).last()).toContainText(/\w/);
    await page.reload();
    await expect(page.getByRole("article", { name: "Assistant" }).last()).toContainText(/\w/);
  });

  await test.step("a file is uploaded and followed", async () => {
    await page.goto(`${front.address}/rag?dialog=ingest&tab=file`);
    await ready();
    const dialog = page.getByRole("dialog", { name: "Ingest Document" });
    const buffer = Buffer.from("A lamp is lit at dusk.");
    await dialog
      .getByLabel("Files", { exact: true })
      .setInputFiles({ name: "lamps.txt", mimeType: "text/plain", buffer });
    await dialog.getByRole("button", { name: /^Ingest/ }).click();
    await expect(page.getByRole("link", { name: /lamps/ }).first()).toBeVisible();
  });

  if (scripted)
    await test.step("what happens elsewhere arrives", async () => {
      await menu.getByRole("link", { name: "RAG & Memory" }).click();
      await expect(page).toHaveURL(`${front.address}/rag`);
      const { origin } = new URL(front.address);
      const made = await page.context().request.post(`${front.address}/api/rag/ingest`, {
        data: { title: "Tides", text: "The tide turns at noon." },
        headers: { origin },
      });
      expect(made.ok()).toBe(true);
      await expect(page.getByRole("link", { name: "Tides" }).first()).toBeVisible();
    });

  await test.step("the dashboard is the path's own page", async () => {
    await menu.getByRole("link", { name: "Dashboard" }).click();
    await expect(heading("Dashboard")).toBeAttached();
    await expect(page).toHaveURL(/\/ai\/?$/);
    await page.reload();
    await expect(heading("Dashboard")).toBeAttached();
  });

  await test.step("signed out, the path's pages are closed", async () => {
    await page.locator("aside").getByText("Admin Tester").click();
    await page.getByRole("button", { name: "Sign Out" }).click();
    await expect(page).toHaveURL(/\/ai\/?$/);
    await expect(page.getByRole("link", { name: "Get Started" }).first()).toBeVisible();
    await page.goto(`${front.address}/audit`);
    await expect(page).toHaveURL(/\/ai\/login\?returnTo=%2Faudit/);
  });
  expect(front.strayed).toEqual([]);
});
