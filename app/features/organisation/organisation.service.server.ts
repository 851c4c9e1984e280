import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { branding } from "~/features/settings/groups/branding.schema";
import { installationOrgId } from "~/features/settings/installation.service.server";
import { readGroupState, readSetting } from "~/features/settings/read-settings.service.server";
import { updateSettings } from "~/features/settings/update-settings.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { readOrganisationName } from "./organisation.repo.server";
import type { Organisation, OrganisationInput } from "./organisation.schema";

// Takes 50 µs, and every usage record needs it.
const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Defaults to the server's zone. */
export function orgTimeZone(orgId: string): string {
  return readSetting(orgId, "organisation.timeZone") ?? SERVER_ZONE;
}

/** For work without an organization. */
export function installationTimeZone(): string {
  const orgId = installationOrgId();
  return orgId === undefined ? SERVER_ZONE : orgTimeZone(orgId);
}

export function teamTitle({ orgId }: Pick<Actor, "orgId">): string {
  const chosen = readSetting(orgId, "organisation.teamTitle");
  if (chosen !== null) return chosen;
  const name = readOrganisationName(db(), orgId) ?? "";
  // New installations have the product's name.
  return name === branding.fields.appName.fallback ? readSetting(orgId, "branding.appName") : name;
}

export function readOrganisation(actor: Actor): Organisation {
  authorise(actor, "screens.read");
  const { orgId } = actor;
  return {
    teamTitle: teamTitle(actor),
    timeZone: orgTimeZone(orgId),
    version: readGroupState(orgId, "organisation").version,
  };
}

/** Doesn't store unchanged defaults: the server's time zone may change. */
export function updateOrganisation(actor: Actor, input: OrganisationInput): Organisation {
  const { teamTitle: title, timeZone, version } = input;
  const present = readOrganisation(actor);
  const patch = {
    ...(title === undefined || title === present.teamTitle ? {} : { teamTitle: title }),
    ...(timeZone === undefined || timeZone === present.timeZone ? {} : { timeZone }),
  };
  updateSettings(actor, "organisation", patch, version);
  return readOrganisation(actor);
}

/** IANA names of time zones, for a person to choose from. */
export const listTimeZones = (): string[] => Intl.supportedValuesOf("timeZone");
