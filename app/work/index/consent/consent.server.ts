import type { RouteTarget } from "~/ai/models/models.service.server";
import type { Actor } from "~/core/actor";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { findOrgRecord, saveOrgRecord } from "~/platform/settings/settings.service.server";
import { Consent, type Destination, type NamedDestination } from "./consent.schema";

const GROUP = "embedding-consent";
export const CONSENT_TOPIC = `settings:${GROUP}` as const;

function read(tx: Db, orgId: string): Consent {
  const parsed = Consent.safeParse(findOrgRecord(tx, orgId, GROUP));
  // Unreadable data is no consent.
  return parsed.success ? parsed.data : Consent.parse({});
}

export const readConsent = cachedByConfig([CONSENT_TOPIC], (orgId): Consent => read(db(), orgId));

export const includesDestination = (list: readonly Destination[], one: Destination): boolean =>
  list.some((other) => isSameDestination(other, one));

export const isAgreed = (orgId: string, destination: Destination): boolean =>
  includesDestination(readConsent(orgId).agreed, destination);

export function isAgreedTarget(
  orgId: string,
  { providerId, origin, requestedModel }: Pick<RouteTarget, "providerId" | "origin" | "requestedModel">,
): boolean {
  return (
    providerId !== null && origin !== null && isAgreed(orgId, { providerId, origin, model: requestedModel })
  );
}

const without = (list: readonly Destination[], destinations: readonly Destination[]) =>
  list.filter((one) => !includesDestination(destinations, one));

export function agree(tx: Db, actor: Actor, destinations: readonly NamedDestination[]): void {
  const { orgId } = actor;
  const { agreed, postponed } = read(tx, orgId);
  const bare = destinations.map(({ providerId, origin, model }) => ({ providerId, origin, model }));
  const value = { agreed: [...without(agreed, bare), ...bare], postponed: without(postponed, bare) };
  saveOrgRecord(tx, orgId, GROUP, value);
  for (const { provider, providerId, origin, model } of destinations) {
    append(tx, actor, {
      action: "embedding.agreed",
      resource: `provider:${providerId}`,
      details: { provider, origin, model },
    });
  }
}

/** Postpones an offer; the caller audits it. */
export function postpone(tx: Db, orgId: string, destination: Destination): void {
  const consent = read(tx, orgId);
  saveOrgRecord(tx, orgId, GROUP, {
    ...consent,
    postponed: [...without(consent.postponed, [destination]), destination],
  });
}

export const isSameDestination = (a: Destination, b: Destination): boolean =>
  a.providerId === b.providerId && a.origin === b.origin && a.model === b.model;
