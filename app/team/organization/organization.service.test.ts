import { afterEach, beforeEach, expect, it } from "vitest";
import { rawDatabase } from "~/core/db.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { orgTimeZone, readGroupState, updateSettings } from "~/platform/settings/settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { OrganisationForm } from "./organization.schema";
import {
  listTimeZones,
  readOrganisation,
  teamTitle,
  updateOrganisation,
} from "./organization.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const serverZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

it("defaults to the organization's name and the server's time zone", () => {
  expect(readOrganisation(test.actors.viewer)).toEqual({
    teamTitle: "Test",
    timeZone: serverZone,
    version: 0,
  });
});

it("has the app's name if it was set up under the product's", () => {
  const { admin } = test.actors;
  rawDatabase().prepare("UPDATE organisations SET name = 'Quarterdeck'").run();
  expect(teamTitle(admin)).toBe("Quarterdeck");
  updateSettings(admin, "branding", { appName: "Night Watch" });
  expect(teamTitle(admin)).toBe("Night Watch");
});

it("sets a title and a time zone, and resets them for null", () => {
  const { admin } = test.actors;
  updateOrganisation(admin, { teamTitle: "Bridge", timeZone: "Pacific/Auckland", version: 0 });
  expect([teamTitle(admin), orgTimeZone(admin.orgId)]).toEqual(["Bridge", "Pacific/Auckland"]);
  expect(listAudit(admin, { limit: 1 }).entries[0]).toMatchObject({
    action: "settings.updated",
    resource: "settings:organisation",
    after: { teamTitle: "Bridge", timeZone: "Pacific/Auckland" },
  });
  expect(() => updateOrganisation(admin, { teamTitle: "Other", version: 0 })).toThrow(/changed since/);
  expect(updateOrganisation(admin, { teamTitle: null, timeZone: null })).toMatchObject({
    teamTitle: "Test",
    timeZone: serverZone,
  });
});

it("requires an admin and a known time zone", () => {
  for (const role of ["viewer", "member"] as const)
    expect(() => updateOrganisation(test.actors[role], { teamTitle: "Mine" })).toThrow(/admins and owners/);
  for (const timeZone of ["Nowhere", "", "Europe/Berlin; DROP"])
    expect(() => updateOrganisation(test.actors.admin, { timeZone })).toThrow(/time zone such as/);
  expect(listTimeZones()).toContain("Europe/Berlin");
});

it("doesn't store unchanged defaults of a form", () => {
  const { admin } = test.actors;
  const sent = OrganisationForm.parse({ teamTitle: "Bridge", timeZone: serverZone, version: "0" });
  updateOrganisation(admin, sent);
  expect(readGroupState(admin.orgId, "organisation").stored).toEqual({ teamTitle: "Bridge" });
  expect(updateOrganisation(admin, OrganisationForm.parse({ version: "1" })).teamTitle).toBe("Test");
});
