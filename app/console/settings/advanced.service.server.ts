import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { authorise } from "~/platform/rights/authorization.server";
import { SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import {
  pickChanges,
  readFormGroup,
  readGroupState,
  readSetting,
  type SettingsFormGroup,
  updateSettings,
} from "~/platform/settings/settings.service.server";
import { countOf } from "~/ui/format";
import { countExpired } from "~/work/chat/retention/retention.service.server";
import { countExpiredComparisons } from "~/work/comparisons/comparisons.service.server";
import {
  ADVANCED_GROUPS,
  AdvancedInput,
  AdvancedSettings,
  type PastRetention,
  type SettingsExport,
} from "./advanced.schema";

export function readAdvancedSettings(actor: Actor): AdvancedSettings {
  authorise(actor, "settings.manage");
  const groups = ADVANCED_GROUPS.map((id) => ({ id, ...readGroupState(actor.orgId, id) }));
  return AdvancedSettings.parse({
    ...Object.fromEntries(groups.map(({ id, values }) => [id, values])),
    versions: Object.fromEntries(groups.map(({ id, version }) => [id, version])),
  });
}

/** All groups, with default values. */
export function exportSettings(actor: Actor): SettingsExport {
  authorise(actor, "settings.manage");
  return Object.fromEntries(
    SETTINGS_GROUPS.map(({ id }) => {
      const { values, version } = readGroupState(actor.orgId, id);
      return [id, { version, values }];
    }),
  );
}

function withGroup(id: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !error.fields) return error;
  const fields = Object.entries(error.fields).map(([name, messages]) => [`${id}.${name}`, messages]);
  return new AppError(error.code, error.message, { fields: Object.fromEntries(fields), cause: error });
}

/**
 * Changes the given fields, in all groups or in none.
 *
 * @param secure whether the request came over HTTPS, which is required to turn on HTTPS enforcement
 * @throws AppError as `updateSettings`, its fields by their full names, such as `ai.timeout`
 */
export function updateAdvancedSettings(
  actor: Actor,
  { versions = {}, ...patches }: AdvancedInput,
  { secure }: { secure: boolean },
): AdvancedSettings {
  authorise(actor, "settings.manage");
  const enforces = patches.security?.enforceHttps && !readSetting(actor.orgId, "security.enforceHttps");
  if (enforces && !secure) {
    const message = "Open the console over HTTPS before you turn on HTTPS enforcement.";
    throw new AppError("invalid", message, { fields: { "security.enforceHttps": [message] } });
  }
  return transaction(() => {
    for (const id of ADVANCED_GROUPS) {
      const patch = patches[id];
      if (!patch) continue;
      try {
        updateSettings(actor, id, patch, versions[id]);
      } catch (error) {
        throw withGroup(id, error);
      }
    }
    return readAdvancedSettings(actor);
  });
}

export const readAdvancedForm = (actor: Actor): SettingsFormGroup[] =>
  ADVANCED_GROUPS.map((id) => readFormGroup(actor, id));

/** What a retention of so many days would delete now. */
export const countPastRetention = (actor: Actor, days: number): PastRetention => ({
  conversations: countExpired(actor, days),
  comparisons: countExpiredComparisons(actor, days),
});

/** @throws AppError `invalid` at `confirmedRetention` if a shorter retention would delete something unconfirmed */
function assertConfirmed(actor: Actor, days: number | undefined, confirmed: number | undefined): void {
  const present = readSetting(actor.orgId, "security.conversationRetention");
  if (!days || days === confirmed || (present > 0 && days >= present)) return;
  const { conversations, comparisons } = countPastRetention(actor, days);
  const due = [
    conversations > 0 && countOf(conversations, "conversation"),
    comparisons > 0 && countOf(comparisons, "comparison"),
  ].filter(Boolean);
  if (due.length === 0) return;
  const message = `Last used more than ${countOf(days, "day")} ago, and deleted in the coming night: ${due.join(" and ")}.`;
  throw new AppError("invalid", message, { fields: { confirmedRetention: [message] } });
}

/**
 * Saves the form of the Advanced tab.
 *
 * @param sent values by group; `versions` are those of the form
 * @param options.confirmed the retention, in days, whose deletions were confirmed
 * @throws AppError as `updateAdvancedSettings`, and `invalid` at `confirmedRetention` for deletions to confirm
 */
export function saveAdvancedForm(
  actor: Actor,
  { versions, ...sent }: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  { confirmed, ...options }: { secure: boolean; confirmed?: number | undefined },
): AdvancedSettings {
  const patches = ADVANCED_GROUPS.flatMap((id) => {
    const changes = pickChanges(actor, id, sent[id] ?? {});
    return Object.keys(changes).length > 0 ? [[id, changes] as const] : [];
  });
  const input = AdvancedInput.parse({ ...Object.fromEntries(patches), versions });
  assertConfirmed(actor, input.security?.conversationRetention, confirmed);
  return updateAdvancedSettings(actor, input, options);
}
