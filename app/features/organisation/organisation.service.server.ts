import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { branding } from "~/features/settings/groups/branding.schema";
import { installationOrgId } from "~/features/settings/installation.service.server";
import { readGroupState, readSetting } from "~/features/settings/read-settings.service.server";
import { updateSettings } from "~/features/settings/update-settings.service.server";
import { readOrganisationName } from "./organisation.repo.server";
import type { Organisation, OrganisationInput } from "./organisation.schema";

// Asking for it takes 50 microseconds, and every usage record needs it.
const SERVER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** IANA name of the zone by which an organization's days begin: as chosen, at first the server's. */
export function orgTimeZone(orgId: string): string {
  return readSetting(orgId, "organisation.timeZone") ?? SERVER_ZONE;
}

/** The time zone of work that belongs to no organisation: the installation's one organisation decides. */
export function installationTimeZone(): string {
  const orgId = installationOrgId();
  return orgId === undefined ? SERVER_ZONE : orgTimeZone(orgId);
}

/** What is at the top of the signed-in screens. */
export function teamTitle({ orgId }: Pick<Actor, "orgId">): string {
  const chosen = readSetting(orgId, "organisation.teamTitle");
  if (chosen !== null) return chosen;
  const name = readOrganisationName(db(), orgId) ?? "";
  // An installation is set up under the product's name.
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

/**
 * Changes what the input names (`updateSettings`). What is in effect already isn't written down as a choice: the server's
 * time zone may change.
 */
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
