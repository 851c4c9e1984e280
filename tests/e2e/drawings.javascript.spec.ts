import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { HOSTILE_MERMAID, HOSTILE_SVG } from "../support/hostile-drawings";
import { block, talk } from "../support/talk";

// The fixtures fail a test whose page asks another host for anything, logs an error or violates its policy.

test.use({ role: "member" });

const isDrawn = (page: Page, name: string | RegExp) =>
  expect
    .poll(() => page.getByRole("img", { name }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(20);

const FLOW =
  "flowchart LR\n  accTitle: How an order ships\n  A[Order] --> B{In stock?}\n  B -->|yes| C[Ship]";

test("draws Mermaid and SVG in the theme's colors, with the code a press away", async ({
  page,
  open,
  server,
}) => {
  const id = await talk(
    server,
    [
      block("mermaid", FLOW),
      block("mermaid", "sequenceDiagram\n  Ann->>Bo: Hello\n  Bo-->>Ann: Hi"),
      block("svg", '<svg viewBox="0 0 100 50"><title>A dot</title><circle cx="50" cy="25" r="20"/></svg>'),
      block("mermaid", "flowchart LR\n  A --> ["),
    ].join("\n"),
  );
  await open(`/chat/${id}`);
  await isDrawn(page, "How an order ships");
  await isDrawn(page, "Diagram (sequence)");
  await isDrawn(page, "A dot");
  // What can't be drawn keeps its code.
  await expect(page.getByText(/shown as code: Parse error on line 2\.$/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Code in mermaid" })).toContainText("A --> [");

  const drawing = page.getByRole("img", { name: "How an order ships" });
  const figure = page.getByRole("figure").filter({ has: drawing });
  const dark = await drawing.getAttribute("src");
  await page.evaluate(() => document.documentElement.setAttribute("data-theme", "light"));
  await expect.poll(() => drawing.getAttribute("src")).not.toBe(dark);

  const downloaded = page.waitForEvent("download");
  await figure.getByRole("button", { name: "Download as SVG" }).click();
  expect((await downloaded).suggestedFilename()).toBe("diagram.svg");
  await page.getByRole("button", { name: "Show the code" }).first().click();
  await expect(page.getByRole("region", { name: "Code in mermaid" }).first()).toContainText("In stock?");
  await page.getByRole("button", { name: "Show the drawing" }).click();
  await expect(drawing).toBeVisible();
});

test.describe("hostile", () => {
  // Handlers and that picture are refused by the policy of the page or the frame before they are removed.
  test.use({
    expected:
      /^Executing inline event handler|^a request to https:\/\/evil\.example\/t\.png$|t\.png.*violates/,
  });
  test("a hostile drawing runs nothing and asks for nothing, in the page or as a file", async ({
    page,
    open,
    server,
    context,
  }) => {
    const opened: string[] = [];
    page.on("dialog", (dialog) => {
      opened.push(dialog.message());
      void dialog.dismiss();
    });
    context.on("page", () => opened.push("a window"));
    const blocks = [
      ...HOSTILE_SVG.map((code) => block("svg", code)),
      ...HOSTILE_MERMAID.map((code) => block("mermaid", code)),
    ];
    const id = await talk(server, blocks.join("\n"));
    const asked: string[] = [];
    const refused: string[] = [];
    context.on("requestfailed", (request) => {
      if (request.failure()?.errorText === "csp") refused.push(request.url());
    });
    context.on("request", (request) => {
      if (
        !/^data:|\/assets\/|\/sandbox\/diagram\?|\/chat\/con_|\/events|\/chat\/navigation/.test(request.url())
      )
        asked.push(request.url());
    });
    await open(`/chat/${id}`);
    const figures = page.locator("[role=log] figure");
    await expect(figures).toHaveCount(blocks.length);
    // Each is drawn or says why it isn't.
    await expect
      .poll(() => figures.filter({ has: page.locator("img, [role=status]:text('shown as code')") }).count())
      .toBe(blocks.length);
    await isDrawn(page, "The last one");
    const drawn = await page
      .locator("[role=log] figure img")
      .evaluateAll((images: HTMLImageElement[]) => images.map(({ src }) => decodeURIComponent(src)));
    expect(drawn.length).toBeGreaterThan(10);
    for (const source of drawn)
      for (const [sheet] of source.matchAll(/<style[\s\S]*?<\/style>/g))
        expect(sheet).not.toMatch(/@import|@font-face|url\((?!#)|\\/);
    const left = await page.evaluate((sources) => {
      const found: string[] = [];
      for (const source of sources) {
        const file = new DOMParser().parseFromString(
          source.slice(source.indexOf(",") + 1).replace(/<style\/>|<style[\s\S]*?<\/style>/g, ""),
          "image/svg+xml",
        );
        for (const element of file.querySelectorAll("*")) {
          if (/^(script|foreignObject|iframe|img|a|use|set|animate.*|parsererror)$/.test(element.localName))
            found.push(element.localName);
          for (const { name, value } of element.attributes)
            if (/^on/.test(name) || /javascript:|evil\.example|logout/.test(value))
              found.push(`${name}=${value}`);
        }
      }
      return found;
    }, drawn);
    expect(left).toEqual([]);
    // The same file opened by itself, where a browser would run what is left in it.
    const file = await context.newPage();
    for (const source of drawn) {
      await file.route("**/drawing.svg", (route) =>
        route.fulfill({ contentType: "image/svg+xml", body: source.slice(source.indexOf(",") + 1) }),
      );
      await file.goto("/drawing.svg");
      await file.unroute("**/drawing.svg");
    }
    await file.close();
    // Mermaid measures a picture, which the frame's policy refuses before it is asked for.
    expect(asked.filter((url) => !url.endsWith("/drawing.svg"))).toEqual(refused);
    expect(refused).toEqual(["https://evil.example/t.png"]);
    expect(opened).toEqual(["a window"]);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });
});

test.describe("in the frame", () => {
  // The frame's own refusals, as Chromium reports them.
  test.use({
    expected:
      /Content Security Policy|Unsafe attempt to initiate navigation|Failed to navigate|Blocked opening|Fetch API cannot load/,
  });

  test("the frame that draws reaches neither the page, its cookies nor the network", async ({
    page,
    open,
    server,
  }) => {
    const id = await talk(server, block("mermaid", FLOW));
    await open(`/chat/${id}`);
    await isDrawn(page, "How an order ships");
    const left: string[] = [];
    page.on("console", (message) => {
      if (/^Framing 'https:\/\/evil\.example\/' violates.*frame-src/.test(message.text()))
        left.push("refused");
    });
    const frame = page.frames().find((one) => one.url().includes("/sandbox/diagram"));
    const reached = await frame?.evaluate(async () => {
      const attempt = async (run: () => unknown) => {
        try {
          return String(await run());
        } catch (error) {
          return (error as Error).name;
        }
      };
      return {
        origin: self.origin,
        parent: await attempt(() => parent.document.title),
        cookie: await attempt(() => document.cookie),
        storage: await attempt(() => localStorage.length),
        fetch: await attempt(() => fetch("/api/health")),
        popup: await attempt(() => window.open("about:blank")),
      };
    });
    expect(reached).toEqual({
      origin: "null",
      parent: "SecurityError",
      cookie: "SecurityError",
      storage: "SecurityError",
      fetch: "TypeError",
      popup: "null",
    });
    // Nor does it leave for another host, itself or with the page around it.
    const address = page.url();
    await frame?.evaluate(() => {
      try {
        top?.location.assign("https://evil.example/top");
      } catch {
        // The sandbox refuses it at once.
      }
      location.assign("https://evil.example/frame");
    });
    await expect.poll(() => left).toEqual(["refused"]);
    expect(page.url()).toBe(address);
  });
});
