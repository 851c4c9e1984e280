import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { authorise } from "~/platform/rights/authorization.server";
import { branding } from "~/platform/settings/groups/branding.schema";
import {
  orgTimeZone,
  readGroupState,
  readSetting,
  updateSettings,
} from "~/platform/settings/settings.service.server";
import { findOrganisation } from "./organization.repo.server";
import type { Organisation, OrganisationInput } from "./organization.schema";

export function teamTitle({ orgId }: Pick<Actor, "orgId">): string {
  const chosen = readSetting(orgId, "organisation.teamTitle");
  if (chosen !== null) return chosen;
  const name = findOrganisation(db(), orgId)?.name ?? "";
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
