import { readSettings } from "~/platform/settings/read-settings.service.server";
import type { KeyUse } from "~/team/keys/key-use.shared";
import { keysOfVariable } from "~/team/keys/keys.service.server";

/** Variables named by the Slack and webhook channels. */
export function notificationKeyUses(orgId: string): KeyUse[] {
  const { slackReference, webhookReference } = readSettings(orgId, "notifications");
  const channels = [
    { name: "Slack", variable: slackReference },
    { name: "Webhooks", variable: webhookReference },
  ];
  return channels.flatMap(({ name, variable }) =>
    keysOfVariable(orgId, variable).map((keyId) => ({
      keyId,
      kind: "Notifications",
      name,
      to: "/settings/advanced#notifications",
    })),
  );
}
