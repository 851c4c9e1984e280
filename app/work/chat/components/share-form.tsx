import type { SubmissionResult } from "@conform-to/react";
import { Form } from "@remix-run/react";
import { useId } from "react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { ChoiceList, RadioCard } from "~/ui/choice";
import { CopyButton } from "~/ui/copy-button";
import { serverForm } from "~/ui/form-result";
import { FieldError } from "~/ui/input";
import { Notice } from "~/ui/notice";
import { RelativeTime } from "~/ui/time";
import type { Audience, ConversationReader, ShareInput, Sharing } from "../shares/shares.schema";

const AUDIENCE_LABELS: Record<Audience, { label: string; hint: string }> = {
  nobody: { label: "Only me", hint: "Nobody else in the organization can read it" },
  members: { label: "Specific people", hint: "Chosen members and groups can read it" },
  everyone: { label: "Everyone", hint: "All members of the organization can read it" },
};

interface ShareFormProps {
  sharing: Sharing;
  /** Where its readers open it. */
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
    <Card title="In the organization">
      <Form method="post" className="flex flex-col gap-4">
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
    </Card>
  );
}
