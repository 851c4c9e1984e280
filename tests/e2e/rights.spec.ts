import { startAimock } from "../support/aimock";
import { expect, expectAccessible, test } from "../support/fixtures";
import type { TestServer } from "../support/server";

// A provider and the documents are the organisation's: these tests have a server of their own.
test.describe.configure({ mode: "serial" });
test.use({ serverOf: "rights" });

const MODEL = "text-embedding-3-small";

async function addRestricted(server: TestServer): Promise<void> {
  const made = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { title: "Plan", text: "The layoffs are announced in May.", visibility: "named", readers: [] },
  });
  expect(made.ok, await made.clone().text()).toBe(true);
  const { id } = (await made.json()) as { id: string };
  const status = async () =>
    ((await (await server.ask(`/api/rag/documents/${id}`, { as: "member" })).json()) as { status: string })
      .status;
  await expect.poll(status, { timeout: 20_000 }).toBe("ready");
}

test.describe("a member", () => {
  test.use({ role: "member" });

  test("allows tools to share a restricted conversation's content, and withdraws that", async ({
    page,
    open,
    server,
  }) => {
    await addRestricted(server);
    const begun = await server.ask("/api/ai/chat", {
      as: "member",
      json: {
        messages: [{ role: "user", content: "When are the layoffs announced?" }],
        model: "quarterdeck-offline",
        tools: ["qdrant.search", "kv.set"],
      },
    });
    await begun.text();
    await open(`/chat/${begun.headers.get("x-conversation-id")}`);
    await page.getByRole("textbox", { name: "Message" }).fill("kv.set key=plan value=first");
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByText("Not run: this conversation contains passages").first()).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Allow for This Conversation" }).click();
    await expect(page.getByText("Now allowed. Regenerate the answer, or ask again.")).toBeVisible();
    await page.getByRole("button", { name: "Regenerate" }).last().click();
    await expect(page.getByText("Not run: this conversation contains passages")).toHaveCount(0);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(page.getByRole("region", { name: "Code in json" }).last()).toContainText('"stored": true');
    await page.getByRole("button", { name: "Withdraw" }).click();
    await expect(page.getByRole("button", { name: "Withdraw" })).toHaveCount(0);
    await page.getByRole("textbox", { name: "Message" }).fill("kv.set key=plan value=again");
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByRole("button", { name: "Allow for This Conversation" })).toBeVisible();
  });
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("sees where documents would be sent, postpones, returns to the offer and agrees", async ({
    page,
    open,
    server,
  }) => {
    const mock = await startAimock({ embeds: true });
    const embedded = () => mock.getRequests().filter(({ path }) => path?.endsWith("/embeddings"));
    await addRestricted(server);
    const made = await server.ask("/api/providers", {
      as: "owner",
      json: {
        provider: "custom",
        displayName: "Lab",
        config: { baseUrl: `${mock.url}/v1`, models: [MODEL] },
      },
    });
    expect(made.status, await made.clone().text()).toBe(201);
    const { id } = (await made.json()) as { id: string };
    try {
      await open("/rag?panel=settings");
      const offer = page.getByRole("region", { name: "Better embedding model available" });
      await expect(offer.getByText(MODEL)).toBeVisible();
      await expect(offer.getByText(`${new URL(mock.url).host}, on this machine`)).toBeVisible();
      await expect(offer.getByText("Unknown price")).toBeVisible();
      await expectAccessible(page);
      await offer.getByRole("button", { name: "Not Now" }).click();
      await expect(offer.getByRole("button", { name: "Not Now" })).toHaveCount(0);
      expect(embedded()).toEqual([]);
      await offer.getByRole("button", { name: "Compare first" }).click();
      await expect(offer).toHaveCount(0);
      const ready = async () => {
        await page.reload();
        return page.getByText("A new index is ready").count();
      };
      await expect.poll(ready, { timeout: 60_000 }).toBe(1);
      expect(JSON.stringify(embedded())).toContain("layoffs");
      await expect(page.getByRole("link", { name: "Compare", exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Cancel the new index" }).click();
      await expect(page.getByText("New index canceled", { exact: true }).first()).toBeVisible();
    } finally {
      await server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });
      await mock.stop();
    }
  });
});
