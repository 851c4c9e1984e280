import { installationOrgId } from "./installation.service.server";
import { readSetting } from "./read-settings.service.server";

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
