import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "../support/fixtures";

test.use({ role: "member" });

const node = (page: Page, title: string) => page.locator(".react-flow__node").filter({ hasText: title });
const palette = (page: Page, label: string) =>
  page.getByRole("region", { name: "Components" }).getByRole("button", { name: label, exact: true });

test("a workflow is built on the canvas, saved, opened again and edited as a list", async ({
  page,
  open,
  server,
}) => {
  await open("/workflows/builder");
  await page.getByLabel("Workflow name").fill("Drawn");
  await palette(page, "Manual Trigger").press("Enter");
  await expect(node(page, "Manual Trigger")).toBeVisible();
  await palette(page, "If Condition").dragTo(page.locator(".react-flow__pane"), {
    targetPosition: { x: 220, y: 240 },
  });
  const condition = page.getByRole("region", { name: "If Condition", exact: true });
  const text = condition.getByLabel("Condition", { exact: true });
  await text.pressSequentially("tri");
  await expect(page.getByRole("option", { name: /^trigger/ })).toBeVisible();
  await text.press("Enter");
  await text.pressSequentially(".urgent == true");
  await expect(text).toHaveValue("trigger.urgent == true");

  await page.getByLabel("Search components").fill("log");
  await palette(page, "Log Output").click();
  const log = page.getByRole("region", { name: "Log Output", exact: true });
  // The server judges what is there, once a field is left.
  await expect(log.getByLabel("Message", { exact: true })).toHaveAccessibleDescription("Enter a message");
  await expect(node(page, "Log Output")).toContainText("problems");
  await log.getByLabel("Message", { exact: true }).fill("Urgent");
  await log.getByLabel("Step name").fill("Note it");
  await expect(node(page, "Note it")).not.toContainText("problems");

  await node(page, "If Condition").click();
  await condition.getByLabel("Connect to").selectOption({ label: "Note it" });
  await condition.getByLabel("Branch").selectOption("false");
  await condition.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(0);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(condition.getByRole("button", { name: "Disconnect Note it" })).toHaveCount(2);
  await page.getByRole("button", { name: "Tidy" }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow created successfully")).toBeVisible();

  const listed = (await (await server.ask("/api/workflows", { as: "member" })).json()) as {
    id: string;
    name: string;
    connections: unknown[];
  }[];
  const made = listed.find(({ name }) => name === "Drawn");
  expect(made?.connections).toContainEqual({ from: "condition_1", to: "log_1", branch: "false" });

  await open(`/workflows/builder?id=${made?.id}`);
  await node(page, "Note it").click();
  await page.keyboard.press("Delete");
  await expect(node(page, "Note it")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(node(page, "Note it")).toBeVisible();
  await page.getByRole("button", { name: "List" }).click();
  const last = page.getByRole("group", { name: "2. Note it" });
  await last.getByLabel("Message", { exact: true }).fill("Changed in the list");
  await last.getByRole("button", { name: "Move up Note it" }).click();
  await expect(page.getByRole("group", { name: "1. Note it" })).toBeFocused();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Canvas" }).click();
  await expect(node(page, "Note it")).toBeVisible();
  await page.getByRole("button", { name: "Save Workflow" }).click();
  await expect(page.getByText("Workflow saved")).toBeVisible();
  const after = await (await server.ask(`/api/workflows/${made?.id}`, { as: "member" })).json();
  expect(after).toMatchObject({ steps: [{ config: { message: "Changed in the list" } }, {}], version: 2 });
});
