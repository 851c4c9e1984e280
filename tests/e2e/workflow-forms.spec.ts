import { expect, expectAccessible, expectToFit, test } from "../support/fixtures";
import { addScreenData } from "../support/screen-data";
import { BERTH_FORM } from "../support/screens";

test.use({ serverOf: "workflow forms" });

test.beforeEach(({ server }) => addScreenData(server));

test("somebody without an account fills in a form on a phone", {
  tag: "@no-javascript",
}, async ({ page, open, server }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(`/form/${BERTH_FORM}`);
  await expect(page).toHaveTitle(/^Book a berth/);
  await page.getByLabel("Name of the ship").fill("Tern");
  await page.getByRole("button", { name: "Request" }).click();
  await expect(page.getByText("Tick this box")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Your email address" })).toHaveAccessibleDescription(
    "Fill this in",
  );
  await expectAccessible(page);
  await expectToFit(page);
  await expect(page.getByLabel("Name of the ship")).toHaveValue("Tern");
  await page.getByLabel("Your email address").fill("grace@example.com");
  await page.getByLabel("I have read the harbor's rules").check();
  await page.getByRole("button", { name: "Request" }).click();
  await expect(page.getByText("The harbor office will write to you.")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/form/${BERTH_FORM}\\?sent=1$`));
  await expectAccessible(page);
  // Neither sends anything again, nor asks whether it should.
  await page.reload();
  await expect(page.getByText("The harbor office will write to you.")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("button", { name: "Request" })).toBeVisible();
  await page.goForward();
  await page.getByRole("link", { name: "Send Another Answer" }).click();
  await expect(page.getByLabel("Name of the ship")).toHaveValue("");
  const [run, ...others] = (await (await server.ask("/api/runs", { as: "owner" })).json()) as {
    id: string;
  }[];
  const details = await server.ask(`/api/runs/${run?.id}`, { as: "owner" });
  expect(await details.json()).toMatchObject({
    trigger: { type: "form" },
    payload: { ship: "Tern", email: "grace@example.com", rules: true },
  });
  expect(others.map(({ id }) => id)).toEqual(["run_berths"]);
});

test.describe("a member", () => {
  test.use({ role: "member" });

  test("runs a workflow again from a step with another input", {
    tag: "@no-javascript",
  }, async ({ page, open }) => {
    await open("/workflows/runs/run_berths");
    await page.locator("summary").filter({ hasText: "Code" }).click();
    await page.getByRole("link", { name: "Run from Code" }).click();
    const input = page.getByRole("textbox", { name: "Input (JSON)" });
    await input.fill('{ "code": "" }');
    await page.getByRole("button", { name: "Start Run" }).click();
    await expect(input).toHaveAccessibleDescription(/Enter the code/);
    await expectAccessible(page);
    await input.fill('{ "code": "return input.length * 2;", "input": "Albatross" }');
    await page.getByRole("button", { name: "Start Run" }).click();
    await expect(page.getByText("with an edited input")).toBeVisible();
    await expect(page.getByRole("link", { name: "an earlier run" })).toBeVisible();
  });
});
