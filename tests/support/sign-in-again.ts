import { expect, type Page } from "@playwright/test";
import type { Role } from "~/core/actor";
import { people } from "./people";

/** On the sign-in page of a session that ended. */
export async function signInAgain(page: Page, role: Role): Promise<void> {
  await expect(page).toHaveURL(/\/login/);
  await page.getByLabel("Email").fill(people[role].email);
  await page.getByLabel(/^Password/).fill(people[role].password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page).not.toHaveURL(/\/login/);
  await page.locator("html[data-scripted]").waitFor({ state: "attached" });
}
