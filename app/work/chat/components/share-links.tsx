import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { Link2, Link2Off } from "lucide-react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { OneTimeSecret } from "~/ui/copy-button";
import { serverForm } from "~/ui/form-result";
import { Field, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { Row } from "~/ui/row";
import { RelativeTime } from "~/ui/time";
import type { LinkInput, ShareLink, Sharing } from "../shares/shares.schema";

const EXPIRIES = [
  ["", "Never"],
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

interface ShareLinksProps {
  sharing: Pick<Sharing, "links" | "linksAllowed">;
  made: string | undefined;
  result: SubmissionResult | undefined;
}

export function ShareLinks({ sharing: { links, linksAllowed }, made, result }: ShareLinksProps) {
  const [form, fields] = serverForm<keyof LinkInput>({ id: "link", lastResult: result });
  return (
    <Card title="Links">
      <div className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        {linksAllowed ? (
          <p className="text-muted">
            Anyone with a link can read the conversation as it is now, without signing in. Messages that may
            quote restricted documents are hidden.
          </p>
        ) : (
          <Notice kind="info">
            Links are turned off. An admin can allow them under Settings › Advanced.
            {links.length > 0 && " The links below don't work until then."}
          </Notice>
        )}
        {made && (
          <OneTimeSecret
            title="Copy this link now. It won't be shown again."
            label="Link"
            value={made}
            hint="Revoke it at any time."
          />
        )}
        {links.length > 0 && (
          <ul className="rounded-lg border border-line">
            {links.map((link, index) => (
              <LinkRow key={link.id} link={link} number={index + 1} />
            ))}
          </ul>
        )}
        {linksAllowed && (
          <Form method="post" className="flex flex-wrap items-end gap-3">
            <Field label="Expiry" name="expiresInDays" error={fields.expiresInDays.errors}>
              <Select defaultValue={fields.expiresInDays.initialValue ?? "30"}>
                {EXPIRIES.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            </Field>
            <Button name="intent" value="create-link" icon={<Link2 aria-hidden="true" />}>
              Create Link
            </Button>
          </Form>
        )}
      </div>
    </Card>
  );
}

function LinkRow({ link, number }: { link: ShareLink; number: number }) {
  const { id, createdAt, expiresAt, lastOpenedAt } = link;
  return (
    <Row
      name={`Link ${number}`}
      icon={<Link2 aria-hidden="true" />}
      meta={
        <>
          Created <RelativeTime at={createdAt} style="running" />
          {" · "}
          {lastOpenedAt ? (
            <>
              last opened <RelativeTime at={lastOpenedAt} style="running" />
            </>
          ) : (
            "never opened"
          )}
          {" · "}
          {expiresAt ? (
            <>
              expires <RelativeTime at={expiresAt} style="date" />
            </>
          ) : (
            "doesn't expire"
          )}
        </>
      }
      actions={[
        {
          label: "Revoke",
          fullLabel: `Revoke link ${number}`,
          icon: <Link2Off aria-hidden="true" />,
          values: { intent: "revoke-link", id },
        },
      ]}
    />
  );
}
