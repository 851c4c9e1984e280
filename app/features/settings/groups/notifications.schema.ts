import { toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const notifications = defineGroup({
  id: "notifications",
  label: "Notifications",
  permission: "settings.manage",
  fields: {
    enableEmail: toggle(false, { label: "Email", hint: "Notifications by email", obeyedBy: null }),
    enableSlack: toggle(false, { label: "Slack", hint: "Notifications in Slack", obeyedBy: null }),
    enableWebhooks: toggle(false, { label: "Webhooks", hint: "Notifications by webhook", obeyedBy: null }),
    enablePush: toggle(false, { label: "Push", hint: "Notifications in the browser", obeyedBy: null }),
  },
});
