import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const EXPORT = [
  {
    conversation_id: "harbor",
    title: "Harbor plan",
    mapping: {
      q: {
        parent: null,
        message: { author: { role: "user" }, content: { content_type: "text", parts: ["Which harbor?"] } },
      },
    },
    current_node: "q",
  },
];

test("a ChatGPT export is imported, and a file that is none is explained, in place", async ({
  page,
  open,
}) => {
  await open("/chat/import");
  const upload = async (name: string, content: string) => {
    const file = { name, mimeType: "application/json", buffer: Buffer.from(content) };
    await page.getByLabel("Export").setInputFiles(file);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    return page.getByRole("list", { name: "Imports" }).getByRole("listitem").filter({ hasText: name });
  };
  const imported = await upload("conversations.json", JSON.stringify(EXPORT));
  await expect(imported).toContainText("1 conversation, 1 message");
  const refused = await upload("other.json", '[{"name": "Ada"}]');
  await expect(refused).toContainText("Nothing imported");
  await expect(refused.getByText("Conversations of an unknown format: 1")).toBeVisible();
  await expectAccessible(page);
  await open("/chat/all");
  const list = page.getByRole("list", { name: "Conversations" });
  await expect(list.getByRole("link", { name: "Harbor plan", exact: true })).toBeVisible();
});
