import type { Actor } from "~/core/actor";
import { authorise } from "~/platform/rights/authorization.server";
import { SETTINGS_GROUPS } from "~/platform/settings/groups/index.schema";
import { readGroupState } from "~/platform/settings/read-settings.service.server";
import type { SettingsExport } from "./advanced.schema";

/** Includes default values. */
export function exportSettings(actor: Actor): SettingsExport {
  authorise(actor, "settings.manage");
  return Object.fromEntries(
    SETTINGS_GROUPS.map(({ id }) => {
      const { values, version } = readGroupState(actor.orgId, id);
      return [id, { version, values }];
    }),
  );
}
