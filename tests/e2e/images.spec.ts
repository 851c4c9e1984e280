import { expect, expectAccessible, openSettings, test } from "../support/fixtures";
import { startImageServer } from "../support/image-server";
import type { MockServer } from "../support/mock-server";

test.use({ role: "admin", serverOf: "images" });

let painter: MockServer;

test.beforeAll(async ({ server }) => {
  painter = await startImageServer();
  const config = { baseUrl: `${painter.origin}/v1`, models: ["flux-1", "gpt-image-1", "paints"] };
  const json = { provider: "custom", displayName: "Painter", enabled: true, config };
  expect((await server.ask("/api/providers", { as: "owner", json })).status).toBe(201);
});
test.afterAll(() => painter.close());

test("images are made by the chosen model, priced, and come in answers too", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  await open("/settings/providers");
  await page.getByRole("combobox", { name: "Model for images" }).selectOption("gpt-image-1");
  await page.getByRole("button", { name: "Save Routing" }).click();
  await expect(page.getByText("Routing saved")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Model for images" })).toHaveValue("gpt-image-1");
  await open("/settings/providers/models?dialog=edit-model&model=gpt-image-1");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Cost of images").fill("0.04");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Model saved")).toBeVisible();

  await open("/chat");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("quarterdeck-offline");
  await page.getByRole("checkbox", { name: /image\.generate/ }).check();
  await page.getByRole("textbox", { name: "Message" }).fill("image.generate A red ship at anchor");
  await page.getByRole("button", { name: "Send" }).click();
  const answer = page.getByRole("article", { name: "Assistant" }).last();
  const image = answer.getByRole("img", { name: "A red ship at anchor.png" });
  await expect(image).toHaveJSProperty("naturalWidth", 1);
  const download = answer.getByRole("link", { name: "Download A red ship at anchor.png" });
  await expect(download).toHaveAttribute("href", /^\/api\/tool-files\/tfl_/);
  await expectAccessible(page);
  const usage = await server.ask("/api/usage?model=gpt-image-1", { as: "admin" });
  expect(await usage.json()).toMatchObject({ totals: { images: 1, costMicros: 40_000 } });

  await open("/chat");
  await openSettings(page);
  await page.getByRole("combobox", { name: "Model", exact: true }).last().selectOption("paints");
  await page.getByRole("textbox", { name: "Message" }).fill("A ship, please");
  await page.getByRole("button", { name: "Send" }).click();
  const shown = page.getByRole("article", { name: "Assistant" }).last();
  await expect(shown).toContainText("Here it is.");
  await expect(shown.getByRole("img", { name: "Image 1-1.png" })).toHaveJSProperty("naturalWidth", 1);
  await page.reload();
  await expect(shown.getByRole("img", { name: "Image 1-1.png" })).toHaveJSProperty("naturalWidth", 1);
  await expectAccessible(page);
});
