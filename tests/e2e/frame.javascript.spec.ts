import type { Locator } from "@playwright/test";
import { expect, IS_FULL, test } from "../support/fixtures";

test.use({ role: "owner" });

test("a dialog opens and closes without a request, and so does Back", async ({ page, open }) => {
  await open("/settings/keys");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes(".data")) asked.push(request.url());
  });
  const dialog = page.getByRole("dialog", { name: "Add Key" });
  await page.getByRole("link", { name: "Add Key" }).first().click();
  await expect(dialog).toBeVisible();
  await expect(page).toHaveURL(/dialog=add-key/);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.goBack();
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toBeHidden();
  expect(asked).toEqual([]);
});

test("a dialog that loads data opens immediately, and Back closes it while loading", async ({
  page,
  open,
}) => {
  await open("/settings/members");
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/*.data*", async (route) => {
    await isAnswered;
    await route.continue();
  });
  const dialog = page.getByRole("dialog", { name: "Add Group" });
  const opener = page.getByRole("link", { name: "Add Group" }).first();
  await opener.click();
  await expect(dialog.getByRole("status", { name: "Loading" })).toBeVisible();
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/settings\/members$/);
  await opener.click();
  await expect(dialog).toBeVisible();
  answer();
  await expect(dialog.getByLabel("Name")).toBeVisible();
  await expect(page).toHaveURL(/dialog=group/);
});

test("a slow screen is marked active immediately and shows its skeleton", async ({ page, open }) => {
  await open("/personas");
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/audit.data*", async (route) => {
    await isAnswered;
    await route.continue();
  });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" }).click();
  await expect(page.locator("[data-skeleton]")).toBeVisible();
  answer();
  await expect(page.getByRole("heading", { level: 1, name: "Audit Log" })).toBeVisible();
  await expect(page.locator("[data-skeleton]")).toBeHidden();
});

test("a dialog asks before what was typed or chosen is lost, and the browser before the tab closes", async ({
  page,
  open,
}) => {
  await open("/personas");
  await page.getByRole("link", { name: "New Persona" }).click();
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  const question = page.getByRole("alertdialog", { name: "Discard what you typed?" });
  await dialog.getByLabel("Name").fill("Half written");
  await page.keyboard.press("Escape");
  await expect(question.getByRole("button", { name: "Keep Editing" })).toBeFocused();
  await question.getByRole("button", { name: "Keep Editing" }).click();
  await expect(dialog.getByLabel("Name")).toHaveValue("Half written");
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => setTimeout(() => location.reload()));
  await (await asked).dismiss();
  await dialog.getByLabel("Name").fill("");
  await dialog.getByRole("checkbox", { name: /web\.fetch/ }).check();
  await page.goBack();
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toBeHidden();
});

test("Back after a dialog's form leads past the dialog", async ({ page, open }) => {
  await open("/personas");
  await page.getByRole("link", { name: "New Persona" }).click();
  const dialog = page.getByRole("dialog", { name: "New Persona" });
  await dialog.getByLabel("Name").fill("Made once");
  await dialog.getByRole("button", { name: "Create Persona" }).click();
  await expect(page.getByText("Persona created successfully")).toBeVisible();
  await expect(page).toHaveURL(/created=/);
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const covered = await page.locator("[data-toaster]").evaluateAll((toasters) => {
      const toasts = toasters.flatMap((toaster) =>
        [...toaster.querySelectorAll("*")].map((part) => part.getBoundingClientRect()),
      );
      return [...document.querySelectorAll("h1, h2")]
        .filter((heading) => {
          const { top, bottom, left, right } = heading.getBoundingClientRect();
          return toasts.some(
            (box) => box.top < bottom && box.bottom > top && box.left < right && box.right > left,
          );
        })
        .map(({ textContent }) => textContent);
    });
    expect(covered, `headings under a toast, ${width} pixels wide`).toEqual([]);
  }
  await page.goBack();
  await expect(page).toHaveURL(/\/personas$/);
  await expect(dialog).toBeHidden();
});

test.describe("without a connection", () => {
  test.use({ ownContext: true });

  test("the page and its input stay, and Retry continues", async ({ page, open, context }) => {
    await open("/personas?dialog=new");
    const dialog = page.getByRole("dialog", { name: "New Persona" });
    await dialog.getByLabel("Name").fill("Sent from a train");
    await context.setOffline(true);
    await expect(page.getByText("You are offline")).toBeVisible();
    const failed = page.waitForEvent("requestfailed", (request) => request.method() === "POST");
    await dialog.getByRole("button", { name: "Create Persona" }).click();
    await failed;
    await expect(dialog.getByLabel("Name")).toHaveValue("Sent from a train");
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    await context.setOffline(false);
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByText("Persona created successfully")).toBeVisible();
    await expect(page.getByText("You are offline")).toBeHidden();

    await context.setOffline(true);
    await expect(page.getByText("You are offline")).toBeVisible();
    const audit = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" });
    await audit.hover();
    await audit.click();
    await expect(page.getByRole("heading", { level: 1, name: "Personas" })).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Audit Log" })).toBeVisible();
  });
});

test("paper is light, with dates, without navigation and buttons of a mere icon; forced colors keep edges", async ({
  page,
  open,
  server,
}) => {
  await server.ask("/api/personas", { as: "owner", json: { name: "On paper" } });
  await open("/personas");
  await page.emulateMedia({ forcedColors: "active" });
  await expect(page.locator("aside [aria-current=page]")).toHaveCSS("outline-style", "solid");
  // Without their background primary buttons need an edge.
  const primary = page.getByRole("link", { name: "New Persona" });
  await expect(primary).toHaveCSS("border-top-style", "solid");
  await expect(primary).toHaveCSS("border-top-width", "1px");
  await primary.click();
  await expect(page.getByRole("dialog")).toHaveCSS("border-top-style", "solid");
  await page.keyboard.press("Escape");

  const edit = page.getByRole("link", { name: "Edit On paper" });
  await expect(edit).toBeVisible();
  await page.emulateMedia({ media: "print", forcedColors: "none" });
  await expect(edit).toBeHidden();
  await expect(page.locator("aside")).toBeHidden();
  await expect(page.getByText("Skip to content")).toBeHidden();
  await expect(page.locator("html")).toHaveCSS("color-scheme", "light");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();

  await page.emulateMedia({ media: "screen" });
  await open("/audit");
  await page.emulateMedia({ media: "print" });
  const time = page.locator("main time").first();
  const date = await time.getAttribute("title");
  expect(date).toMatch(/\d{4}/);
  const printed = await time.evaluate((element) => ({
    relative: getComputedStyle(element).fontSize,
    date: getComputedStyle(element, "::after").content,
  }));
  expect(printed).toEqual({ relative: "0px", date: `"${date}"` });
});

test("the active tab stays in sight when the window becomes narrow", async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open("/settings/profile");
  await page.setViewportSize({ width: 390, height: 844 });
  const tab = page.getByRole("navigation", { name: "Settings" }).locator("[aria-current=page]");
  await expect(tab).toBeInViewport({ ratio: 1 });
});

test("the ingest dialog keeps its height and its buttons at its foot", async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open("/rag?dialog=ingest&tab=text");
  const dialog = page.getByRole("dialog", { name: "Ingest Document" });
  // In one step, as the form is replaced by the tab's.
  const edges = () =>
    dialog.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const foot = element.querySelector("footer")?.getBoundingClientRect();
      return { top, bottom, belowFoot: Math.round(bottom - (foot?.bottom ?? 0)) };
    });
  await expect(dialog.locator("footer")).toBeVisible();
  const first = await edges();
  expect(first.belowFoot).toBeLessThan(2);
  for (const tab of ["URL", "File", "Text"]) {
    await dialog.getByRole("link", { name: tab, exact: true }).click();
    // Its own form, as the address changes before.
    await expect(dialog.getByRole("link", { name: tab, exact: true })).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expect(dialog.getByRole("button", { name: `Ingest ${tab}` })).toBeVisible();
    await expect.poll(edges).toEqual(first);
  }
});

test("a page's actions have one order for the eye and the keyboard on a phone", async ({ page, open }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/chat/all", "/workflows", "/personas"]) {
    await open(path);
    const header = page.locator("main header").first();
    const count = await header.getByRole("link").count();
    expect(count).toBeGreaterThan(1);
    await page.getByRole("main").focus();
    const places: number[] = [];
    for (let at = 0; at < count; at++) {
      await page.keyboard.press("Tab");
      const box = await header.locator(":focus").boundingBox();
      if (!box) throw new Error("An action has no box");
      places.push(box.y * 1000 + box.x);
    }
    expect(places, path).toEqual([...places].sort((a, b) => a - b));
  }
});

test("a long description leaves a workflow's actions at the top, on a phone too", async ({
  page,
  open,
  server,
}) => {
  const workflow = {
    name: "Digest",
    description: "Sums up what the documents say about decisions. ".repeat(9),
  };
  const created = await server.ask("/api/workflows", { as: "owner", json: workflow });
  const { id } = (await created.json()) as { id: string };
  await page.setViewportSize({ width: 1024, height: 800 });
  await open(`/workflows/${id}`);
  const header = page.locator("main header").first();
  const frame = await header.boundingBox();
  const menu = await header.getByLabel("More actions").boundingBox();
  if (!frame || !menu) throw new Error("The header has no box");
  expect(menu.y - frame.y).toBeLessThan(8);
  expect(frame.x + frame.width - (menu.x + menu.width)).toBeLessThan(8);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText(/^Sums up what the documents say/)).toBeVisible();
  await expect(header.getByRole("button", { name: "Run" })).toBeInViewport({ ratio: 1 });
});

test("the header of a phone cuts no text", async ({ page, open, server }) => {
  const config = { baseUrl: "http://127.0.0.1:9/v1", models: ["claude-sonnet-4.5"] };
  const added = await server.ask("/api/providers", {
    as: "owner",
    json: { provider: "custom", displayName: "Of a long name", enabled: true, config },
  });
  const { id } = (await added.json()) as { id: string };
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/personas");
  await page.locator("#model-picker").selectOption("claude-sonnet-4.5");
  for (const path of [
    "/",
    "/chat",
    "/workflows",
    "/extensions",
    "/personas",
    "/rag",
    "/audit",
    "/settings",
  ]) {
    await open(path);
    const cut = await page.locator("header:has(#model-picker)").evaluate((header) => {
      const texts = [...header.querySelectorAll<HTMLElement>("p")].filter((text) => text.checkVisibility());
      const picker = header.querySelector("select") as HTMLSelectElement;
      const { font, paddingLeft, paddingRight } = getComputedStyle(picker);
      const pen = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
      pen.font = font;
      const chosen = picker.selectedOptions[0]?.label ?? "";
      const room = picker.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return [
        ...texts
          .filter((text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight + 1)
          .map((text) => text.textContent),
        ...(pen.measureText(chosen).width > room ? [chosen] : []),
      ];
    });
    expect(cut, path).toEqual([]);
  }
  await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
});

test("at 200% zoom half of the window is the content's, scrolled to its middle", async ({ page, open }) => {
  await page.setViewportSize({ width: 720, height: 450 });
  const builder = "/workflows/builder?template=nine-oclock-digest";
  for (const path of ["/", "/rag", "/workflows", `${builder}&view=list`, "/settings/advanced", "/audit"]) {
    await open(path);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 3));
    /** Points of the window at which neither a bar nor the navigation is hit. */
    const share = await page.evaluate(() => {
      const isContent = (element: Element | null): boolean => {
        if (!element || element.matches("html, body, header, aside, footer")) return false;
        if (/sticky|fixed/.test(getComputedStyle(element).position)) return false;
        return element.id === "main" || isContent(element.parentElement);
      };
      let points = 0;
      for (let x = 0; x < 24; x += 1)
        for (let y = 0; y < 15; y += 1)
          if (isContent(document.elementFromPoint(15 + x * 30, 15 + y * 30))) points += 1;
      return points / (24 * 15);
    });
    expect(share, path).toBeGreaterThanOrEqual(0.5);
  }
});

test("a key pressed while a page is being hydrated doesn't stop it", async ({ page, open }) => {
  await page.addInitScript(() => {
    let isFirst = true;
    // React hydrates in messages to itself: presses a key before the first one.
    const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
    Object.defineProperty(MessagePort.prototype, "onmessage", {
      set(listener: (event: MessageEvent) => void) {
        set?.call(this, (event: MessageEvent) => {
          if (isFirst)
            document.querySelector("textarea")?.dispatchEvent(new Event("input", { bubbles: true }));
          isFirst = false;
          listener.call(this, event);
        });
      },
    });
  });
  for (const path of ["/personas?dialog=new", "/chat"]) await open(path);
});

/** Labels of the controls that something covers when they have the focus. */
const coveredControls = (box: Locator) =>
  box.evaluate((element) => {
    const controls = element.querySelectorAll<HTMLElement>(
      "a[href], button, input:not([type=hidden]):not([type=file]), select, textarea, summary",
    );
    return [...controls].flatMap((control) => {
      if (!control.checkVisibility({ visibilityProperty: true }) || control.tabIndex < 0) return [];
      control.focus();
      const { left, top, width, height } = control.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 16));
      const isHit = hit !== null && (control.contains(hit) || hit.contains(control) || hit.closest("label"));
      return isHit ? [] : [control.getAttribute("aria-label") ?? control.textContent ?? ""];
    });
  });

test("at 400% zoom nothing covers a focused control, and the message's field is reachable", async ({
  page,
  open,
}) => {
  await page.setViewportSize({ width: 320, height: 256 });
  const others = ["/personas?dialog=new", "/settings/keys?dialog=add-key"];
  for (const path of ["/rag?dialog=ingest&tab=file", ...(IS_FULL ? others : [])]) {
    await open(path);
    expect(await coveredControls(page.getByRole("dialog"))).toEqual([]);
  }
  if (IS_FULL) {
    await open("/workflows/builder?template=nine-oclock-digest&view=list");
    expect(await coveredControls(page.locator("main form").first())).toEqual([]);
  }
  await open("/chat");
  expect(await coveredControls(page.locator("main"))).toEqual([]);
  await page.getByRole("textbox", { name: "Message" }).fill("Reached");
  await page.getByRole("button", { name: "Send" }).scrollIntoViewIfNeeded();
  await expect(page.getByRole("button", { name: "Send" })).toBeInViewport({ ratio: 1 });
});

test("arrow keys move through a menu whose first rows are hidden, and its dialog returns the focus", async ({
  page,
  open,
}) => {
  await open("/settings/members");
  const menu = page.locator('summary[aria-label="More actions for Admin Tester"]');
  await menu.press("Enter");
  await page.keyboard.press("ArrowDown");
  const remove = page.getByRole("link", { name: "Remove Admin Tester" });
  await expect(remove).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("dialog[open]")).toBeVisible();
  await expect(page).toHaveURL(/dialog=remove/);
  await page.keyboard.press("Escape");
  await expect(page.locator("dialog[open]")).toHaveCount(0);
  await expect(menu).toBeFocused();
});
