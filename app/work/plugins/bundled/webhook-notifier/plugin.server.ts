import { z } from "zod";
import { AppError } from "~/core/errors";
import { definePlugin, definePluginTool } from "../../plugin";
import { readText } from "../outside-text.server";

/** Payload by service. */
function bodyFor(format: string, title: string, text: string): Record<string, unknown> {
  const whole = title ? `*${title}*\n${text}` : text;
  if (format === "Slack" || format === "Mattermost") return { text: whole };
  if (format === "Discord") return { content: (title ? `**${title}**\n${text}` : text).slice(0, 2000) };
  if (format === "Microsoft Teams")
    return {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              ...(title ? [{ type: "TextBlock", text: title, weight: "bolder", wrap: true }] : []),
              { type: "TextBlock", text, wrap: true },
            ],
          },
        },
      ],
    };
  return { title, text };
}

export const webhookNotifier = definePlugin(
  {
    id: "webhook-notifier",
    title: "Webhook Notifier",
    icon: "Bell",
    description:
      "Sends messages to one address of your choice: an incoming webhook of Slack, Mattermost, Discord or Microsoft Teams, or any endpoint that takes JSON. A key reference can sign in with a bearer token.",
    tags: ["slack", "discord", "notifications"],
    version: "1.0.0",
    released: "2026-11-20",
    categories: ["workspace"],
    settings: [
      {
        name: "address",
        label: "Webhook address",
        hint: "Enter the address that receives the messages. Members don't see it.",
        required: true,
        control: { kind: "url" },
      },
      {
        name: "format",
        label: "Format",
        hint: "Choose the service behind the address",
        control: {
          kind: "select",
          options: ["JSON", "Slack", "Mattermost", "Discord", "Microsoft Teams"],
          default: "JSON",
        },
      },
      {
        name: "token",
        label: "Bearer token",
        hint: "Leave blank if the address is enough",
        control: { kind: "key" },
      },
    ],
    requests: { hosts: ["{address}"], keys: ["token"], effects: ["outside"] },
  },
  [
    definePluginTool({
      name: "send",
      title: "Send a message",
      description:
        "Sends a short message to the team's notification channel. The channel is set by an admin.",
      effect: "outside",
      input: z.object({
        text: z.string().trim().min(1).max(4000),
        title: z.string().trim().max(200).default(""),
      }),
      async run({ text, title }, { settings, fetch, key, signal }) {
        const address = String(settings.address);
        if (!URL.canParse(address))
          throw new AppError(
            "invalid",
            "The webhook address isn't set. Ask an admin to enter it under Extensions.",
          );
        const token = key("token", new URL(address).origin);
        const response = await fetch(address, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(token && { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify(bodyFor(String(settings.format), title, text)),
          redirect: "error",
          signal,
        });
        await readText(response);
        return { sent: true, status: response.status };
      },
    }),
  ],
);
