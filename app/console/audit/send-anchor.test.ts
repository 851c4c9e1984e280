import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rawDatabase, transaction } from "~/core/db.server";
import { verifySignature } from "~/core/webhook-signature.server";
import { closeWorkerPools } from "~/core/worker-pool.server";
import { append, listAudit } from "~/platform/audit/audit.service.server";
import { forgetHead, replaceHead } from "~/platform/audit/audit-head.server";
import { updateSettings } from "~/platform/settings/update-settings.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { startMailServer } from "../../../tests/support/mail-server";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import { sendAnchorJob } from "./send-anchor-job.service.server";
import { sendAnchorType } from "./send-anchor-job-type";
import { anchorNow } from "./trail.service.server";
import { verifyChain } from "./verify.service.server";

const SECRET = "a secret of the webhook";

describe("anchors that are sent", () => {
  let outside: string;
  let upstream: MockServer;
  let status: number;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let test: ReturnType<typeof openTestDatabase>;
  beforeEach(async () => {
    outside = mkdtempSync(join(tmpdir(), "quarterdeck-anchor-"));
    status = 204;
    upstream = await startMockServer((_, response) => void response.writeHead(status).end());
    mail = await startMailServer();
    test = openTestDatabase({
      AUDIT_ANCHOR: join(outside, "anchors.ndjson"),
      EGRESS_ALLOW: "127.0.0.1",
      SMTP_URL: mail.url,
    });
    vi.stubEnv("QUARTERDECK_KEY_WEBHOOK", SECRET);
    add();
    await replaceHead();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    forgetHead();
    test.close();
    await upstream.close();
    await mail.close();
    rmSync(outside, { recursive: true });
  });
  afterAll(closeWorkerPools);
  const add = () =>
    transaction((tx) =>
      append(tx, test.actors.admin, { action: "kv.set", resource: "kv:a", details: { name: "a" } }),
    );

  async function send(): Promise<void> {
    const inputs = rawDatabase()
      .prepare("SELECT input FROM jobs WHERE kind = 'audit.send-anchor'")
      .pluck()
      .all();
    for (const input of inputs as string[])
      await sendAnchorJob.run({
        orgId: test.actors.owner.orgId,
        input: sendAnchorType.input.parse(JSON.parse(input)),
        signal: new AbortController().signal,
      } as never);
  }

  it("arrive by email and signed webhook and verify from there", async () => {
    updateSettings(test.actors.admin, "security", {
      anchorEmail: "audit@example.org",
      anchorWebhook: `${upstream.origin}/anchors`,
    });
    expect(await anchorNow(test.actors.owner)).toEqual({ file: true, destinations: ["email", "webhook"] });
    const { entries } = listAudit(test.actors.owner, { limit: 9 });
    expect(entries.filter(({ action }) => action === "audit.anchored")).toMatchObject([
      { resource: "audit", details: { destinations: ["file", "email", "webhook"] } },
    ]);
    await send();
    expect(mail.received.map(({ to }) => to)).toEqual([["audit@example.org"]]);
    const [call] = upstream.requests;
    const signed = {
      timestamp: String(call?.headers["x-webhook-timestamp"]),
      signature: String(call?.headers["x-webhook-signature"]),
      rawBody: Buffer.from(call?.body ?? ""),
      now: Date.now(),
    };
    expect(verifySignature({ ...signed, secret: SECRET }).ok).toBe(true);
    const { anchor, event } = JSON.parse(call?.body ?? "");
    expect([event, anchor.seq]).toEqual(["audit.anchor", 3]);
    expect(mail.text(0)).toContain(anchor.signature);

    rmSync(join(outside, "anchors.ndjson"));
    appendFileSync(join(outside, "anchors.ndjson"), `${JSON.stringify(anchor)}\n`);
    expect(await verifyChain()).not.toHaveProperty("fault");
    appendFileSync(join(outside, "anchors.ndjson"), `${JSON.stringify({ ...anchor, seq: 2 })}\n`);
    expect(await verifyChain()).toMatchObject({ fault: "anchor_damaged" });
  });

  it("are retried if the webhook fails and skipped once it was removed", async () => {
    const webhook = (anchorWebhook: string) =>
      updateSettings(test.actors.admin, "security", { anchorWebhook });
    webhook(`${upstream.origin}/anchors`);
    await anchorNow(test.actors.owner);
    status = 503;
    await expect(send()).rejects.toMatchObject({ code: "provider_unavailable" });
    webhook("");
    await send();
    expect(upstream.requests).toHaveLength(1);
  });

  it("can be added only by owners", async () => {
    await expect(anchorNow(test.actors.admin)).rejects.toMatchObject({ code: "forbidden" });
  });
});
