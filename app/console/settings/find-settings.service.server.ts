import type { Actor } from "~/core/actor";
import { searchMatcher } from "~/core/language/find-terms";
import { may } from "~/platform/rights/authorization.server";
import { SETTINGS_TARGETS } from "./settings-targets.shared";

/** The visible cards and fields that match every word, those by their label first. */
export function findSettings(actor: Actor, query: string, limit: number): { label: string; to: string }[] {
  const matches = searchMatcher(query);
  return SETTINGS_TARGETS.filter(
    ({ label, keywords, needs }) => may(actor, needs) && matches(`${label} ${keywords}`),
  )
    .sort((a, b) => Number(matches(b.label)) - Number(matches(a.label)))
    .slice(0, limit)
    .map(({ label, to }) => ({ label, to }));
}
