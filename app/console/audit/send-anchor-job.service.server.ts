import { publicUrl } from "~/core/env.server";
import { AppError } from "~/core/errors";
import { defineJob } from "~/platform/jobs/job-kind.service.server";
import { sendMail } from "~/platform/mail/send-mail.service.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { readBranding } from "~/team/branding/branding.service.server";
import { postSigned } from "~/team/notifications/signed-post.service.server";
import type { Anchor, AnchorDestination } from "./anchor.schema";
import { sendAnchorType } from "./send-anchor-job-type";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const idOf = ({ seq, at }: Anchor) => `anchor:${seq}:${at}`;

async function mailAnchor(orgId: string, anchor: Anchor, signal: AbortSignal): Promise<void> {
  const to = readSettings(orgId, "security").anchorEmail;
  if (!to) return;
  const { seq, at, restart } = anchor;
  const body = [
    `The audit log of ${publicUrl()} ends with entry ${seq} at ${at}.`,
    ...(restart ? ["An owner accepted the log as it is. Earlier anchors no longer apply."] : []),
    "Keep this message. To compare the log with it later, add the next line to the file that AUDIT_ANCHOR names and press Verify.",
    JSON.stringify(anchor),
  ];
  const subject = `[${readBranding().appName.replace(/\s+/g, " ")}] Audit log anchor: entry ${seq}`;
  const message = { to: [to], subject, body: body.join("\n\n"), messageId: idOf(anchor) };
  await sendMail(message, "audit:smtp", signal);
}

async function postAnchor(orgId: string, anchor: Anchor, signal: AbortSignal): Promise<void> {
  const url = readSettings(orgId, "security").anchorWebhook;
  if (!url) return;
  const id = idOf(anchor);
  const payload = { id, event: "audit.anchor", anchor, createdAt: anchor.at };
  const secretName = readSettings(orgId, "notifications").webhookReference;
  const call = { label: "The anchor webhook", purpose: "audit:webhook", url, secretName, id, payload };
  await postSigned(call, signal);
}

const SENDERS: Record<AnchorDestination, typeof mailAnchor> = { email: mailAnchor, webhook: postAnchor };

export const sendAnchorJob = defineJob({
  ...sendAnchorType,
  title: "Send an anchor of the audit log",
  concurrency: 1,
  timeoutMs: MINUTE,
  // About six hours.
  retry: { attempts: 12, backoffMs: [15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE] },
  async run({ orgId, input: { destination, anchor }, signal }) {
    if (orgId === null) throw new AppError("internal", "An anchor belongs to an organization.");
    await SENDERS[destination](orgId, anchor, signal);
  },
});
