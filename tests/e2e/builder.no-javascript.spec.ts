import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const part = (page: Page, name: string) => page.getByRole("group", { name });

async function add(page: Page, kind: "trigger" | "step", label: string) {
  await page.getByLabel(`New ${kind}`).selectOption({ label });
  await page.getByRole("button", { name: kind === "step" ? "Add Step" : "Add Trigger" }).click();
}

test("a workflow is built as a list of forms", async ({ page, open, server }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Mail by form");
  await add(page, "trigger", "Schedule Trigger");
  await expect(page.getByLabel("Cron expression")).toHaveValue("0 9 * * *");
  for (const label of ["If Condition", "Send Email"]) await add(page, "step", label);
  const condition = part(page, "1. If Condition");
  await condition.getByLabel("Field 1").fill("steps.nothing.count");
  await condition.getByLabel("Operator 1").selectOption("is more than");
  await condition.getByLabel("Value 1").fill("0");
  const mail = part(page, "2. Send Email");
  await mail.getByLabel("To", { exact: true }).fill("team@example.com");
  await mail.getByLabel("Subject").fill("Your digest");
  await page.getByRole("button", { name: "Save Workflow" }).click();

  await expect(condition.getByLabel("Field 1")).toHaveAccessibleDescription(/Step "nothing" doesn't exist/);
  await expect(mail.getByLabel("Body")).toHaveAccessibleDescription("Enter a message");
  await expect(mail.getByLabel("Subject")).toHaveValue("Your digest");
  await expectAccessible(page);
  await condition.getByLabel("Field 1").fill("trigger.count");
  await mail.getByLabel("Body").fill("There is something new.");
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow created successfully")).toBeVisible();

  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    name: string;
    steps: { type: string; config: Record<string, unknown> }[];
  }[];
  const made = listed.find(({ name }) => name === "Mail by form");
  expect(made?.steps).toMatchObject([
    { type: "condition", config: { condition: "trigger.count > 0" } },
    { type: "send_email", config: { subject: "Your digest", body: "There is something new." } },
  ]);
});

test("a schedule is picked and a tool's form filled without script", async ({ page, open, server }) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Picked by form");
  await add(page, "trigger", "Schedule Trigger");
  const schedule = part(page, "1. Schedule Trigger");
  await schedule.getByLabel("Repeat").selectOption("weekdays");
  await schedule.getByLabel("Time", { exact: true }).fill("07:30");
  await schedule.getByLabel("Time zone").fill("Europe/Berlin");
  await add(page, "step", "Run Tool");
  await expect(schedule).toContainText("Weekdays at 07:30, Europe/Berlin; next: ");
  const tool = part(page, "1. Run Tool");
  await tool.getByLabel("Tool", { exact: true }).selectOption("http.request");
  await add(page, "step", "Log Output");
  await tool.getByLabel("URL").fill("{{ trigger.url }}");
  await tool.getByLabel("Headers").fill('{"accept": "text/plain"}');
  await part(page, "2. Log Output").getByLabel("Message").fill("Done");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow created successfully")).toBeVisible();
  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    name: string;
    enabled: boolean;
  }[];
  expect(listed.find(({ name }) => name === "Picked by form")).toMatchObject({
    enabled: false,
    triggers: [{ config: { cron: "30 7 * * 1-5", timeZone: "Europe/Berlin" } }],
    steps: [
      {
        config: {
          tool: "http.request",
          input: { url: "{{ trigger.url }}", headers: { accept: "text/plain" } },
        },
      },
      {},
    ],
  });
});
