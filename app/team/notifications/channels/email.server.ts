import { publicAddress } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { hasMailServer, sendMail } from "~/platform/mail/send-mail.service.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { type ChannelSender, isInterrupted } from "./channel.server";

export const email: ChannelSender = {
  label: "Email",
  findProblem: () => (hasMailServer() ? undefined : "Set SMTP_URL to send email."),
  isDeliveryUncertain: isInterrupted,
  async send({ id, title, body, link }, { email: to }, signal) {
    if (!to) throw new AppError("invalid", "The person has no email address.");
    const choose = publicAddress("/settings/profile#notifications");
    const parts = [body, link, `Choose what you get by email:\n${choose}`];
    await sendMail(
      {
        to: [to],
        subject: `[${readBranding().appName.replace(/\s+/g, " ")}] ${title}`,
        body: parts.filter(Boolean).join("\n\n"),
        messageId: id,
      },
      "notification:smtp",
      signal,
    );
  },
};
