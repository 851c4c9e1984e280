import { expect, expectAccessible, IS_FULL, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

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

test.describe("a member", () => {
  test.use({ role: "member" });

  test("can read the category's name on a narrow screen", async ({ page, open, server }, { project }) => {
    const id = await upload(server, `narrow-${project.name}.md`, `# Narrow\n\n${project.name}`);
    await page.setViewportSize({ width: 420, height: 800 });
    await open(`/rag/${id}`);
    const box = await page.getByLabel(/^Category of /).boundingBox();
    expect(box?.width ?? 0).toBeGreaterThan(120);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
  });

  test("lands on the passage that a citation points to", async ({ page, open, server }, { project }) => {
    const filler = Array.from({ length: 120 }, (_, n) => `Paragraph ${n} of ${project.name}.`).join("\n\n");
    const id = await upload(server, `cite-${project.name}.md`, `${filler}\n\n## Deep\n\nThe needle is here.`);
    const text = await (await server.ask(`/api/rag/documents/${id}/text`, { as: "member" })).json();
    const start = (text as { text: string }).text.indexOf("The needle");
    await open(`/rag/${id}?from=${start}&to=${start + 10}#passage`);
    const mark = page.locator("mark");
    await expect(mark).toHaveText("The needle");
    await expect(mark).toBeInViewport();
    await expect(mark).toBeFocused();
    await expect(page.getByText("Deep").first()).toBeVisible();
  });

  test("is offered to retry the selected documents only when one of them failed", async ({
    page,
    open,
    server,
    hubs,
  }, { project }) => {
    const url = new URL(`/missing/${project.name}`, hubs.page).href;
    await server.ask("/api/rag/ingest", { as: "member", json: { url } });
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
  });

  if (IS_FULL)
    test(
      "finds every state of a document accessible",
      { tag: "@no-javascript" },
      async ({ page, open, server, hubs }, { project }) => {
        test.slow();
        const note = "# Handbook\n\n- Tea\n\n| Thing | Price |\n| --- | --- |\n| Tea | 2 |";
        const id = await upload(server, `states-${project.name}.md`, `${note}\n\n${project.name}`);
        const json = { url: new URL(`/missing/states-${project.name}`, hubs.page).href };
        await server.ask("/api/rag/ingest", { as: "member", json });
        const search = `states-${project.name}&status=failed`;
        const found = await server.ask(`/api/rag/documents?search=${search}`, { as: "member" });
        const [failed] = (await found.json()) as { id: string }[];
        for (const state of [
          "",
          "?tab=search",
          "?tab=chunks",
          "?tab=versions",
          "?tab=details",
          "?from=2&to=9",
        ])
          await test.step(state, async () => {
            await open(`/rag/${id}${state}`);
            await expectAccessible(page);
          });
        await open(`/rag/${id}?dialog=delete`);
        await expect(page.getByRole("alertdialog")).toBeVisible();
        await expectAccessible(page);
        await open(`/rag/${failed?.id}`);
        await expect(page.getByText("This document couldn't be processed")).toBeVisible();
        await expectAccessible(page);
        await server.ask(`/api/rag/documents/${id}`, { as: "member", method: "DELETE" });
        await page.goto(`/rag/${id}`);
        await expect(page.getByRole("button", { name: "Restore" })).toBeVisible();
        await expectAccessible(page);
      },
    );

  if (IS_FULL)
    test(
      "finds the offer to share a restricted document's content accessible",
      {
        tag: "@no-javascript",
      },
      async ({ page, open, server }, { project }) => {
        const text = `The layoffs of ${project.name} are announced in May.`;
        const plan = { title: `Plan ${project.name}`, text, visibility: "named", readers: [] };
        const made = await server.ask("/api/rag/ingest", { as: "member", json: plan });
        await settled(server, ((await made.json()) as { id: string }).id);
        let conversationId: string | undefined;
        for (const content of [
          `When are the layoffs of ${project.name} announced?`,
          "kv.set key=plan value=1",
        ]) {
          const tools = ["qdrant.search", "kv.set"];
          const messages = [{ role: "user", content }];
          const json = { conversationId, model: "quarterdeck-offline", tools, messages };
          const answer = await server.ask("/api/ai/chat", { as: "member", json });
          await answer.text();
          conversationId = answer.headers.get("x-conversation-id") ?? conversationId;
        }
        await open(`/chat/${conversationId}`);
        const allow = page.getByRole("button", { name: "Allow for This Conversation" });
        await expect(allow).toBeVisible();
        await expectAccessible(page);
        await allow.click();
        await expect(page.getByText("Tools can share restricted content")).toBeVisible();
        await expectAccessible(page);
      },
    );
});
