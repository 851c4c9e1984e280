import { expect, expectAccessible, test } from "../support/fixtures";

// People are suspended and removed here.
test.use({ serverOf: "members", role: "owner" });

test("an address breaks between its parts on a phone", async ({ page, open, server }) => {
  const email = "new.colleague.of.operations@a-rather-long-department.example.org";
  await server.ask("/api/members", { as: "owner", json: { email, role: "viewer" } });
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/settings/members");
  const name = page.getByTitle(email);
  const lines = await name.evaluate((element) => {
    const found: { top: number; text: string }[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? "";
      for (let at = 0; at < text.length; at++) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { top } = range.getBoundingClientRect();
        const last = found.at(-1);
        if (last && Math.abs(last.top - top) < 2) last.text += text[at];
        else found.push({ top, text: text[at] ?? "" });
      }
    }
    return found.map(({ text }) => text);
  });
  expect(lines.join("")).toBe(email);
  expect(lines.length).toBeGreaterThan(1);
  // Each line ends with a mark or before the @.
  for (const [at, line] of lines.slice(0, -1).entries())
    expect(/[.@_+-]$/.test(line) || lines[at + 1]?.startsWith("@"), line).toBe(true);
});

test("a narrow phone shows when a member was last seen", async ({ page, open }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open("/settings/members");
  const row = page.getByRole("listitem").filter({ hasText: "owner@example.org" });
  const meta = row.locator("p", { hasText: "just now" });
  const cut = await meta.evaluate((line) => [
    line.scrollWidth - line.clientWidth,
    line.scrollHeight - line.clientHeight,
  ]);
  expect(Math.max(...cut)).toBeLessThan(2);
});

test("the team is renamed, a group created and edited, and a member suspended, resumed and removed", async ({
  page,
  open,
  server,
}) => {
  const name = "Crew";
  await open("/settings/members");
  const title = page.getByLabel("Team title");
  await title.fill(`${name} title`);
  await page.getByLabel("Time zone").fill("Nowhere");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Choose a time zone such as Europe/Berlin")).toBeVisible();
  await expect(title).toHaveValue(`${name} title`);
  await page.getByLabel("Time zone").fill("Europe/Berlin");
  await page.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("Organization saved")).toBeVisible();
  await expect(page.locator("header").getByText(`${name} title`).filter({ visible: true })).toBeVisible();

  await page.getByRole("link", { name: "Add Group" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add Group" }).click();
  await expect(dialog.getByText("Enter a group name")).toBeVisible();
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Viewer Tester").check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Add Group" }).click();
  await expect(page.getByText("1 member: Viewer Tester")).toBeVisible();
  // Without script the toast stays until the next page, over the page's end.
  await open("/settings/members");
  await page.getByRole("link", { name: `Edit ${name}` }).click();
  await expect(dialog.getByLabel("Viewer Tester")).toBeChecked();
  await dialog.getByLabel("Viewer Tester").uncheck();
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expect(page.getByText("No members")).toBeVisible();
  await open("/settings/members");
  await page.getByRole("link", { name: `Delete ${name}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No groups yet")).toBeVisible();

  await page.getByRole("link", { name: "Suspend Viewer Tester" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Suspend" }).click();
  await expect(page.getByText("Suspended", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Resume Viewer Tester" }).click();
  await expect(page.getByText("Suspended", { exact: true })).toHaveCount(0);

  const json = { text: "Cabbage.", title: name };
  expect((await server.ask("/api/rag/ingest", { as: "member", json })).status).toBeLessThan(300);
  const person = "Member Tester";
  await page.getByLabel(`More actions for ${person}`).click();
  await page.getByRole("link", { name: `Remove ${person}` }).click();
  const asked = page.getByRole("alertdialog");
  await expectAccessible(page);
  await asked.getByLabel("Documents visible to everyone (1)").selectOption("Transfer to Owner Tester");
  await asked.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Member removed")).toBeVisible();
  await expect(page.getByText(person)).toHaveCount(0);
});

test.describe("an admin", () => {
  test.use({ role: "admin" });

  test("leaves the organization after a confirmation, and is signed out", async ({ page, open }) => {
    await open("/settings/profile");
    await page.getByRole("link", { name: "Leave Organization" }).click();
    const asked = page.getByRole("alertdialog");
    await expect(asked).toContainText("Only an admin can invite you again");
    await asked.getByRole("button", { name: "Leave" }).click();
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByText("You left the organization")).toBeVisible();
    await open("/chat");
    await expect(page).toHaveURL(/\/login/);
  });
});

test.describe("many members", () => {
  test.use({ serverOf: "many members" });
});
