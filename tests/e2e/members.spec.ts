import { expect, expectAccessible, test } from "../support/fixtures";

// People are suspended and removed here.
test.use({ serverOf: "members", role: "owner" });

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
  await expect(page.locator("header").getByText(`${name} title`)).toBeVisible();

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
