import type { Locator } from "@playwright/test";
import { expect, test } from "../support/fixtures";

test.use({ role: "member" });

test("focus moves into a dialog, stays inside, and returns to its opener", async ({ page, open }) => {
  await open("/personas");
  const opener = page.getByRole("link", { name: "New Persona" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await expect(dialog.getByRole("link", { name: "Close" })).toBeFocused();
  await expect(page.locator("aside")).toHaveAttribute("inert");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/personas$/);
  await expect(opener).toBeFocused();
  await expect(page.locator("aside")).not.toHaveAttribute("inert");
});

test("a toast is shown in the tab that caused it alone", async ({ page, context, open, server }) => {
  await open("/personas?dialog=new");
  await page.getByLabel("Name").fill("For one tab");
  await page.getByRole("button", { name: "Create Persona" }).click();
  await expect(page.getByText("Persona created successfully")).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole("heading", { name: "For one tab" })).toBeVisible();
  await expect(other.getByText("Persona created successfully")).toHaveCount(0);
  expect((await context.cookies(server.baseUrl)).map(({ name }) => name)).not.toContain("qd_toast");
});

test("a toast covers no button of a dialog or a form, and disappears by itself, later while hovered", async ({
  page,
  open,
}) => {
  await open("/personas?dialog=new");
  // No toast hides while the clock stands.
  await page.clock.install();
  await page.getByLabel("Name").fill("Below a toast");
  await page.getByRole("button", { name: "Create Persona" }).click();
  const toast = page.locator("[data-toast]");
  await expect(toast).toContainText("Persona created successfully");
  /** Visible controls of a part that share a place with the toast. */
  const covered = (part: string) =>
    page.evaluate((selector) => {
      const place = document.querySelector("[data-toast]")?.getBoundingClientRect();
      if (!place) return ["no toast"];
      const controls = document.querySelectorAll(`${selector} :is(a, button, input, select, textarea)`);
      const under = [...controls].filter((control) => {
        const box = control.getBoundingClientRect();
        return (
          box.width > 1 &&
          box.left < place.right &&
          box.right > place.left &&
          box.top < place.bottom &&
          box.bottom > place.top
        );
      });
      return under.map((control) => control.getAttribute("aria-label") ?? control.textContent);
    }, part);
  const sizes = [
    { width: 390, height: 844 },
    { width: 390, height: 640 },
    { width: 1024, height: 768 },
    { width: 1440, height: 900 },
  ];
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect(await covered("main"), `the page at ${size.width}`).toEqual([]);
  }
  await page.getByRole("link", { name: "New Persona" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect(await covered("dialog"), `the dialog at ${size.width}`).toEqual([]);
  }
  await page.keyboard.press("Escape");
  await toast.hover();
  await page.clock.runFor(20_000);
  await expect(toast).toBeVisible();
  await page.mouse.move(0, 0);
  await page.clock.runFor(6100);
  await expect(toast).toBeHidden();
});

test("arrow keys move through the card's menu, and Escape closes it", async ({ page, open }) => {
  await open("/personas");
  const card = page.locator("aside").locator("summary");
  await card.click();
  const signOut = page.getByRole("button", { name: "Sign Out" });
  await expect(signOut).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("aside").getByRole("link", { name: "Profile" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(signOut).toBeHidden();
  await expect(card).toBeFocused();
});

test("the focus ring appears at once, and round the card of a radio button", async ({ page, open }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await open("/personas?dialog=new");
  const dialog = page.getByRole("dialog");
  const ringOf = (target: Locator) =>
    target.evaluate((element) => {
      const { outlineStyle, outlineWidth, transitionDuration, transitionProperty } =
        getComputedStyle(element);
      const isAnimated = transitionProperty !== "none" && /[1-9]/.test(transitionDuration);
      return { outlineStyle, outlineWidth, isAnimated };
    });
  const ring = { outlineStyle: "solid", outlineWidth: "2px", isAnimated: false };
  await dialog.getByRole("link", { name: "Cancel" }).focus();
  await page.keyboard.press("Tab");
  const submit = dialog.getByRole("button", { name: "Create Persona" });
  await expect(submit).toBeFocused();
  expect(await ringOf(submit)).toEqual(ring);

  const choice = dialog.getByRole("radio", { name: "Everyone" });
  await choice.focus();
  await page.keyboard.press("ArrowDown");
  const chosen = dialog.getByRole("radio", { name: "Groups" });
  await expect(chosen).toBeFocused();
  expect(await ringOf(dialog.locator("label", { has: page.getByRole("radio", { name: "Groups" }) }))).toEqual(
    ring,
  );
  expect((await ringOf(chosen)).outlineStyle).toBe("none");
});

test("a tooltip appears after a delay, the next one immediately, and Escape hides it", async ({
  page,
  open,
  server,
}) => {
  await server.ask("/api/personas", { method: "POST", as: "member", json: { name: "With a hint" } });
  await open("/personas");
  const edit = page.getByRole("link", { name: "Edit With a hint" });
  await edit.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tooltip")).toHaveText("Edit With a hint");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("tooltip")).toBeHidden();
});

test("a conversation is renamed by keyboard, and the focus returns", async ({ page, open, server }) => {
  const json = { model: "quarterdeck-offline", messages: [{ role: "user", content: "A story" }], tools: [] };
  const sent = await server.ask("/api/ai/chat", { as: "member", json });
  await sent.text();
  await open(`/chat/${sent.headers.get("x-conversation-id")}`);
  const rename = page.locator('summary[aria-label="Rename conversation"]');
  const title = page.getByRole("textbox", { name: "Title", exact: true });
  await rename.press("Enter");
  await expect(title).toBeFocused();
  await title.press("Escape");
  await expect(title).toBeHidden();
  await expect(rename).toBeFocused();
  await rename.press("Enter");
  await expect(title).toBeFocused();
  // The old title is selected.
  await page.keyboard.type("Harbor story");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Harbor story" })).toBeVisible();
  await expect(title).toBeHidden();
  await expect(rename).toBeFocused();
});

test("Escape after a refused form asks before it discards the text, also of a form sent without script", async ({
  page,
  open,
}) => {
  await open("/personas?dialog=new");
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  const question = page.getByRole("alertdialog", { name: "Discard what you typed?" });
  const prompt = dialog.getByLabel("System prompt");
  await prompt.fill("An hour's work");
  await dialog.getByRole("button", { name: "Create Persona" }).click();
  await expect(dialog.locator("[aria-invalid=true]").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Keep Editing" }).click();
  await expect(prompt).toHaveValue("An hour's work");

  // As a form is sent before the script is there.
  await prompt.evaluate(({ form }: HTMLTextAreaElement) => {
    form?.insertAdjacentHTML("beforeend", '<input type="hidden" name="intent" value="create">');
    document.documentElement.dataset.old = "";
    form?.submit();
  });
  await page.locator("html[data-scripted]:not([data-old])").waitFor({ state: "attached" });
  await expect(prompt).toHaveValue("An hour's work");
  await page.keyboard.press("Escape");
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
});

test("a field that had the focus as the page came is asked about, too, after a refusal", async ({
  page,
  open,
}) => {
  await open("/skills?dialog=new");
  const text = page.getByRole("textbox", { name: "SKILL.md" });
  await expect(text).toBeFocused();
  await page.keyboard.insertText("No front matter");
  await page.getByRole("button", { name: "Create Skill" }).click();
  await expect(text).toHaveAttribute("aria-invalid", "true");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alertdialog", { name: "Discard what you typed?" })).toBeVisible();
});

test("two clicks in one frame send a form once", async ({ page, open }) => {
  await open("/personas?dialog=new");
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  await dialog.getByLabel("Name").fill("Clicked twice");
  let posts = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") posts += 1;
  });
  await dialog.getByRole("button", { name: "Create Persona" }).evaluate((button: HTMLButtonElement) => {
    button.click();
    button.click();
  });
  await expect(page.getByText("Persona created successfully")).toBeVisible();
  expect(posts).toBe(1);
});

test.describe("of an admin", () => {
  test.use({ role: "owner" });

  test("what is wrong in a long dialog is in sight, above its buttons", async ({ page, open }) => {
    await open("/settings/widgets?dialog=new");
    await open("/settings/widgets?dialog=new");
    const dialog = page.getByRole("dialog", { name: "New Widget" });
    await dialog.getByLabel("Name").fill("Guide");
    await dialog.getByLabel("Allowed sites").fill("example.com");
    await dialog.getByRole("button", { name: "Create Widget" }).click();
    await expect(dialog.getByLabel("Allowed sites")).toBeFocused();
    const message = dialog.getByText("Enter origins such as https://www.example.com: example.com");
    const [text, buttons] = await Promise.all(
      [message, dialog.locator("footer")].map((one) => one.boundingBox()),
    );
    expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThanOrEqual(buttons?.y ?? 0);
    expect(text?.y).toBeGreaterThan(0);
  });
});
