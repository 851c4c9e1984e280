import { toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const notifications = defineGroup({
  id: "notifications",
  label: "Notifications",
  permission: "settings.manage",
  fields: {
    enableEmail: toggle(false, { label: "Email", hint: "Send notifications by email", obeyedBy: null }),
    enableSlack: toggle(false, { label: "Slack", hint: "Send notifications to Slack", obeyedBy: null }),
    enableWebhooks: toggle(false, {
      label: "Webhooks",
      hint: "Send notifications to a webhook",
      obeyedBy: null,
    }),
    enablePush: toggle(false, { label: "Push", hint: "Send notifications to the browser", obeyedBy: null }),
  },
});
