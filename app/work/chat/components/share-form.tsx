import type { SubmissionResult } from "@conform-to/react";
import { Form, Link } from "@remix-run/react";
import { Link2, Link2Off } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "~/ui/button";
import { ChoiceList } from "~/ui/choice-list";
import { CopyButton } from "~/ui/copy-button";
import { Field, FieldError, Select } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { OneTimeSecret } from "~/ui/one-time-secret";
import { RadioCard } from "~/ui/radio-card";
import { Row } from "~/ui/row";
import { serverForm } from "~/ui/server-form";
import { RelativeTime } from "~/ui/time";
import type {
  Audience,
  ConversationReader,
  LinkInput,
  ShareInput,
  ShareLink,
  Sharing,
} from "../shares/shares.schema";

const AUDIENCE_LABELS: Record<Audience, { label: string; hint: string }> = {
  nobody: { label: "Only me", hint: "Nobody else in the organization can read it" },
  members: { label: "Specific people", hint: "Chosen members and groups can read it" },
  everyone: { label: "Everyone", hint: "All members of the organization can read it" },
};

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h3 id={id} className="text-sm">
        {title}
      </h3>
      {children}
    </section>
  );
}

interface ShareFormProps {
  sharing: Sharing;
  address: string;
  readers: readonly ConversationReader[];
  result: SubmissionResult | undefined;
}

export function ShareForm({ sharing, address, readers, result }: ShareFormProps) {
  const legend = useId();
  const [form, fields] = serverForm<keyof ShareInput>({
    id: "share",
    lastResult: result,
    defaultValue: { audience: sharing.audience, readers: sharing.readers.map(({ id }) => id) },
  });
  const chosen = fields.readers.initialValues;
  // The list scrolls.
  const chosenFirst = [...readers].sort(
    (a, b) => Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)),
  );
  const error = fields.readers.errors?.[0] ?? fields.audience.errors?.[0];
  return (
    <Part title="In the organization">
      <Form method="post" preventScrollReset className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        <p className="text-muted">
          Readers see the conversation read-only, up to its last message at the time you share it. Messages
          that may quote documents a reader can't see are hidden from that reader. Attachments and tool
          results aren't shared.
        </p>
        <fieldset aria-labelledby={legend} className="group/share flex flex-col gap-2">
          <span id={legend} className="font-medium text-ink text-sm">
            Who can read it
          </span>
          <div className="grid gap-2 sm:grid-cols-3">
            {Object.entries(AUDIENCE_LABELS).map(([value, { label, hint }]) => (
              <RadioCard
                key={value}
                name="audience"
                value={value}
                label={label}
                hint={hint}
                defaultChecked={fields.audience.initialValue === value}
              />
            ))}
          </div>
          <div className="hidden group-has-[[value=members]:checked]/share:block">
            <ChoiceList
              label="People and groups that can read it"
              name="readers"
              options={chosenFirst.map((reader) => ({
                ...reader,
                hint: reader.kind === "group" ? "Group" : undefined,
              }))}
              chosen={chosen}
              empty="There is no one else in the organization yet."
            />
          </div>
          {error && <FieldError>{error}</FieldError>}
        </fieldset>
        <div className="flex flex-wrap items-center gap-3">
          <Button name="intent" value="share" variant="primary">
            {sharing.newer > 0 ? "Save and Share New Messages" : "Save"}
          </Button>
          {sharing.sharedAt && (
            <p className="text-muted text-xs">
              Shared <RelativeTime at={sharing.sharedAt} style="running" />
              {sharing.newer > 0 && (
                <>
                  {" · "}
                  {sharing.newer === 1
                    ? "1 newer message isn't shared yet"
                    : `${sharing.newer} newer messages aren't shared yet`}
                </>
              )}
            </p>
          )}
        </div>
        {sharing.audience !== "nobody" && (
          <div className="flex items-center gap-2 text-sm">
            <span className="shrink-0 text-muted">Address for readers</span>
            <code className="min-w-0 truncate text-xs">{address}</code>
            <CopyButton text={address} label="Copy Address" />
          </div>
        )}
      </Form>
    </Part>
  );
}

const EXPIRIES = [
  ["", "Never"],
  ["1", "1 day"],
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

interface ShareLinksProps {
  sharing: Pick<Sharing, "links" | "linksAllowed">;
  /** Whether the reader may turn links on. */
  mayAllow: boolean;
  made: string | undefined;
  result: SubmissionResult | undefined;
}

export function ShareLinks({ sharing: { links, linksAllowed }, mayAllow, made, result }: ShareLinksProps) {
  const [form, fields] = serverForm<keyof LinkInput>({ id: "link", lastResult: result });
  return (
    <Part title="Links">
      <div className="flex flex-col gap-4">
        {form.errors && <Notice kind="danger">{form.errors.join(" ")}</Notice>}
        {linksAllowed ? (
          <p className="text-muted">
            Anyone with a link can read the conversation as it is now, without signing in. Messages that may
            quote restricted documents are hidden.
          </p>
        ) : (
          <Notice kind="info">
            Links are turned off. {mayAllow ? "Allow" : "An admin can allow"} them under{" "}
            <Link to="/settings/advanced#security" className="text-primary-ink underline">
              Settings › Advanced
            </Link>
            .{links.length > 0 && " The links below don't work until then."}
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
          <Form method="post" preventScrollReset className="flex flex-wrap items-end gap-3">
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
    </Part>
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
