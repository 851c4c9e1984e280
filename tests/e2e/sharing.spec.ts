import { addConversation } from "../support/conversations";
import { expect, expectAccessible, test } from "../support/fixtures";
import { writeDatabase } from "../support/live-database";

test.use({ role: "owner", serverOf: "sharing" });

test("a conversation is shared by a revocable link and with members", {
  tag: "@no-javascript",
}, async ({ page, open, server, browser }) => {
  const json = { security: { allowShareLinks: true } };
  await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  const messages = [{ role: "user", content: "Please kv.set harbor closed" }];
  const begun = await server.ask("/api/ai/chat", {
    as: "owner",
    json: { model: "quarterdeck-offline", messages, tools: [] },
  });
  await begun.text();
  await open(`/chat/${begun.headers.get("x-conversation-id")}/share`);
  await page.getByText("Specific people", { exact: true }).click();
  const readers = page.getByRole("region", { name: "People and groups that can read it" });
  await readers.getByRole("checkbox", { name: "Viewer Tester" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/^Shared/).last()).toBeVisible();
  // Chosen readers come first.
  await expect(readers.getByRole("checkbox", { checked: true })).toHaveAccessibleName("Viewer Tester");
  await expect(readers.getByRole("checkbox").first()).toBeChecked();
  await page.getByText("Everyone", { exact: true }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/^Shared/).last()).toBeVisible();
  const own = page.url().replace(/\/share$/, "");
  const forReaders = own.replace("/chat/", "/chat/shared/");
  await expect(page.getByText(forReaders, { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Create Link" }).click();
  await expect(page.getByText("Copy this link now.")).toBeVisible();
  await expectAccessible(page);
  const address = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();

  const shared = await server.ask("/chat/shared", { as: "viewer", headers: { accept: "text/html" } });
  const list = (await shared.text()).replaceAll("<!-- -->", "");
  expect(list).toContain("Please kv.set harbor closed");
  expect(list).toMatch(/shared <time[^>]*>just now</);

  const opened = await server.ask(own, { as: "viewer", headers: { accept: "text/html" } });
  expect(opened.headers.get("location")).toBe(new URL(forReaders).pathname);
  expect(list).toContain("Shared with Me");

  const stranger = await browser.newContext({ javaScriptEnabled: false });
  const reader = await stranger.newPage();
  await reader.goto(new URL(new URL(address).pathname, server.baseUrl).href);
  await expect(reader.getByRole("main")).toContainText("Please kv.set harbor closed");
  await expect(reader.getByRole("main")).toContainText("Quarterdeck");
  await expect(reader.getByRole("textbox")).toHaveCount(0);
  await expect(page.locator(".row-control").first()).toHaveCSS("opacity", "1");
  await page.getByRole("button", { name: /Revoke/ }).click();
  await expect(page.getByText("Link revoked")).toBeVisible();
  const gone = await reader.reload();
  expect(gone?.status()).toBe(404);
  await expect(reader.getByText("This link doesn't work.")).toBeVisible();
  await stranger.close();
});

test(
  "a link hides restricted passages, and none opens if guessed, altered or of a deleted conversation",
  {
    tag: "@no-javascript",
  },
  async ({ page, open, server, browser, javaScriptEnabled }, { project }) => {
    const json = { security: { allowShareLinks: true } };
    await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
    const plan = {
      title: "Plan",
      text: `Layoffs in May (${project.name}).`,
      visibility: "named",
      readers: [],
    };
    const made = await server.ask("/api/rag/ingest", { as: "owner", json: plan });
    const { id: secret } = (await made.json()) as { id: string };
    const passage = {
      number: 1,
      title: "Plan",
      text: plan.text,
      headings: [],
      page: null,
      url: `/rag/${secret}?passage=1`,
      score: 1,
      scores: { keyword: 1, similarity: null, rerank: null },
    };
    const call = { toolCallId: "1", toolName: "qdrant.search", state: "done", input: { query: "plan" } };
    const search = { type: "tool", ...call, output: { passages: [passage] } };
    const id = `con_plan_${project.name.replace("-", "_")}`;
    writeDatabase(server, () =>
      addConversation(
        id,
        [
          { role: "user", text: "Good morning" },
          { role: "assistant", text: "Good morning to you" },
          { role: "user", text: "What is planned?" },
          { role: "assistant", text: "There are layoffs [1].", parts: [search] },
        ],
        { userId: "usr_owner", title: "The plan", restrictedAt: 1 },
      ),
    );
    await open(`/chat/${id}/share`);
    await page.getByText("Everyone", { exact: true }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(/^Shared/).last()).toBeVisible();
    const inside = await server.ask(`/chat/shared/${id}`, { as: "viewer", headers: { accept: "text/html" } });
    const seen = await inside.text();
    expect(seen).toContain("Good morning to you");
    for (const text of ["layoffs", "Layoffs", secret]) expect(seen).not.toContain(text);
    await page.getByRole("button", { name: "Create Link" }).click();
    const address = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
    const path = new URL(address).pathname;

    const stranger = await browser.newContext({ javaScriptEnabled: javaScriptEnabled !== false });
    const reader = await stranger.newPage();
    const visit = async (to: string) => (await reader.goto(new URL(to, server.baseUrl).href))?.status();
    expect(await visit(path)).toBe(200);
    const main = reader.getByRole("main");
    await expect(main).toContainText("Good morning to you");
    await expect(main).toContainText("Hidden because it may quote documents that you can't see.");
    for (const text of ["layoffs", "Layoffs", secret]) expect(await reader.content()).not.toContain(text);
    await expect(reader.getByRole("navigation")).toHaveCount(0);
    await expect(reader.getByRole("textbox")).toHaveCount(0);
    await expect(reader.getByRole("button", { name: "Regenerate" })).toHaveCount(0);
    await expectAccessible(reader, { shell: true });

    const altered = path.slice(0, -1) + (path.endsWith("a") ? "b" : "a");
    for (const wrong of [altered, "/shared/guess", `/shared/${id}`, "/shared/%00", `${path}x`]) {
      expect([wrong, await visit(wrong)]).toEqual([wrong, 404]);
      await expect(reader.getByText("This link doesn't work.")).toBeVisible();
    }
    expect(await visit(`/chat/shared/${id}`)).toBe(200);
    await expect(reader).toHaveURL(/\/login/);

    await open(`/chat/${id}`);
    await page.getByLabel("More actions for this conversation").click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect(page.getByText("1 conversation deleted")).toBeVisible();
    expect(await visit(path)).toBe(404);
    await expect(reader.getByText("This link doesn't work.")).toBeVisible();
    await stranger.close();
  },
);

test(
  "a prompt of the library is filled in and used in the chat",
  { tag: "@no-javascript" },
  async ({ page, open, server }, { project }) => {
    const name = `Handover ${project.name}`;
    await server.ask("/api/prompts", {
      as: "owner",
      json: { name, text: "Hand over {{shift}} to {{next=the day}}.", shared: true },
    });
    await open("/prompts");
    await page.getByRole("link", { name: `Use ${name} in chat` }).click();
    const dialog = page.getByRole("dialog", { name });
    await expect(dialog.getByLabel("next")).toHaveValue("the day");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByLabel("shift")).toHaveAccessibleDescription('Fill in "shift"');
    await dialog.getByLabel("shift").fill("the night");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByLabel("Text")).toHaveValue("Hand over the night to the day.");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Use in Chat" }).click();
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue(
      "Hand over the night to the day.",
    );
  },
);

test("typing a slash inserts a prompt with a variable", async ({ page, open }) => {
  await open("/prompts?dialog=new");
  const dialog = page.getByRole("dialog", { name: "New Prompt" });
  await dialog.getByLabel("Name").fill("Incident report");
  await dialog
    .getByRole("textbox", { name: "Prompt" })
    .fill("Write a report on {{incident}}, in {{length=three}} lines.");
  await dialog.getByRole("button", { name: "Create Prompt" }).click();
  await expect(page.getByRole("list", { name: "Prompts" })).toContainText("Incident report");
  await open("/chat");
  const message = page.getByRole("textbox", { name: "Message" });
  await message.pressSequentially("/inx");
  await expect(page.getByText("No prompts found.")).toBeVisible();
  await message.press("Backspace");
  await message.pressSequentially("c");
  await expect(page.getByRole("option", { name: /Incident report/ })).toBeVisible();
  await message.press("Enter");
  const incident = page.getByRole("textbox", { name: "incident" });
  await page.getByRole("button", { name: "Insert" }).click();
  await expect(incident).toHaveAccessibleDescription('Fill in "incident"');
  await expect(incident).toBeFocused();
  await incident.fill("the crane");
  await page.getByRole("textbox", { name: "length" }).fill("");
  await page.getByRole("button", { name: "Insert" }).click();
  await expect(message).toHaveValue("Write a report on the crane, in three lines.");
});
