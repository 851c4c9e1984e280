import { address, choices, toggle, variableName } from "~/core/field.schema";
import { eventFacts, SHARED_EVENTS } from "../events.shared";
import { defineGroup } from "./group.schema";

const EVENT_LABELS = Object.fromEntries(SHARED_EVENTS.map((event) => [event, eventFacts(event).label]));

export const notifications = defineGroup({
  id: "notifications",
  label: "Notifications",
  permission: "settings.manage",
  fields: {
    enableEmail: toggle(false, {
      label: "Email",
      hint: "Send notifications by email, over SMTP_URL",
      appliedBy: "notifications",
    }),
    enableSlack: toggle(false, {
      label: "Slack",
      hint: "Send notifications to Slack",
      appliedBy: "notifications",
    }),
    slackReference: variableName("QUARTERDECK_KEY_SLACK", {
      label: "Slack variable",
      hint: "Name the environment variable with the address of the incoming webhook",
      appliedBy: "notifications",
    }),
    slackEvents: choices(
      SHARED_EVENTS,
      {
        label: "Slack events",
        hint: "Choose what is sent to Slack; private events never are",
        appliedBy: "notifications",
      },
      EVENT_LABELS,
    ),
    enableWebhooks: toggle(false, {
      label: "Webhooks",
      hint: "Send notifications to a webhook",
      appliedBy: "notifications",
    }),
    webhookUrl: address({
      label: "Webhook address",
      hint: "Enter the address that notifications are posted to",
      appliedBy: "notifications",
    }),
    webhookReference: variableName("QUARTERDECK_KEY_WEBHOOK", {
      label: "Webhook secret variable",
      hint: "Name the environment variable with the secret that signs each call",
      appliedBy: "notifications",
    }),
    webhookEvents: choices(
      SHARED_EVENTS,
      {
        label: "Webhook events",
        hint: "Choose what is sent to the webhook; private events never are",
        appliedBy: "notifications",
      },
      EVENT_LABELS,
    ),
    enablePush: toggle(false, {
      label: "Push",
      hint: "Send notifications to the browser",
      appliedBy: "notifications",
    }),
  },
});
