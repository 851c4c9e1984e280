import { AppError } from "~/core/errors";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { readNamedSecret } from "~/team/keys/keys.service.server";
import { postSigned } from "../signed-post.service.server";
import type { ChannelSender } from "./channel";
import { findSecretProblem } from "./find-secret-problem.server";

function readTarget(orgId: string): { url: string; secretName: string } {
  const { webhookUrl, webhookReference } = readSettings(orgId, "notifications");
  if (!webhookUrl) throw new AppError("conflict", "Enter the webhook address.");
  return { url: webhookUrl, secretName: webhookReference };
}

export const webhook: ChannelSender = {
  label: "Webhooks",
  findProblem: (orgId) => findSecretProblem(() => readNamedSecret(readTarget(orgId).secretName)),
  async send({ id, orgId, event, title, body, link, createdAt }, _target, signal) {
    const at = new Date(createdAt).toISOString();
    const payload = { id, event, title, body, link, createdAt: at };
    const call = { label: "The webhook", purpose: "notification:webhook", id, payload };
    await postSigned({ ...call, ...readTarget(orgId) }, signal);
  },
};
