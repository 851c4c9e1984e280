import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

const NOTE = [
  "# Handbook",
  "",
  "Everyone reads this first.",
  "",
  "## Holidays",
  "",
  "- Thirty days a year",
  "- Ask in good time",
  "",
  "## Prices",
  "",
  "| Thing | Price |",
  "| --- | --- |",
  "| Tea | 2 |",
  "| Coffee | 3 |",
  "",
  "<script>document.title = 'taken over'</script>",
].join("\n");

/** Uploads a file as a member and waits until it was worked on. @returns its id */
async function upload(
  server: TestServer,
  name: string,
  content: string,
  category = "Finance",
): Promise<string> {
  const body = new FormData();
  body.append("category", category);
  body.append("files", new Blob([content], { type: "text/markdown" }), name);
  const response = await server.ask("/api/rag/upload", { as: "member", method: "POST", body });
  const [file] = (await response.json()) as { id: string }[];
  const id = file?.id ?? "";
  await settled(server, id);
  return id;
}

async function settled(server: TestServer, id: string): Promise<void> {
  const status = async () => {
    const answer = await server.ask(`/api/rag/documents/${id}`, { as: "member" });
    return ((await answer.json()) as { status: string }).status;
  };
  await expect.poll(status, { timeout: 30_000 }).not.toBe("processing");
}

async function openMenu(page: Page, choice: string): Promise<void> {
  await page.getByLabel("More actions").click();
  await page.getByRole("link", { name: choice, exact: true }).click();
}

test.describe("a member", () => {
  test.use({ role: "member" });

  test("reads a document with its structure, its content as plain text", async ({ page, open, server }, {
    project,
  }) => {
    const id = await upload(server, `read-${project.name}.md`, `${NOTE}\n\n${project.name}`);
    await open(`/rag/${id}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`read-${project.name}.md`);
    await expect(page.getByRole("heading", { name: "Holidays" })).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: "Thirty days a year" })).toBeVisible();
    await expect(page.getByRole("columnheader", { name: "Price" })).toBeVisible();
    await expect(page.getByRole("cell", { name: "Coffee" })).toBeVisible();
    await expect(page).toHaveTitle(`read-${project.name}.md · Quarterdeck`);
    await expectAccessible(page);
    await page.getByRole("link", { name: /^Chunks/ }).click();
    await expect(page.getByRole("article").first()).toContainText("Everyone reads this first.");
    await page
      .getByRole("link", { name: /^Show in the text/ })
      .first()
      .click();
    await expect(page.locator("mark#passage")).toBeVisible();
    await expect(page.getByText(/Cited passage/)).toBeVisible();
  });

  test("cancels processing of a document from its page and from the list", async ({
    page,
    open,
    server,
    hubs,
  }, { project }) => {
    const add = async (name: string) => {
      const url = `${hubs.endlessPage}/${project.name}/${name}`;
      const batch = await server.ask("/api/rag/batches", { as: "member", json: { urls: [url] } });
      const { items } = (await batch.json()) as { items: { documentId: string }[] };
      return items[0]?.documentId ?? "";
    };
    const cancelled = page.getByText(/Processing of ".+" was canceled/);
    const id = await add("page");
    await open(`/rag/${id}`);
    await page.getByRole("button", { name: /^Cancel processing of / }).click();
    await expect(cancelled).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: "It was canceled." })).toBeVisible();
    await expect(page.getByRole("button", { name: "Retry" })).toBeVisible();
    await add("list");
    await open(`/rag?find=${project.name}/list`);
    await page.getByRole("button", { name: /^Cancel processing of / }).click();
    await expect(cancelled).toBeVisible();
    await expect(page.locator("li[data-row]").filter({ hasText: `${project.name}/list` })).toContainText(
      "It was canceled.",
    );
  });

  test("can read the category's name on a narrow screen", async ({ page, open, server }, { project }) => {
    const id = await upload(server, `narrow-${project.name}.md`, `${NOTE}\n\nnarrow ${project.name}`);
    await page.setViewportSize({ width: 420, height: 800 });
    await open(`/rag/${id}`);
    const box = await page.getByLabel(/^Category of /).boundingBox();
    expect(box?.width ?? 0).toBeGreaterThan(120);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
  });

  test("finds every tab accessible", async ({ page, open, server }, { project }) => {
    test.slow();
    const id = await upload(server, `tabs-${project.name}.md`, `${NOTE}\n\ntabs of ${project.name}`);
    for (const [tab, words] of [
      ["search", "What are you looking for?"],
      ["chunks", "Chunk 1"],
      ["versions", "Current"],
      ["details", "Markdown"],
    ] as const) {
      await test.step(tab, async () => {
        await open(`/rag/${id}?tab=${tab}`);
        await expect(page.getByText(words).or(page.getByPlaceholder(words)).first()).toBeVisible();
        await expectAccessible(page);
        if (tab === "chunks")
          await expect(page.getByRole("heading", { name: /^Chunk 1/, level: 2 })).toBeVisible();
      });
    }
  });

  test("lands on the passage that a citation points to", async ({ page, open, server, javaScriptEnabled }, {
    project,
  }) => {
    const filler = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} of ${project.name}.`).join("\n\n");
    const id = await upload(server, `cite-${project.name}.md`, `${filler}\n\n## Deep\n\nThe needle is here.`);
    const text = await (await server.ask(`/api/rag/documents/${id}/text`, { as: "member" })).json();
    const start = (text as { text: string }).text.indexOf("The needle");
    await open(`/rag/${id}?from=${start}&to=${start + 10}#passage`);
    const mark = page.locator("mark");
    await expect(mark).toHaveText("The needle");
    await expect(mark).toBeInViewport();
    if (javaScriptEnabled !== false) await expect(mark).toBeFocused();
    await expect(page.getByText("Deep").first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Remove highlight" }).click();
    await expect(mark).toHaveCount(0);
    await open(`/rag/${id}?from=900000&to=900010`);
    await expect(page.getByText(/The cited passage no longer exists/)).toBeVisible();
  });

  test("searches in one document", async ({ page, open, server }, { project }) => {
    const id = await upload(server, `find-${project.name}.md`, `${NOTE}\n\nFind in ${project.name}`);
    await upload(server, `other-${project.name}.md`, `# Other\n\nHolidays of ${project.name} elsewhere`);
    await open(`/rag/${id}`);
    await page.getByRole("link", { name: "Search in this document" }).click();
    await page.getByLabel("Search in this document").fill("holidays a year");
    await page.getByRole("search").last().getByRole("button", { name: "Search" }).click();
    await expect(page.getByText(/^Found \d+ results$/)).toBeVisible();
    await expect(page.getByRole("region", { name: "Results" })).not.toContainText("elsewhere");
    await page
      .getByRole("link", { name: /^Open the passage/ })
      .first()
      .click();
    await expect(page.locator("mark#passage")).toBeVisible();
  });

  test("pages through a long text", async ({ page, open, server }, { project }) => {
    const words = `Sentence of ${project.name} that goes on for a while. `;
    const long = Array.from({ length: 60 }, (_, n) => `## Part ${n}\n\n${words.repeat(40)}`).join("\n\n");
    const id = await upload(server, `long-${project.name}.md`, long);
    await open(`/rag/${id}`);
    await expect(page.getByRole("heading", { name: "Part 0", exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Next Page" }).click();
    await expect(page.getByRole("heading", { name: "Part 0", exact: true })).toHaveCount(0);
    await expect(page.getByText(/Characters [\d,]+ to [\d,]+ of [\d,]+/)).toBeVisible();
    await page.getByRole("link", { name: "Previous Page" }).click();
    await expect(page.getByRole("heading", { name: "Part 0", exact: true })).toBeVisible();
  });

  test(
    "renames a document and moves it to another category",
    { tag: "@no-javascript" },
    async ({ page, open, server, javaScriptEnabled }, { project }) => {
      const id = await upload(server, `name-${project.name}.md`, `# Name\n\n${project.name} name`);
      await open(`/rag/${id}`);
      await openMenu(page, "Rename");
      const dialog = page.getByRole("dialog", { name: "Rename" });
      await dialog.getByLabel("Name").fill("  ");
      await dialog.getByRole("button", { name: "Rename" }).click();
      await expect(dialog.getByRole("alert")).toHaveText("Document name is required");
      await dialog.getByLabel("Name").fill(`Named ${project.name}`);
      await dialog.getByRole("button", { name: "Rename" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Named ${project.name}`);
      await page.getByLabel(`Category of Named ${project.name}`, { exact: true }).selectOption("Service");
      if (javaScriptEnabled === false) await page.getByRole("button", { name: /^Save the category/ }).click();
      await expect(page.getByText(`"Named ${project.name}" moved to Service`)).toBeVisible();
    },
  );

  test("deletes a document and restores it", async ({ page, open, server }, { project }) => {
    const name = `undo-${project.name}.md`;
    const id = await upload(server, name, `# Undo\n\n${project.name} undo`);
    await open(`/rag/${id}`);
    await openMenu(page, "Delete");
    const confirm = page.getByRole("alertdialog", { name: `Delete "${name}"?` });
    await expectAccessible(page);
    await confirm.getByRole("button", { name: "Delete Document" }).click();
    await expect(page.getByText(`"${name}" deleted`)).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText(`"${name}" restored`)).toBeVisible();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);

    await server.ask(`/api/rag/documents/${id}`, { as: "member", method: "DELETE" });
    const answer = await page.goto(`/rag/${id}`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`"${name}" was deleted`);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Restore" }).click();
    await expect(page.getByText(`"${name}" restored`)).toBeVisible();
  });

  test(
    "adds versions to a file and a text, and restores the old ones",
    { tag: "@no-javascript" },
    async ({ page, open, server }, { project }) => {
      const id = await upload(server, `version-${project.name}.md`, `# First\n\n${project.name} version`);
      await open(`/rag/${id}`);
      await openMenu(page, "New Version");
      const dialog = page.getByRole("dialog", { name: "New Version" });
      await dialog.getByRole("button", { name: "Upload" }).click();
      await expect(dialog.getByText("Please choose a file")).toBeVisible();
      const content = Buffer.from(`# Second\n\n${project.name} version`);
      await dialog
        .getByLabel("File")
        .setInputFiles({ name: "second.md", mimeType: "text/markdown", buffer: content });
      await dialog.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByText(/The new version of .* is being processed/)).toBeVisible();
      await settled(server, id);
      await open(`/rag/${id}?tab=versions`);
      await expect(page.getByRole("cell", { name: "Replaced" })).toBeVisible();
      await page.getByRole("link", { name: "Text of version 1" }).click();
      await expect(page.getByText("This is version 1. The current version is 2.")).toBeVisible();
      await expect(page.getByRole("heading", { name: "First" })).toBeVisible();
      await open(`/rag/${id}?tab=versions`);
      await page.getByRole("button", { name: "Restore version 1" }).click();
      await expect(page.getByRole("button", { name: "Restore version 1" })).toHaveCount(0);
      await settled(server, id);
      await open(`/rag/${id}`);
      await expect(page.getByRole("heading", { name: "First" })).toBeVisible();

      const json = { text: `Before ${project.name}`, title: `Text ${project.name}` };
      const made = (await (await server.ask("/api/rag/ingest", { as: "member", json })).json()) as {
        id: string;
      };
      await open(`/rag/${made.id}?dialog=version`);
      await expect(dialog.getByRole("textbox", { name: "Text" })).toHaveValue(json.text);
      await dialog.getByRole("textbox", { name: "Text" }).fill(`After ${project.name}`);
      await dialog.getByRole("button", { name: "Save New Version" }).click();
      await expect(page.getByText(/The new version of .* is being processed/)).toBeVisible();
      await settled(server, made.id);
      await open(`/rag/${made.id}`);
      await expect(page.getByText(`After ${project.name}`)).toBeVisible();
    },
  );

  test("sees why a document failed and retries it; sets a URL's refresh schedule", async ({
    page,
    open,
    server,
    hubs,
  }, { project }) => {
    const url = new URL(`/missing/${project.name}`, hubs.page).href;
    await server.ask("/api/rag/ingest", { as: "member", json: { url } });
    const found = await server.ask(
      `/api/rag/documents?search=${encodeURIComponent(project.name)}&status=failed`,
      {
        as: "member",
      },
    );
    const list = (await found.json()) as { id: string; metadata: { source: string } }[];
    const id = list.find(({ metadata }) => metadata.source === url)?.id ?? "";
    await upload(server, `retry-${project.name}.md`, "Nothing failed.", "Uncategorized");
    await open(`/rag?find=${encodeURIComponent(project.name)}&group=Uncategorized`);
    await page.getByRole("checkbox", { name: `Select retry-${project.name}.md` }).check({ force: true });
    const bar = page.getByRole("form", { name: "Selected documents" });
    await expect(bar.getByRole("button", { name: "Delete" })).toBeVisible();
    await expect(bar.getByRole("button", { name: "Retry" })).toBeHidden();
    await page
      .getByRole("checkbox", { name: `Select 127.0.0.1/missing/${project.name}`, exact: true })
      .check({ force: true });
    await expect(bar.getByRole("button", { name: "Retry" })).toBeVisible();
    await open(`/rag/${id}`);
    await expect(page.getByText("This document couldn't be processed")).toBeVisible();
    await expect(page.getByText(/HTTP 404/).first()).toBeVisible();
    await expectAccessible(page);
    const link = page.getByRole("link", { name: url });
    await expect(link.first()).toHaveAttribute("rel", "noopener noreferrer nofollow");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByText(/is being processed again/)).toBeVisible();
    await settled(server, id);
    await open(`/rag/${id}`);
    await openMenu(page, "Refresh Schedule");
    const dialog = page.getByRole("dialog", { name: "Refresh Schedule" });
    await dialog.getByLabel("Frequency").selectOption({ label: "Every day" });
    await dialog.getByRole("button", { name: "Save Changes" }).click();
    await expect(page.getByText("Schedule saved")).toBeVisible();
    await expect(page.getByText("Every day")).toBeVisible();
    await expect(page.getByText("Next refresh", { exact: true })).toBeVisible();
  });

  test("manages categories", async ({ page, open, server }, { project }) => {
    const name = `Recipes ${project.name}`;
    const renamed = `Food ${project.name}`;
    await open("/rag/categories");
    await page.getByRole("link", { name: "New Category" }).click();
    const add = page.getByRole("dialog", { name: "New Category" });
    await add.getByLabel("Name").fill("FINANCE");
    await add.getByRole("button", { name: "Create Category" }).click();
    await expect(add.getByRole("alert")).toHaveText('A category named "Finance" already exists');
    await add.getByLabel("Name").fill(name);
    await add.getByRole("button", { name: "Create Category" }).click();
    await expect(page.getByText(`Category "${name}" created`)).toBeVisible();
    await upload(server, `recipe-${project.name}.md`, `# Soup\n\n${project.name} soup`, name);
    await page.getByRole("link", { name: `Rename ${name}` }).click();
    const rename = page.getByRole("dialog", { name: "Rename Category" });
    await rename.getByLabel("Name").fill(renamed);
    await rename.getByRole("button", { name: "Rename" }).click();
    await expect(page.getByText(`Category renamed to "${renamed}"`)).toBeVisible();
    await page.getByRole("link", { name: `Delete ${renamed}` }).click();
    const confirm = page.getByRole("alertdialog", { name: `Delete the category "${renamed}"?` });
    await expect(confirm).toContainText("Its 1 document and any that you can't see move to Uncategorized.");
    await confirm.getByRole("button", { name: "Delete Category" }).click();
    await expect(page.getByText(`Category "${renamed}" deleted`)).toBeVisible();
    await expect(page.getByRole("row", { name: renamed })).toHaveCount(0);
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("can read and download documents but not change them", async ({ page, open, server }, { project }) => {
    const name = `seen-${project.name}.md`;
    const id = await upload(server, name, `# Seen\n\n${project.name} seen`);
    await open(`/rag/${id}?dialog=delete`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    await expect(page.getByLabel("More actions")).toHaveCount(0);
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
    await expect(page.getByLabel(/^Category of/)).toHaveCount(0);
    const coming = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download", exact: true }).click();
    expect((await coming).suggestedFilename()).toBe(name);
    await open("/rag/categories");
    await expect(page.getByRole("link", { name: "New Category" })).toHaveCount(0);
    await expect(page.getByText("Only members, admins and owners can ingest documents.")).toBeVisible();
  });
});
