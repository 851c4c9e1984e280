import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "admin", serverOf: "branding" });

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z" fill="red"/></svg>';

test("a console is rebranded: font, custom CSS and logo take effect", async ({
  page,
  open,
  javaScriptEnabled,
}) => {
  await open("/settings/branding");
  await page.getByLabel("Font").selectOption("Poppins");
  await page.getByLabel("Text", { exact: true }).fill("#767676");
  if (javaScriptEnabled) await expect(page.getByText("Large text only")).toBeVisible();
  await page.getByLabel("Text", { exact: true }).fill("#ffffff");
  await page.getByLabel("Custom CSS").fill("h1 { background: url(x) }");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText(/^Line 1: url\(\) is not allowed/)).toBeVisible();
  await page.getByLabel("Custom CSS").fill("h1 { letter-spacing: 3px }");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Branding settings saved")).toBeVisible();
  if (javaScriptEnabled) await expectAccessible(page);

  await page.getByRole("link", { name: "Upload Logo" }).click();
  const file = { name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(SVG) };
  // The form before has a field of that name too, for a URL.
  await expect(page.getByRole("heading", { name: "Upload Logo" })).toBeVisible();
  await page.getByLabel("Logo").setInputFiles(file);
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(page.getByRole("link", { name: "Upload Logo" })).toBeVisible();

  await open("/personas");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveCSS("letter-spacing", "3px");
  await expect(heading).toHaveCSS("font-family", /^Poppins/);
  await open("/personas?safe=1");
  await expect(heading).not.toHaveCSS("letter-spacing", "3px");
});
