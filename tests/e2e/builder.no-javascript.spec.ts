import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const part = (page: Page, name: string) => page.getByRole("group", { name });

async function add(page: Page, kind: "trigger" | "step", label: string) {
  await page.getByLabel(`New ${kind}`).selectOption({ label });
  await page.getByRole("button", { name: kind === "step" ? "Add Step" : "Add Trigger" }).click();
}

test("a daily digest is built as a list of forms", async ({ page, open, server }) => {
  await open("/workflows/builder");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Workflow name is required" })).toHaveCount(2);
  await page.getByLabel("Workflow name").fill("Digest by form");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Add at least one node to the workflow")).toBeVisible();

  await add(page, "trigger", "Schedule Trigger");
  await expect(page.getByLabel("Cron expression")).toHaveValue("0 9 * * *");
  for (const label of ["Search Documents", "AI Chat", "If Condition", "Log Output", "Send Email"])
    await add(page, "step", label);
  await part(page, "1. Search Documents").getByLabel("Query").fill("decisions");
  await part(page, "2. AI Chat")
    .getByLabel("Prompt", { exact: true })
    .fill("Sum up: {{ steps.search_documents_1.text }}");
  const condition = part(page, "3. If Condition");
  await condition.getByLabel("Field 1").fill("steps.nothing.count");
  await condition.getByLabel("Operator 1").selectOption("is more than");
  await condition.getByLabel("Value 1").fill("0");
  await part(page, "4. Log Output").getByLabel("Message").fill("Done");
  // A step that is moved keeps what was typed.
  await part(page, "4. Log Output").getByRole("button", { name: "Move down Log Output" }).click();
  await expect(part(page, "5. Log Output").getByLabel("Message")).toHaveValue("Done");
  const mail = part(page, "4. Send Email");
  await mail.getByLabel("To", { exact: true }).fill("team@example.com");
  await mail.getByLabel("Subject").fill("Your digest");
  await page.getByRole("button", { name: "Save Workflow" }).click();

  await expect(condition.getByLabel("Field 1")).toHaveAccessibleDescription(/Step "nothing" doesn't exist/);
  await expect(mail.getByLabel("Body")).toHaveAccessibleDescription("Enter a message");
  await expectAccessible(page);
  await condition.getByLabel("Field 1").fill("steps.search_documents_1.count");
  await condition.getByRole("button", { name: "Add Row" }).click();
  await condition.getByLabel("Field 2").fill("steps.ai_completion_1.text");
  await condition.getByLabel("Operator 2").selectOption("is not empty");
  await condition.getByRole("button", { name: "Edit as Text" }).click();
  await expect(condition.getByLabel("Condition", { exact: true })).toHaveValue(
    "steps.search_documents_1.count > 0 && size(steps.ai_completion_1.text) > 0",
  );
  await condition.getByRole("button", { name: "Edit as Rows" }).click();
  await expect(condition.getByLabel("Operator 2")).toHaveValue("filled");
  await condition.getByLabel("If false").selectOption({ label: "Log Output (log_1)" });
  await mail.getByLabel("Body").fill("{{ steps.ai_completion_1.text }}");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow created successfully")).toBeVisible();

  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    id: string;
    name: string;
    steps: { type: string; config: Record<string, unknown> }[];
  }[];
  const made = listed.find(({ name }) => name === "Digest by form");
  expect(made?.steps.map(({ type }) => type)).toEqual([
    "search_documents",
    "ai_completion",
    "condition",
    "send_email",
    "log",
  ]);
  expect(made?.steps[1]?.config).toMatchObject({ temperature: 0.7, model: expect.stringMatching(/./) });
  expect(made?.steps[2]?.config.falseAction).toBe("log_1");

  await open(`/workflows/builder?id=${made?.id}`);
  await part(page, "5. Log Output").getByRole("button", { name: "Remove Log Output" }).click();
  await expect(part(page, "3. If Condition").getByLabel("If false")).toHaveValue("continue");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow saved")).toBeVisible();
});
